package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.wire.PullDataFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The answer to the oldest pull can always go on, whatever the pulls behind it hold: on an ordered
 * connection they hold it until the oldest has ended, so a wait of it for them would never end.
 */
class OldestPullTest {
  private static final int KIB = 1 << 10;
  private static final int PIECE = 1_000;

  @Test
  void shouldGrantTheOldestAnswerThoughManyPullsBehindItAreNotAnswered() {
    SolicitationPair.Settings settings = new SolicitationPair.Settings();
    settings.aheadBytes = 256 * KIB;
    assertThat(grantsAfterThePullsBehindReserved(settings, 8)).isEqualTo(1);
  }

  @Test
  void shouldGrantTheOldestAnswerThoughThePullsBehindItHoldTheirWholePartOfTheBudget() {
    SolicitationPair.Settings settings = new SolicitationPair.Settings();
    settings.budgetBytes = 512 * KIB;
    assertThat(grantsAfterThePullsBehindReserved(settings, 3)).isEqualTo(1);
  }

  private static long grantsAfterThePullsBehindReserved(
      SolicitationPair.Settings settings, int behind) {
    SolicitationPair pair = new SolicitationPair(new Random(1), settings);
    pair.left.application.isPlain = true;
    ScriptedPeer peer = new ScriptedPeer(pair.left);
    pair.left.application.submit(true, 200 * KIB);
    for (int i = 0; i < behind; i++) {
      pair.left.application.submit(true, 64 * KIB);
    }
    assertThat(peer.pull(WindowClass.REQUEST)).as("pulls that were asked for").hasSize(behind + 1);
    peer.send(WindowClass.DATA, answer(settings.firstRsn, 200 * KIB));
    return peer.pull(WindowClass.DATA).stream()
        .filter(r -> r.get(0) == RecordType.PULL_GRANT)
        .count();
  }

  private static ByteBuffer answer(int rsn, long total) {
    ByteBuffer record = ByteBuffer.allocate(PIECE + 64);
    PullDataFlyweight data = new PullDataFlyweight().wrapNew(record, 0, 0);
    data.rsn(rsn).offset(0).total(total);
    for (int i = 0; i < PIECE; i++) {
      record.put(data.payloadOffset() + i, ToyApplication.contentAt(0, true, i));
    }
    data.payloadLength(PIECE);
    return record;
  }
}
