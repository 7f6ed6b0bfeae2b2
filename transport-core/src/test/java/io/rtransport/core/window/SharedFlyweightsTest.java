package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpTimer;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.congestion.Aimd;
import io.rtransport.core.parameter.Agreement;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.wire.PacketTools;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Connections of a loop write with the same flyweights: one at a time. */
class SharedFlyweightsTest {
  private static final int LENGTH_MAX = 1_408;

  private final PacketTools tools = new PacketTools();
  private final WindowSublayer first = window(1);
  private final WindowSublayer second = window(3);

  /** One record of 16 bytes a call; {@code meanwhile} is what the source does besides. */
  private record OneRecord(Runnable meanwhile) implements RecordsAlone {
    @Override
    public boolean hasRecords(WindowClass windowClass, long nowNs) {
      return windowClass == WindowClass.DATA;
    }

    @Override
    public int pullRecords(
        WindowClass windowClass, int psn, ByteBuffer to, int index, int limit, long nowNs) {
      if (windowClass != WindowClass.DATA || limit - index < 16) {
        return 0;
      }
      meanwhile.run();
      to.putInt(index, 16);
      return 16;
    }
  }

  @Test
  void shouldRefuseThatAPayloadSourceMakesAnotherConnectionTransmit() {
    assertThatThrownBy(() -> transmit(first, () -> transmit(second, () -> {})))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("made another connection of its event loop transmit");
  }

  @Test
  void shouldLetConnectionsTransmitOneAfterTheOther() {
    assertThat(transmit(first, () -> {})).isPositive();
    assertThat(transmit(second, () -> {})).isPositive();
  }

  @Test
  void shouldLetOthersTransmitAfterASourceHasThrown() {
    IllegalStateException thrown = new IllegalStateException("no bytes");
    assertThatThrownBy(
            () ->
                transmit(
                    first,
                    () -> {
                      throw thrown;
                    }))
        .isSameAs(thrown);
    assertThat(transmit(second, () -> {})).isPositive();
  }

  private static int transmit(WindowSublayer window, Runnable meanwhile) {
    PacketBurst out = new PacketBurst();
    window.pollTransmit(out, new OneRecord(meanwhile), 1, 0);
    return out.count();
  }

  private WindowSublayer window(int cid) {
    WindowConfig config =
        new WindowConfig(
            cid,
            cid + 1,
            9,
            new Agreement().datagramLengthBytes(LENGTH_MAX).ackDelayNsMax(1_000_000).make());
    RetransmissionEngine engine =
        new RetransmissionEngine(
            new ContentAddressableMemory(8_192, 1),
            new RetransmissionStore(
                ByteBuffer.allocateDirect(16 * RetransmissionStore.BLOCK_BYTES)));
    AdpTimer adp =
        new AdpTimer(BuiltInProfiles.LAN, AdpParameters.DEFAULT, new SplittableRandom(cid));
    Path path = new Path(0, adp, new Aimd(LENGTH_MAX), config.ringCapacityMax());
    return new WindowSublayer(
        config, engine, new ProbeBudget(), new Path[] {path}, tools, new Counters());
  }
}
