package io.rtransport.core.time;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The timers of an event loop's connections: the wheel beside the heap that it replaced. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TimersBenchmark {
  private static final long MS = 1_000_000;
  private static final long RTO_NS = 25 * MS;
  private static final long ACK_DELAY_NS = MS;

  /** Five minutes, as a silent connection's. */
  private static final long IDLE_NS = 300_000 * MS;

  @Param({"wheel", "heap"})
  private String timers;

  @Param({"256", "10000"})
  private int connections;

  private DeadlineWheel wheel;
  private DeadlineHeap heap;
  private long nowNs;
  private int turn;

  /** Every connection has a retransmission timer, at times spread as its packets were. */
  @Setup
  public void arm() {
    wheel = timers.equals("wheel") ? new DeadlineWheel() : null;
    heap = wheel == null ? new DeadlineHeap() : null;
    for (int i = 0; i < connections; i++) {
      set(i, RTO_NS * (i + 1) / connections);
    }
  }

  /**
   * An acknowledgement: the connection's timer moves later, time goes on, and what comes up is
   * looked at.
   */
  @Benchmark
  public long acknowledge() {
    nowNs += 1_000;
    set(turn, nowNs + RTO_NS);
    turn = turn + 1 == connections ? 0 : turn + 1;
    return expireAll(RTO_NS);
  }

  /** An expiry: one timer, for which time goes on if it must, and which is armed anew. */
  @Benchmark
  public int expire() {
    int slot = pollExpired();
    while (slot < 0) {
      nowNs = nextDeadlineNs();
      slot = pollExpired();
    }
    set(slot, nowNs + RTO_NS);
    return slot;
  }

  /**
   * A packet whose acknowledgement is put off: a deadline that is sooner, comes, and is the timer's
   * again.
   */
  @Benchmark
  public long delayedAck() {
    nowNs += 4_000;
    set(turn, nowNs + ACK_DELAY_NS);
    turn = turn + 1 == connections ? 0 : turn + 1;
    return expireAll(RTO_NS);
  }

  /** A packet to a silent connection: its acknowledgement is due, and then nothing for minutes. */
  @Benchmark
  public long delayedAckOfIdle() {
    nowNs += 4_000;
    set(turn, nowNs + ACK_DELAY_NS);
    turn = turn + 1 == connections ? 0 : turn + 1;
    return expireAll(IDLE_NS);
  }

  private long expireAll(long nextNs) {
    for (int slot = pollExpired(); slot >= 0; slot = pollExpired()) {
      set(slot, nowNs + nextNs);
    }
    return nextDeadlineNs();
  }

  private int pollExpired() {
    return wheel != null ? wheel.pollExpired(nowNs) : heap.pollExpired(nowNs);
  }

  private long nextDeadlineNs() {
    return wheel != null ? wheel.nextDeadlineNs() : heap.nextDeadlineNs();
  }

  private void set(int slot, long deadlineNs) {
    if (wheel != null) {
      wheel.set(slot, deadlineNs, nowNs);
    } else {
      heap.set(slot, deadlineNs);
    }
  }
}
