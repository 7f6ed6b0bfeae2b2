package io.rtransport.core.cam;

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
 * A window that slides through the table: each entry found, the oldest removed, the next inserted;
 * and what is not there looked up.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CamBenchmark {
  private static final int CID = 7;

  @Param({"256", "65536"})
  private int live;

  private ContentAddressableMemory cam;
  private int oldest;
  private int looked;

  /** Fills the table to half. */
  @Setup
  public void fill() {
    cam = new ContentAddressableMemory(live * 2, 1);
    for (int i = 0; i < live; i++) {
      cam.insert(CID, 0, i, i);
    }
    oldest = 0;
  }

  /** The oldest out, the next in. */
  @Benchmark
  public boolean removeAndInsert() {
    int slot = cam.remove(CID, 0, oldest);
    boolean isIn = cam.insert(CID, 0, oldest + live, slot);
    oldest++;
    return isIn;
  }

  /** One that is there. */
  @Benchmark
  public int lookup() {
    return cam.lookup(CID, 0, oldest + (looked++ & live - 1));
  }

  /** One that is not. */
  @Benchmark
  public int lookupMissing() {
    return cam.lookup(CID + 1, 0, looked++);
  }
}
