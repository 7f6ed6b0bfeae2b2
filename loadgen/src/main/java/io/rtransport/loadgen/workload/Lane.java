package io.rtransport.loadgen.workload;

import org.agrona.collections.LongArrayQueue;

/**
 * One connection under load: its next sequence number, its messages in flight, and (open loop)
 * those that are due and could not be sent yet. The {@link LaneDriver} decides about time. Confined
 * to its event loop.
 */
public final class Lane implements Session.Listener {
  private static final long NEVER = Long.MIN_VALUE; // no time that a message is due

  private final LaneDriver driver;
  private final int connection;
  private final InFlight inFlight = new InFlight();
  final LongArrayQueue backlog = new LongArrayQueue(NEVER);
  private Session session;
  private long nextSequence;
  private long failed;
  private boolean pumpPending;
  private String closeReason;

  Lane(LaneDriver driver, int connection) {
    this.driver = driver;
    this.connection = connection;
  }

  /** Sets the connection, before the driver starts. */
  public void attach(Session connected) {
    session = connected;
  }

  /** Offers the next message. Its latency counts from {@code timeNs}. */
  boolean offer(long timeNs, long nowNs) {
    if (closeReason != null) {
      return false;
    }
    int lengthBytes = driver.sizes().sizeBytes(connection, nextSequence);
    boolean measured = driver.isMeasured(timeNs);
    if (!session.offer(nextSequence, lengthBytes, measured)) {
      return false;
    }
    inFlight.add(nextSequence, timeNs);
    nextSequence++;
    driver.onSent(lengthBytes, measured, nowNs);
    return true;
  }

  void flush() {
    session.flush();
  }

  int inFlightCount() {
    return inFlight.count();
  }

  /** Returns why the connection ended, or null while it lives. */
  public String closeReason() {
    return closeReason;
  }

  /**
   * Returns the failed messages of the measured time, failed one by one or with their connection.
   */
  public long failed() {
    return failed;
  }

  @Override
  public void onCompleted(long sequence) {
    if (inFlight.contains(sequence)) {
      driver.onCompleted(inFlight.remove(sequence), 1);
    }
  }

  @Override
  public void onCompletedThrough(long sequence) {
    // Messages of one batch were sent at the same time: one entry for the run of them.
    long runNs = 0;
    long run = 0;
    for (long s = inFlight.oldest(); s <= sequence; s = inFlight.oldest()) {
      if (inFlight.count() == 0) {
        break;
      }
      long timeNs = inFlight.remove(s);
      if (run > 0 && timeNs != runNs) {
        driver.onCompleted(runNs, run);
        run = 0;
      }
      runNs = timeNs;
      run++;
    }
    if (run > 0) {
      driver.onCompleted(runNs, run);
    }
  }

  @Override
  public void onFailed(long sequence) {
    if (inFlight.contains(sequence)) {
      failed += driver.isMeasured(inFlight.remove(sequence)) ? 1 : 0;
      driver.onFailed();
    }
  }

  @Override
  public void onBatchEnd() {
    driver.onBatchEnd(this);
  }

  @Override
  public void onRoom() {
    driver.onBatchEnd(this);
  }

  @Override
  public void onClosed(String reason) {
    if (closeReason == null && !driver.isFinished()) {
      closeReason = reason;
      failed += inFlight.count(driver::isMeasured);
    }
  }

  /** Marks a pumping task as queued. Returns whether one was queued already. */
  boolean markPumpPending() {
    boolean was = pumpPending;
    pumpPending = true;
    return was;
  }

  void clearPumpPending() {
    pumpPending = false;
  }

  /** Adds messages that never completed to the latencies, at their age. */
  void abandon(long nowNs) {
    while (inFlight.count() > 0) {
      driver.onAbandoned(inFlight.remove(inFlight.oldest()), nowNs);
    }
    while (!backlog.isEmpty()) {
      driver.onNeverSent(backlog.pollLong(), nowNs);
    }
  }
}
