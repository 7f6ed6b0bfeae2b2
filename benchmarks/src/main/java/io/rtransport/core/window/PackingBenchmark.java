package io.rtransport.core.window;

import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.CommonParameters;
import io.rtransport.core.parameter.DirectionParameters;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.wire.PacketTools;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
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
 * One packet of 1,408 bytes packed as full as messages of a length make it, copied and sealed: what
 * an operation costs, all its messages do.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PackingBenchmark {
  private static final int PACKET_BYTES = 1_408;
  private static final int SLOTS = 512;

  @Param({"64", "1024"})
  private int messageBytes;

  private final ByteBuffer memory = ByteBuffer.allocateDirect(SLOTS * PACKET_BYTES);
  private PacketBuilder builder;
  private Messages messages;
  private int psn;

  /** A source that never ends, below a builder as a connection has it. */
  @Setup
  public void open() {
    CommonParameters both = new CommonParameters(true, PACKET_BYTES, 1_024, 8_192, 512, 0, 0);
    DirectionParameters way =
        new DirectionParameters(256, 1_024, PACKET_BYTES, 16_384, 1 << 30, 1_000_000, 0);
    InitialNumbers numbers = new InitialNumbers(0, 0, 0, 0);
    AgreedParameters agreed = new AgreedParameters(both, way, way, numbers, numbers);
    WindowConfig config = new WindowConfig(1, 2, 9, agreed);
    RxWindow requests = new RxWindow(0, 256);
    RxWindow data = new RxWindow(0, 1_024);
    PacketTools tools = new PacketTools();
    AckScheduler acks = new AckScheduler(requests, data, 1_000_000, tools.writing().ack);
    builder = new PacketBuilder(config, memory, requests, data, acks, tools);
    messages = new Messages(messageBytes);
    if (pack() < PACKET_BYTES / 2) {
      throw new IllegalStateException("the packet is not packed");
    }
  }

  /** Fills, closes and seals the next packet of the store. */
  @Benchmark
  public int pack() {
    int offset = psn % SLOTS * PACKET_BYTES;
    int length = builder.build(WindowClass.DATA, psn++, offset, messages, 50_000, 0);
    builder.seal(offset, length);
    builder.endRun();
    return length;
  }

  /** Messages of one length, as many as there is room for. */
  private static final class Messages implements RecordSource {
    private final PushUnsolicitedDataFlyweight record = new PushUnsolicitedDataFlyweight();
    private final byte[] payload;
    private int rsn;
    private int count;

    Messages(int lengthBytes) {
      payload = new byte[lengthBytes];
    }

    @Override
    public boolean hasRecords(WindowClass windowClass, long nowNs) {
      return true;
    }

    @Override
    public int pullRecords(
        WindowClass windowClass, int psn, ByteBuffer to, int index, int limit, long nowNs) {
      count = 0;
      int at = index;
      int needed = PushUnsolicitedDataFlyweight.FIXED_LENGTH + payload.length;
      while (at + needed <= limit && count < RECORDS_MAX) {
        record.wrapNew(to, at, PushUnsolicitedDataFlyweight.FLAG_WHOLE).rsn(rsn++);
        record.payloadLength(payload.length);
        to.put(record.payloadOffset(), payload);
        at += needed;
        count++;
      }
      return at - index;
    }

    @Override
    public int pulledRecordCount() {
      return count;
    }

    @Override
    public int completedRsnHint() {
      return 0;
    }

    @Override
    public long creditLimitBytes() {
      return 1 << 20;
    }

    @Override
    public void onAcknowledged(AcknowledgementView view, long nowNs) {
      // Nothing waits for it.
    }
  }
}
