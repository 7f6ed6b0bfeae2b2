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

/** Near deadlines, more than a tick has places for, beside idle connections' far ones. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class FarDeadlinesBenchmark {
  private static final int NEAR = 100;

  /** So far that none is due while this runs. */
  private static final long FAR_TURNS = 1L << 30;

  private static final long NEAR_NS = DeadlineWheel.TURN_NS / 2;

  @Param({"0", "10000"})
  private int idle;

  private final DeadlineWheel wheel = new DeadlineWheel();
  private long nowNs;

  /** The idle ones' deadlines are in one tick, if turns are not told apart. */
  @Setup
  public void arm() {
    for (int i = 0; i < idle; i++) {
      wheel.set(NEAR + i, (FAR_TURNS + i) * DeadlineWheel.TURN_NS + NEAR_NS, nowNs);
    }
  }

  /** A turn: 100 connections' deadlines are set for one tick, and expire. */
  @Benchmark
  public int burst() {
    for (int i = 0; i < NEAR; i++) {
      wheel.set(i, nowNs + NEAR_NS, nowNs);
    }
    nowNs += DeadlineWheel.TURN_NS;
    int expired = 0;
    while (wheel.pollExpired(nowNs) >= 0) {
      expired++;
    }
    return expired;
  }
}
