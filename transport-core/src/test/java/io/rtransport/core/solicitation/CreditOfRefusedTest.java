package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * What a peer is charged for a push that is refused comes back to the byte, in whatever order its
 * pieces come.
 */
class CreditOfRefusedTest {
  private static final long RSN = -7 & 0xFFFF_FFFFL;
  private static final int LENGTH = 4_000;

  private final SolicitationPair pair =
      new SolicitationPair(new SplittableRandom(3), new SolicitationPair.Settings());
  private final ScriptedPeer target = new ScriptedPeer(pair.left);
  private final List<ByteBuffer> pieces;

  CreditOfRefusedTest() {
    pair.left.application.isPlain = true;
    pair.right.application.isPlain = true;
    pair.right.application.submit(false, LENGTH);
    pieces = new ScriptedPeer(pair.right).pull(WindowClass.DATA);
    assertThat(pieces).hasSizeGreaterThan(2);
  }

  private void arrive(int piece) {
    target.send(WindowClass.DATA, pieces.get(piece));
  }

  private void assertChargedAndReturnedToTheByte() {
    assertThat(pair.left.solicitation.creditChargedBytes())
        .isEqualTo(Credit.costBytes(LENGTH, ToyApplication.HEADER_LENGTH));
    assertThat(pair.left.solicitation.creditUsedBytes()).isZero();
    assertThat(pair.resources.holding().inUseBytes()).isZero();
  }

  private List<ByteBuffer> errors() {
    return target.pull().stream().filter(r -> r.get(0) == RecordType.COMPLETE_IN_ERROR).toList();
  }

  @Test
  void shouldChargeTheHeaderOfARefusedPushThatComesLast() {
    pair.left.solicitation.refuseNew();
    for (int i = pieces.size() - 1; i > 0; i--) {
      arrive(i);
    }
    assertThat(pair.resources.holding().inUseBytes()).as("what nobody will read").isZero();
    assertThat(errors()).isEmpty();
    target.acknowledgeAll();
    arrive(0);
    assertThat(errors()).hasSize(1);
    assertChargedAndReturnedToTheByte();
    target.acknowledgeAll();
    assertThat(pair.left.transactions.peers().size()).isZero();
  }

  @Test
  void shouldChargeARefusedPushWhoseHeaderComesFirst() {
    pair.left.solicitation.refuseNew();
    arrive(0);
    assertThat(errors()).hasSize(1);
    target.acknowledgeAll();
    arrive(1);
    assertChargedAndReturnedToTheByte();
  }

  @Test
  void shouldTakeAPushThatHadBegunBeforeNewOnesWereRefused() {
    arrive(1);
    pair.left.solicitation.refuseNew();
    arrive(0);
    for (int i = 2; i < pieces.size(); i++) {
      arrive(i);
    }
    assertThat(pair.left.application.delivered).isEqualTo(1);
    assertChargedAndReturnedToTheByte();
  }

  @Test
  void shouldNotLetTheApplicationFailAPushOfWhichItNeverHeard() {
    arrive(1);
    pair.left.transactions.inbound().fail(RSN, 77, "no");
    assertThat(errors()).isEmpty();
    arrive(0);
    for (int i = 2; i < pieces.size(); i++) {
      arrive(i);
    }
    assertThat(pair.left.application.delivered).isEqualTo(1);
    assertChargedAndReturnedToTheByte();
  }
}
