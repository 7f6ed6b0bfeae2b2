package io.rtransport.core.wire;

import io.rtransport.core.stats.CounterId;
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
 * A packet with one small push in it, or one that fills it: written, checked as the door checks it,
 * and its checksum alone.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class WireBenchmark {
  private static final int RECORD_OFFSET = NumberedHeaderFlyweight.HEADER_LENGTH;

  @Param({"64", "1344"})
  private int payloadBytes;

  private final Integrity integrity = new Integrity();
  private final PacketValidator validator = new PacketValidator(integrity);
  private final ClearHeaderFlyweight clear = new ClearHeaderFlyweight();
  private final NumberedHeaderFlyweight header = new NumberedHeaderFlyweight();
  private final PushUnsolicitedDataFlyweight record = new PushUnsolicitedDataFlyweight();
  private final ByteBuffer out = ByteBuffer.allocateDirect(2_048);
  private final ByteBuffer in = ByteBuffer.allocateDirect(2_048);
  private byte[] payload;
  private int length;
  private int psn;

  /**
   * Writes the packet that is read; a packet that the door refused would make every figure
   * meaningless.
   */
  @Setup
  public void writeOne() {
    payload = new byte[payloadBytes];
    length = write(in);
    CounterId fault = validator.validate(in, 0, length);
    if (fault != null) {
      throw new IllegalStateException("the packet is refused: " + fault);
    }
  }

  private int write(ByteBuffer to) {
    record.wrapNew(to, RECORD_OFFSET, PushUnsolicitedDataFlyweight.FLAG_WHOLE).rsn(psn);
    record.payloadLength(payloadBytes);
    to.put(record.payloadOffset(), payload);
    int packetLength = RECORD_OFFSET + record.length() + Integrity.TRAILER_LENGTH;
    header
        .wrap(to, 0)
        .flags(0)
        .psn(psn++)
        .requestAckBase(0)
        .dataAckBase(0)
        .recordCount(1)
        .reserved(0);
    clear
        .wrap(to, 0)
        .version(ClearHeaderFlyweight.VERSION)
        .typeAndFlags(PacketType.DATA)
        .length(packetLength)
        .destinationCid(1)
        .cookie(9);
    integrity.seal(to, 0, packetLength);
    return packetLength;
  }

  /** Header, record, payload, checksum. */
  @Benchmark
  public int encode() {
    return write(out);
  }

  /** Every check that needs no connection, the checksum among them. */
  @Benchmark
  public CounterId check() {
    return validator.validate(in, 0, length);
  }

  /** CRC-32C of the packet. */
  @Benchmark
  public int checksum() {
    return integrity.checksum(in, 0, length);
  }
}
