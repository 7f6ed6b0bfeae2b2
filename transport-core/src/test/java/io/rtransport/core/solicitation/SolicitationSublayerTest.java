package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.window.RecordSource;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SolicitationSublayerTest {
  private final SolicitationPair.Settings settings = new SolicitationPair.Settings();

  @Test
  void shouldLeaveRoomForThePaddingRecordInThePacketsCount() {
    settings.datagramLength = 8_192;
    settings.outstandingMax = 300;
    settings.creditBytes = 64 << 10;
    SolicitationPair pair = new SolicitationPair(new SplittableRandom(1), settings);
    for (int i = 0; i < RecordSource.RECORDS_MAX + 1; i++) {
      assertThat(pair.left.application.submit(false, 0)).isTrue();
    }

    assertThat(pull(pair)).as("of 255, in room for more").isEqualTo(RecordSource.RECORDS_MAX);
    assertThat(pull(pair)).isEqualTo(1);
  }

  private static int pull(SolicitationPair pair) {
    ByteBuffer packet = ByteBuffer.allocate(8_192);
    pair.left.solicitation.pullRecords(WindowClass.DATA, 0, packet, 0, 8_000, pair.nowNs);
    return pair.left.solicitation.pulledRecordCount();
  }
}
