package io.rtransport.loadgen.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Decides when the connections of one event loop send.
 *
 * <p>Open loop: message k is due at {@code start + k / rate}, whatever became of those before, and
 * its latency counts from then; what cannot be sent at its time waits in its connection's backlog,
 * with its time. So a stall shows in every message that it delayed (no coordinated omission).
 * Closed loop: each connection keeps so many in flight. Saturation: each connection sends until it
 * has no room, in turns bounded by messages and bytes so that the loop reads in between.
 *
 * <p>A message belongs to the measured time if the time that its latency counts from does. The
 * warm-up is recorded too, and forgotten: code that runs for the first time as measuring begins
 * makes the JVM compile its callers anew, which takes tens of milliseconds that no transport has
 * caused. When the measured time begins is said at the start, or later by {@link #measure}.
 *
 * <p>Confined to its event loop; clock and timer come from outside. One clock reading serves a
 * batch of completions and the sends that follow.
 */
public final class LoopDriver {
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
   * @param clock nanoseconds, monotonic
   */
  public LoopDriver(Plan plan, LongSupplier clock, Wakeups wakeups, LatencyRecorder recorder) {
    this.plan = plan;
    this.clock = clock;
    this.wakeups = wakeups;
    this.recorder = recorder;
  }

  /** Adds a connection; before {@link #start}. */
  public Lane addLane(int connection) {
    Lane lane = new Lane(this, connection);
    lanes.add(lane);
    return lane;
  }

  /** The connections, in the order in which they were added. */
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

  /** Begins a warm-up that lasts until {@link #measure} says. */
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
   * Ends a warm-up begun by {@link #startWarmUp}, and forgets what was recorded in it.
   *
   * @param measureNs when the measured time begins; now, where that is past
   * @param endNs when sending ends
   */
  public void measure(long measureNs, long endNs) {
    this.measureNs = Math.max(measureNs, clock.getAsLong());
    this.endNs = endNs;
    endWarmUp();
  }

  /** The seconds of the warm-up that are over, oldest first. */
  public List<LatencyRecorder.Interval> warmUpSeconds() {
    return recorder.intervalsUntil(clock.getAsLong());
  }

  /** When what was recorded in the warm-up is forgotten. */
  public static long recordedUntilNs(long startNs, long measureNs) {
    return startNs + (measureNs - startNs) / 4 * 3;
  }

  /** At its time, or with the first message of the measured time if that is here sooner. */
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
      lanes.get((int) (due % lanes.size())).backlog.add(dueNs);
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
        while (!lane.backlog.isEmpty() && lane.offer(lane.backlog.peek(), nowNs)) {
          lane.backlog.remove();
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
      recorder.onLatency(batchNowNs - timeNs, count);
    }
  }

  void onFailed() {
    inFlight--;
  }

  void onAbandoned(long timeNs, long nowNs) {
    if (isMeasured(timeNs)) {
      recorder.onLatency(nowNs - timeNs, 1);
    }
  }

  void onNeverSent(long timeNs, long nowNs) {
    if (isMeasured(timeNs)) {
      neverSent++;
      recorder.onLatency(nowNs - timeNs, 1);
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

  /** Messages due or in flight on connections that live: what a drain waits for. */
  public long outstanding() {
    long sum = 0;
    boolean isAlive = false;
    for (Lane lane : lanes) {
      if (lane.closeReason() == null) {
        isAlive = true;
        sum += lane.inFlightCount() + lane.backlog.size();
      }
    }
    // A loop that was busy has ticks before it of messages that were due.
    boolean hasTick = isAlive && plan.pace() == Plan.Pace.OPEN && dueNs(due) < endNs;
    return hasTick ? sum + 1 : sum;
  }

  /** Ends the run: what has not completed stands in the latency at its age. */
  public void abandon(long nowNs) {
    if (plan.pace() == Plan.Pace.OPEN) {
      // Ticks that a busy loop never came to.
      for (long dueNs = dueNs(due); dueNs < endNs; dueNs = dueNs(++due)) {
        lanes.get((int) (due % lanes.size())).backlog.add(dueNs);
      }
    }
    finished = true;
    for (Lane lane : lanes) {
      lane.abandon(nowNs);
    }
    recorder.finish(Math.min(nowNs, endNs));
  }

  /** Messages of the measured time that were handed to the transport. */
  public long sentMeasured() {
    return sentMeasured;
  }

  /** Bytes of them. */
  public long sentMeasuredBytes() {
    return sentMeasuredBytes;
  }

  /** Messages of the measured time that completed, in it or in the drain. */
  public long completedMeasured() {
    return completedMeasured;
  }

  /** Messages due in the measured time that the transport never took. */
  public long neverSent() {
    return neverSent;
  }

  /** Messages handed to the transport, warm-up included. */
  public long sentTotal() {
    return sentTotal;
  }

  /** The most messages in flight at once in the measured time. */
  public long inFlightPeak() {
    return inFlightPeak;
  }

  /** The longest time between two sends, nanoseconds. */
  public long sendGapNsMax() {
    return sendGapNsMax;
  }
}
