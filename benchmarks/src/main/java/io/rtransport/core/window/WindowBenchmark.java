package io.rtransport.core.window;

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
 * The two windows and the bitmap below them, 64 packets an operation: as many as one word of an
 * acknowledgement tells of.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class WindowBenchmark {
  private static final int PACKETS = 64;

  @Param("1024")
  private int window;

  private TxWindow tx;
  private RxWindow inOrder;
  private RxWindow late;
  private SequenceNumberBitmap bitmap;
  private int inOrderPsn;
  private int latePsn;
  private int bitmapPsn;

  /** Empty windows. */
  @Setup
  public void open() {
    tx = new TxWindow(0, window, window);
    inOrder = new RxWindow(0, window);
    late = new RxWindow(0, window);
    bitmap = new SequenceNumberBitmap(window, 0);
  }

  /** 64 packets sent and acknowledged by one word. */
  @Benchmark
  public int sendAndAcknowledge() {
    int word = tx.nsn();
    for (int i = 0; i < PACKETS; i++) {
      tx.take();
    }
    tx.acknowledge(word, -1L);
    tx.advance();
    return tx.unacknowledgedCount();
  }

  /** 64 packets in their order. */
  @Benchmark
  public int receiveInOrder() {
    for (int i = 0; i < PACKETS; i++) {
      inOrder.onPacket(inOrderPsn++);
    }
    return inOrder.base();
  }

  /** 64 packets whose first comes last, and the word that an acknowledgement says meanwhile. */
  @Benchmark
  public long receiveWithHole() {
    for (int i = 1; i < PACKETS; i++) {
      late.onPacket(latePsn + i);
    }
    long word = late.takeWord(late.firstWordOffset());
    late.onPacket(latePsn);
    latePsn += PACKETS;
    return word;
  }

  /** A word of 64 acknowledged packets set at once, and the base moved over it. */
  @Benchmark
  public int setAndAdvance() {
    bitmap.setBits(bitmapPsn, -1L);
    bitmapPsn += PACKETS;
    return bitmap.advance();
  }
}
