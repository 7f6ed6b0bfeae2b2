package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.IncomingPayload;
import java.util.concurrent.TimeUnit;

/**
 * Finds arrived bytes of a connection that its application has not taken for 100 ms, and tells its
 * {@link BudgetAccount}. It judges the connection as a whole, in the order of arrival. Messages
 * that {@link SinkRoom} bounds do not count.
 */
final class StaleBytes {
  static final long STALE_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long NEVER = Long.MAX_VALUE;

  private final BudgetAccount account;
  private long arrivedBytes;
  private long takenBytes;
  private long staleMark;
  private long snapshotBytes;
  private long deadlineNs = NEVER;

  StaleBytes(BudgetAccount account) {
    this.account = account;
  }

  void onArrived(IncomingPayload payload, long bytes) {
    arrivedBytes += payload.isWrittenBehind() ? 0 : bytes;
  }

  /** Notes that bytes were taken, or are not wanted any more. */
  void onTaken(IncomingPayload payload, long bytes) {
    takenBytes += payload.isWrittenBehind() ? 0 : bytes;
    judge();
  }

  /** Starts the clock of bytes that were not taken, after the records of a burst were read. */
  void onBurstEnd(long nowNs) {
    if (deadlineNs == NEVER && arrivedBytes > takenBytes && arrivedBytes > staleMark) {
      snapshotBytes = arrivedBytes;
      deadlineNs = nowNs + STALE_NS;
    }
  }

  void onTimeout(long nowNs) {
    if (nowNs < deadlineNs) {
      return;
    }
    staleMark = snapshotBytes;
    deadlineNs = NEVER;
    judge();
    if (arrivedBytes > takenBytes && (arrivedBytes > staleMark || account.isBarred())) {
      snapshotBytes = arrivedBytes;
      deadlineNs = nowNs + STALE_NS;
    }
  }

  private void judge() {
    account.stale(Math.max(0, staleMark - takenBytes));
  }

  long deadlineNs() {
    return deadlineNs;
  }

  void stop() {
    deadlineNs = NEVER;
  }
}
