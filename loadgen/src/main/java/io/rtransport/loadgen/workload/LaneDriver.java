package io.rtransport.loadgen.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Decides when the connections of one event loop send.
 *
 * <p>Open loop: message k is due at {@code start + k / rate}, whatever happened to those before,
 * and its latency counts from then. A message that cannot be sent at its time waits in its
 * connection's backlog, with its time. So a stall shows in every message that it delayed (no
 * coordinated omission). Closed loop: each connection keeps a fixed number in flight. Saturation:
 * each connection sends until it has no room. Its turns are bounded by messages and bytes so that
 * the loop reads in between.
 *
 * <p>A message belongs to the measured time if its latency counts from that time. The warm-up is
 * also recorded, and then forgotten. Code that runs for the first time as measuring begins makes
 * the JVM recompile its callers. That takes tens of milliseconds that no transport has caused. The
 * start of the measured time is given at the start, or later by {@link #measure}.
 *
 * <p>Confined to its event loop; clock and timer come from outside. One clock reading serves a
 * batch of completions and the sends that follow.
 */
public final class LaneDriver {
  private static final int TURN_MESSAGES_MAX = 1_024;
  private static final int TURN_BYTES_MAX = 512 << 10;
  private static final double SECOND_NS = 1e9;

  private final Plan plan;
  private final LongSupplier clock;
  private final Wakeups wakeups;
  private final LatencyRecorder recorder;
  private final List<Lane> lanes = new ArrayList<>();
  private final Runnable tick = this::onTick;

  private long startNs;
  private long measureNs = Long.MAX_VALUE;
  private boolean isWarmingUp;
  private long endNs = Long.MIN_VALUE;
  private boolean started;
  private boolean finished;
  private long due;
  private long batchNowNs;

  private long sentMeasured;
  private long sentMeasuredBytes;
  private long sentTotal;
  private long sentBytes;
  private long completedMeasured;
  private long neverSent;
  private long inFlight;
  private long inFlightPeak;
  private long lastSendNs;
  private long sendGapNsMax;

  /**
   * Creates the driver.
   *
   * @param clock nanoseconds, monotonic
   */
  public LaneDriver(Plan plan, LongSupplier clock, Wakeups wakeups, LatencyRecorder recorder) {
    this.plan = plan;
    this.clock = clock;
    this.wakeups = wakeups;
    this.recorder = recorder;
  }

  /** Adds a connection, before {@link #start}. */
  public Lane addLane(int connection) {
    Lane lane = new Lane(this, connection);
    lanes.add(lane);
    return lane;
  }

  /** Returns the connections, in the order of their addition. */
  public List<Lane> lanes() {
    return lanes;
  }

  /**
   * Begins.
   *
   * @param startNs when the first message is due
   * @param measureNs when the warm-up ends
   * @param endNs when sending ends
   */
  public void start(long startNs, long measureNs, long endNs) {
    this.measureNs = measureNs;
    this.endNs = endNs;
    start(startNs);
    if (plan.pace() == Plan.Pace.IDLE || startNs == measureNs) {
      endWarmUp(); // nothing to record, and no reason to wake
    } else {
      wakeups.at(recordedUntilNs(startNs, measureNs), this::endWarmUp);
    }
  }

  /** Begins a warm-up that lasts until {@link #measure}. */
  public void startWarmUp(long startNs) {
    endNs = Long.MAX_VALUE;
    start(startNs);
  }

  private void start(long startNs) {
    this.startNs = startNs;
    started = true;
    isWarmingUp = true;
    recorder.start(startNs, Long.MAX_VALUE);
    if (plan.pace() == Plan.Pace.OPEN) {
      wakeups.at(startNs, tick);
    } else if (plan.pace() != Plan.Pace.IDLE) {
      for (Lane lane : lanes) {
        pumpSoon(lane);
      }
    }
  }

  /**
   * Ends a warm-up begun by {@link #startWarmUp}, and forgets its records.
   *
   * @param measureNs when the measured time begins; now, if that is past
   * @param endNs when sending ends
   */
  public void measure(long measureNs, long endNs) {
    this.measureNs = Math.max(measureNs, clock.getAsLong());
    this.endNs = endNs;
    endWarmUp();
  }

  /** Returns the finished seconds of the warm-up, oldest first. */
  public List<LatencyRecorder.Interval> warmUpSeconds() {
    return recorder.intervalsUntil(clock.getAsLong());
  }

  /** Returns when the records of the warm-up are forgotten. */
  public static long recordedUntilNs(long startNs, long measureNs) {
    return startNs + (measureNs - startNs) / 4 * 3;
  }

  /**
   * Ends the warm-up at its time, or with the first message of the measured time if that comes
   * sooner.
   */
  private void endWarmUp() {
    if (isWarmingUp) {
      isWarmingUp = false;
      recorder.start(measureNs, endNs);
    }
  }

  /** Ends sending now, earlier than planned. */
  public void stop(long nowNs) {
    endNs = Math.min(endNs, nowNs);
    measureNs = Math.min(measureNs, endNs);
    endWarmUp();
    recorder.stop(nowNs);
  }

  private void onTick() {
    long nowNs = clock.getAsLong();
    long dueNs = dueNs(due);
    int turn = 0;
    while (dueNs <= nowNs && dueNs < endNs && turn++ < TURN_MESSAGES_MAX) {
      lanes.get((int) (due % lanes.size())).backlog.addLong(dueNs);
      dueNs = dueNs(++due);
    }
    // Only the lanes that were given something, unless every lane was.
    int touched = Math.min(turn + 1, lanes.size());
    for (int i = 0; i < touched; i++) {
      int lane = (int) Math.floorMod(due - 1 - i, (long) lanes.size());
      pump(lanes.get(lane), nowNs);
    }
    if (dueNs < endNs) {
      if (dueNs <= nowNs) {
        wakeups.soon(tick);
      } else {
        wakeups.at(dueNs, tick);
      }
    }
  }

  private long dueNs(long k) {
    return startNs + (long) (k * (SECOND_NS / plan.ratePerSecond()));
  }

  void onBatchEnd(Lane lane) {
    if (started) {
      pump(lane, batchNowNs != 0 ? batchNowNs : clock.getAsLong());
    }
    batchNowNs = 0;
  }

  private void pump(Lane lane, long nowNs) {
    boolean any = false;
    switch (plan.pace()) {
      case OPEN -> {
        while (!lane.backlog.isEmpty() && lane.offer(lane.backlog.peekLong(), nowNs)) {
          lane.backlog.pollLong();
          any = true;
        }
      }
      case CLOSED -> {
        while (nowNs < endNs
            && lane.inFlightCount() < plan.inFlight()
            && lane.offer(nowNs, nowNs)) {
          any = true;
        }
      }
      case SATURATED -> any = saturate(lane, nowNs);
      case IDLE -> {}
    }
    if (any) {
      lane.flush();
    }
  }

  private boolean saturate(Lane lane, long nowNs) {
    long messagesBefore = sentTotal;
    long bytesBefore = sentBytes;
    while (nowNs < endNs && lane.offer(nowNs, nowNs)) {
      if (sentTotal - messagesBefore >= TURN_MESSAGES_MAX
          || sentBytes - bytesBefore >= TURN_BYTES_MAX) {
        pumpSoon(lane);
        return true;
      }
    }
    return sentTotal != messagesBefore;
  }

  private void pumpSoon(Lane lane) {
    if (!lane.markPumpPending()) {
      wakeups.soon(
          () -> {
            lane.clearPumpPending();
            pump(lane, clock.getAsLong());
          });
    }
  }

  void onSent(int lengthBytes, boolean measured, long nowNs) {
    sentTotal++;
    sentBytes += lengthBytes;
    inFlight++;
    if (measured) {
      inFlightPeak = Math.max(inFlightPeak, inFlight);
      sentMeasured++;
      sentMeasuredBytes += lengthBytes;
      if (lastSendNs != 0) {
        sendGapNsMax = Math.max(sendGapNsMax, nowNs - lastSendNs);
      }
      lastSendNs = nowNs;
    }
  }

  void onCompleted(long timeNs, long count) {
    if (batchNowNs == 0) {
      batchNowNs = clock.getAsLong();
    }
    inFlight -= count;
    boolean isMeasured = isMeasured(timeNs);
    if (isMeasured) {
      endWarmUp();
      completedMeasured += count;
    }
    recorder.onCompleted(count, batchNowNs);
    if (isMeasured || isWarmingUp) {
      recorder.onLatency(timeNs, batchNowNs, count);
    }
  }

  void onFailed() {
    inFlight--;
  }

  void onAbandoned(long timeNs, long nowNs) {
    if (isMeasured(timeNs)) {
      recorder.onLatency(timeNs, nowNs, 1);
    }
  }

  void onNeverSent(long timeNs, long nowNs) {
    if (isMeasured(timeNs)) {
      neverSent++;
      recorder.onLatency(timeNs, nowNs, 1);
    }
  }

  boolean isMeasured(long timeNs) {
    return timeNs >= measureNs && timeNs < endNs;
  }

  boolean isFinished() {
    return finished;
  }

  SizeMix sizes() {
    return plan.sizes();
  }

  /** Returns the messages due or in flight on living connections, for which a drain waits. */
  public long outstanding() {
    long sum = 0;
    boolean isAlive = false;
    for (Lane lane : lanes) {
      if (lane.closeReason() == null) {
        isAlive = true;
        sum += lane.inFlightCount() + lane.backlog.size();
      }
    }
    // A busy loop has ticks ahead for messages that were already due.
    boolean hasTick = isAlive && plan.pace() == Plan.Pace.OPEN && dueNs(due) < endNs;
    return hasTick ? sum + 1 : sum;
  }

  /** Ends the run. Messages that have not completed count in the latency at their age. */
  public void abandon(long nowNs) {
    if (plan.pace() == Plan.Pace.OPEN) {
      // Ticks that a busy loop did not reach.
      for (long dueNs = dueNs(due); dueNs < endNs; dueNs = dueNs(++due)) {
        lanes.get((int) (due % lanes.size())).backlog.addLong(dueNs);
      }
    }
    finished = true;
    for (Lane lane : lanes) {
      lane.abandon(nowNs);
    }
    recorder.finish(Math.min(nowNs, endNs));
  }

  /** Returns the messages of the measured time that were given to the transport. */
  public long sentMeasured() {
    return sentMeasured;
  }

  /** Returns the bytes of these messages. */
  public long sentMeasuredBytes() {
    return sentMeasuredBytes;
  }

  /** Returns the messages of the measured time that completed, in it or in the drain. */
  public long completedMeasured() {
    return completedMeasured;
  }

  /** Returns the messages due in the measured time that the transport never took. */
  public long neverSent() {
    return neverSent;
  }

  /** Returns the messages given to the transport, warm-up included. */
  public long sentTotal() {
    return sentTotal;
  }

  /** Returns the most messages in flight at once in the measured time. */
  public long inFlightPeak() {
    return inFlightPeak;
  }

  /** Returns the longest time between two sends, nanoseconds. */
  public long sendGapNsMax() {
    return sendGapNsMax;
  }
}
