package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.PacketTools;
import io.rtransport.core.wire.RecordFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Packets of equal length, as far as there is room for them. */
class PacketRunTest {
  private static final int GUARD = 0x5A5A_5A5A;

  private final WindowConfig config = WindowFixture.config(1, 2, 64);
  private final ByteBuffer memory = ByteBuffer.allocate(2 * RetransmissionStore.BLOCK_BYTES);
  private PacketBuilder builder;

  @BeforeEach
  void makeBuilder() {
    RxWindow requests = new RxWindow(0, 64);
    RxWindow data = new RxWindow(0, 64);
    PacketTools tools = new PacketTools();
    AckScheduler acks = new AckScheduler(requests, data, 1_000_000, tools.writing().ack);
    builder = new PacketBuilder(config, memory, requests, data, acks, tools);
  }

  /** Fills whatever room it is given with one record. */
  private static final class Filling implements RecordsAlone {
    @Override
    public boolean hasRecords(WindowClass windowClass, long nowNs) {
      return true;
    }

    @Override
    public int pullRecords(
        WindowClass windowClass, int psn, ByteBuffer to, int index, int limit, long nowNs) {
      new RecordFlyweight().wrap(to, index).type(RecordType.PAD).flags(0).length(limit - index);
      to.putInt(limit - Integer.BYTES, 7);
      return limit - index;
    }
  }

  private int build(int psn, int offset) {
    return builder.build(WindowClass.DATA, psn, offset, new Filling(), 0, 0);
  }

  @Test
  void shouldEndARunOfPacketsLongerThanTheRoomForTheNext() {
    builder.packetLengthMax(60_000);
    assertThat(build(1, 0)).isEqualTo(60_000);
    assertThat(build(2, 0)).as("one more of the run").isEqualTo(60_000);
    int unit = RetransmissionStore.UNIT_BYTES;
    memory.putInt(2 * unit, GUARD);
    builder.packetLengthMax(unit);
    assertThat(build(3, unit)).isEqualTo(unit);
    assertThat(memory.getInt(2 * unit)).as("another packet's bytes").isEqualTo(GUARD);
    assertThat(new ClearHeaderFlyweight().wrap(memory, unit).length()).isEqualTo(unit);
  }

  @Test
  void shouldGoOnWithARunWhereThereIsMoreRoom() {
    builder.packetLengthMax(1_396);
    assertThat(build(1, 0)).isEqualTo(1_396);
    builder.packetLengthMax(8_180);
    assertThat(build(2, 1_396)).as("as the first of the run").isEqualTo(1_396);
    builder.endRun();
    assertThat(build(3, 2_792)).isEqualTo(8_180);
  }
}
