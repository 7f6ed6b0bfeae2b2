package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.wire.PushGrantFlyweight;
import io.rtransport.core.wire.PushSolicitedRequestFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The order of solicited pushes goes on over those that were refused, whenever that was. */
class SolicitedOrderTest {
  private static final int RSN = -7;
  private static final int SSN = -2;

  private final SolicitationPair pair =
      new SolicitationPair(new SplittableRandom(1), new SolicitationPair.Settings());
  private final ScriptedPeer peer = new ScriptedPeer(pair.left);

  SolicitedOrderTest() {
    pair.left.application.isPlain = true;
  }

  private void request(int rsn, int ssn) {
    ByteBuffer record =
        peer.record(PushSolicitedRequestFlyweight.FIXED_LENGTH + ToyApplication.HEADER_LENGTH);
    PushSolicitedRequestFlyweight request = new PushSolicitedRequestFlyweight().wrapNew(record, 0);
    request.rsn(rsn).ssn(ssn).messageLength(10_000).headerLength(ToyApplication.HEADER_LENGTH);
    record.putLong(request.headerOffset(), rsn - RSN).putInt(request.headerOffset() + 8, 10_000);
    peer.send(WindowClass.REQUEST, record);
  }

  private void fail(int rsn) {
    pair.left.transactions.inbound().fail(Integer.toUnsignedLong(rsn), 77, "no");
    peer.pull();
    peer.acknowledgeAll();
    peer.send(WindowClass.DATA, peer.record(4).put(2, (byte) 0).put(3, (byte) 4)); // what is due
  }

  private List<Integer> granted() {
    List<Integer> rsns = new ArrayList<>();
    for (ByteBuffer record : peer.pull()) {
      if (record.get(0) == RecordType.PUSH_GRANT) {
        rsns.add(new PushGrantFlyweight().wrap(record, 0).rsn());
      }
    }
    return rsns;
  }

  @Test
  void shouldGoOnOverOneThatFailedWhileItWasPutOff() {
    pair.left.application.openAnswer = ToyApplication.LATER;
    request(RSN, SSN);
    request(RSN + 1, SSN + 1);
    assertThat(granted()).as("held up").isEmpty();
    fail(RSN);
    assertThat(granted()).containsExactly(RSN + 1);
    assertThat(pair.left.transactions.peers().size()).isEqualTo(1);
  }

  @Test
  void shouldGoOnOverOneThatFailedBehindOneThatWasPutOff() {
    pair.left.application.openAnswer = ToyApplication.LATER;
    request(RSN, SSN);
    request(RSN + 1, SSN + 1);
    request(RSN + 2, SSN + 2);
    fail(RSN + 1);
    assertThat(granted()).as("held up").isEmpty();
    fail(RSN);
    assertThat(granted()).containsExactly(RSN + 2);
    assertThat(pair.left.transactions.peers().size()).isEqualTo(1);
  }

  /**
   * The verb left the order to the next turn, and before that came its error was acknowledged and
   * its RSN's turn passed.
   */
  @Test
  void shouldGoOnOverOneThatWasPutOffAndIsOverBeforeTheOrderIsLookedAt() {
    pair.right.application.submit(false, 10);
    pair.right.application.submit(false, 10_000);
    pair.right.application.submit(false, 10_000);
    ScriptedPeer right = new ScriptedPeer(pair.right);
    List<ByteBuffer> requests = right.pull(WindowClass.REQUEST);
    pair.left.application.openAnswer = ToyApplication.LATER;
    requests.forEach(record -> peer.send(WindowClass.REQUEST, record));
    pair.left.transactions.inbound().fail(Integer.toUnsignedLong(RSN + 1), 77, "no");
    assertThat(granted()).isEmpty();
    peer.acknowledgeAll();
    peer.send(WindowClass.DATA, right.pull(WindowClass.DATA).get(0));

    assertThat(pair.left.application.delivered).isEqualTo(1);
    assertThat(granted()).containsExactly(RSN + 2);
    assertThat(pair.left.transactions.peers().size()).isEqualTo(1);
  }

  /**
   * No correct peer numbers them so, but the order must not hang on what was over before its turn.
   */
  @Test
  void shouldGoOnOverOneThatWasOverBeforeItsTurn() {
    request(RSN, SSN + 1);
    fail(RSN);
    request(RSN + 1, SSN);
    request(RSN + 2, SSN + 2);
    assertThat(granted()).containsExactly(RSN + 1, RSN + 2);
    assertThat(pair.left.transactions.peers().size()).isEqualTo(2);
    assertThat(pair.resources.reorderTable().size()).isZero();
  }

  @Test
  void shouldNotTakeTheSsnOfOneThatIsOverASecondTime() {
    request(RSN, SSN + 1);
    fail(RSN);
    request(RSN + 1, SSN + 1);
    assertThat(pair.left.solicitation.failure()).contains("ssn=4294967295 was used");
  }
}
