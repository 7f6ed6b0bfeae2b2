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
 * What the packets of windows cost the table: entered one by one, and taken out by words of an
 * acknowledgement or one by one.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CamWindowBenchmark {
  private static final int CAPACITY = 1 << 16;
  private static final int WORD = 64;

  /** Who send in turns; in flight are 1,024 packets of one, or 8 of each of 4,096. */
  @Param({"1", "4096"})
  private int connections;

  private final int[] removed = new int[WORD];
  private ContentAddressableMemory cam;
  private int window;
  private int turn;
  private int sequence;

  @Setup
  public void fill() {
    cam = new ContentAddressableMemory(CAPACITY, 1);
    window = connections == 1 ? 1_024 : 8;
    for (int cid = 0; cid < connections; cid++) {
      for (int i = 0; i < window; i++) {
        cam.insert(cid, 0, i, i);
      }
    }
    sequence = window;
  }

  /** One packet is sent, and the oldest acknowledged alone. */
  @Benchmark
  public int packet() {
    cam.insert(turn, 0, sequence, sequence & CAPACITY - 1);
    int slot = cam.remove(turn, 0, sequence - window);
    if (++turn == connections) {
      turn = 0;
      sequence++;
    }
    return slot;
  }

  /** 64 packets are sent and acknowledged by one word, beside those in flight. */
  @Benchmark
  public int[] word() {
    int cid = turn;
    turn = turn + 1 == connections ? 0 : turn + 1;
    sequence += turn == 0 ? WORD : 0;
    int first = sequence & -WORD;
    for (int i = 0; i < WORD; i++) {
      cam.insert(cid, 1, first + i, i);
    }
    cam.removeAll(cid, 1, first, -1, removed);
    return removed;
  }
}
