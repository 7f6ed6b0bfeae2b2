package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.IncomingPayload;
import java.util.concurrent.TimeUnit;

/**
 * The bytes that are granted to a connection's pushes and have not arrived, and whether they have
 * stalled.
 *
 * <p>Grants stall when they bring less than 16 KiB, and not everything that was granted, in {@code
 * max(4·SRTT, 20 ms)}. Then they stop counting in the {@link NodeBudget}, as far as it has room for
 * such bytes, until they come. What it has no room for is tried again after twice the time, and so
 * on up to 1 s.
 *
 * <p>Which bytes had been granted before the last stall is known push by push. So what another push
 * brings does not count as theirs.
 */
final class PushesAhead {
  static final long STALL_NS_MIN = TimeUnit.MILLISECONDS.toNanos(20);
  static final long AGAIN_NS_MAX = TimeUnit.SECONDS.toNanos(1);

  private final BudgetAccount account;
  private final PathView path;
  private final Counters counters;
  private long bytes;
  private int stalls;

  /** Bytes ahead that were granted before the last stall. */
  private long stalledBytes;

  private long progressNs;
  private long progressBytes;
  private long againNs;
  private boolean isJudged = true;

  PushesAhead(BudgetAccount account, PathView path, Counters counters) {
    this.account = account;
    this.path = path;
    this.counters = counters;
  }

  long bytes() {
    return bytes;
  }

  /** Returns how many of these count in the budget. */
  long countedBytes() {
    return bytes - account.givenAwayBytes();
  }

  /** Returns whether bytes are missing that were granted before the last stall. */
  boolean hasStalled(IncomingPayload payload) {
    return payload.stalledBytes(stalls) > 0;
  }

  /** Notes that a push is about to be granted more. */
  void onGranting(IncomingPayload payload, long more, long nowNs) {
    payload.stalledBytes(stalls); // those that are granted now are none
    bytes += more;
    onProgress(nowNs);
  }

  /** Notes that granted bytes of a push have come, before the push knows it. */
  void onArriving(IncomingPayload payload, long come, long nowNs) {
    stalledBytes -= Math.min(come, payload.stalledBytes(stalls));
    account.onArrived(stalledBytes);
    bytes -= come;
    progressBytes += come;
    if (progressBytes >= GrantDoubt.PROGRESS_BYTES_MIN || bytes == 0) {
      onProgress(nowNs);
    }
  }

  /** Releases what a push is missing: it will never come. */
  void onEnding(IncomingPayload payload) {
    stalledBytes -= payload.stalledBytes(stalls);
    bytes -= payload.missingBytes();
    account.cancel(payload.missingBytes(), stalledBytes);
  }

  private void onProgress(long nowNs) {
    progressNs = nowNs;
    progressBytes = 0;
    againNs = 0;
    isJudged = false;
  }

  long deadlineNs() {
    return isJudged || countedBytes() == 0 ? Long.MAX_VALUE : progressNs + waitNs();
  }

  private long waitNs() {
    return Math.max(againNs, Math.max(4 * path.srttNs(), STALL_NS_MIN));
  }

  void onTimeout(long nowNs) {
    long counted = countedBytes();
    if (isJudged || counted == 0 || nowNs - progressNs < waitNs()) {
      return;
    }
    stalls++;
    stalledBytes = bytes;
    long given = account.giveAway(counted);
    isJudged = given == counted;
    againNs = Math.min(AGAIN_NS_MAX, 2 * waitNs());
    progressNs = nowNs;
    progressBytes = 0;
    if (given > 0) {
      counters.increment(CounterId.GRANTS_STALLED);
    }
  }

  /** The connection has ended, and all its transactions. */
  void stop() {
    assert bytes == 0 && stalledBytes == 0 : "grants outlive their transactions";
    isJudged = true;
  }
}
