package io.rtransport.core.adp;

import java.util.SplittableRandom;
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

/**
 * The retransmission timer: what an acknowledgement costs it, and a row of timeouts that progress
 * ends.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class AdpBenchmark {
  private static final int TIMEOUTS = 4;

  @Param({"lan", "lossy"})
  private String profile;

  private AdpTimer timer;

  /** A timer that has not expired yet. */
  @Setup
  public void open() {
    timer =
        new AdpTimer(
            BuiltInProfiles.byName(profile), AdpParameters.DEFAULT, new SplittableRandom(1));
  }

  /** Progress, and the timeout that is armed then. */
  @Benchmark
  public long progressAndArm() {
    timer.onProgress();
    return timer.timeoutNs(1_000_000);
  }

  /** Four timeouts in a row, then progress. */
  @Benchmark
  public long timeoutsAndProgress() {
    long sum = 0;
    for (int i = 0; i < TIMEOUTS; i++) {
      sum += timer.timeoutNs(1_000_000);
      timer.onTimeout();
    }
    timer.onProgress();
    return sum;
  }
}
