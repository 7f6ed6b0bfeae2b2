package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.CounterId;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Which way a push goes is decided when the burst before it has left. */
class AdmissionTest {
  private static final int PUSHES = 5;
  private static final int LENGTH_BYTES = 4_000;
  private static final int COST_BYTES =
      (int) Credit.costBytes(LENGTH_BYTES, ToyApplication.HEADER_LENGTH);

  /** Packets of one push: no more leave before the first are acknowledged. */
  private static final int PACKETS = 3;

  @Test
  void shouldAdmitNoMoreThanTheNextBurstCarries() {
    // The packet that ends the first push looks for a second to fill it.
    assertThat(asked(256, 0)).as("one by one").isEqualTo(PUSHES - 2);
    assertThat(asked(256, 2 * COST_BYTES)).as("just two").isEqualTo(PUSHES - 2);
    assertThat(asked(256, 2 * COST_BYTES + 1)).as("part of a third").isEqualTo(PUSHES - 3);
  }

  @Test
  void shouldAdmitWhatCreditCoversWhereTheLevelIsNotSet() {
    assertThat(asked(8 << 10, 0)).isZero();
  }

  /** How many of five pushes ask on a path that is congested once the first has left. */
  private static long asked(int levelBytes, long roomBytes) {
    SolicitationPair.Settings settings = new SolicitationPair.Settings();
    settings.flightMax = PACKETS;
    settings.congestedThreshold = levelBytes;
    SolicitationPair pair = new SolicitationPair(new SplittableRandom(1), settings);
    pair.left.application.isPlain = true;
    pair.right.application.isPlain = true;
    pair.left.roomBytes = roomBytes;
    for (int i = 0; i < PUSHES; i++) {
      assertThat(pair.left.application.submit(false, LENGTH_BYTES)).isTrue();
    }
    assertThat(pair.pump(pair.left)).isEqualTo(PACKETS);
    pair.left.isCongested = true;
    pair.settle();
    pair.checkAtRest();
    return pair.left.counters.value(CounterId.REQUESTS_SOLICITED);
  }
}
