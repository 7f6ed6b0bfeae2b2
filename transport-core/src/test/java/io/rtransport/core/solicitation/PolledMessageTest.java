package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * What the application may answer to a small push before it polls again, while there is no
 * transaction.
 */
class PolledMessageTest {
  private static final long RSN = -7 & 0xFFFF_FFFFL;

  private final SolicitationPair pair =
      new SolicitationPair(new SplittableRandom(1), new SolicitationPair.Settings());
  private final ToyApplication target = pair.right.application;

  PolledMessageTest() {
    pair.left.application.isPlain = true;
    pair.left.application.isEnding = true;
    target.isPlain = true;
  }

  private void pushTwo() {
    pair.left.application.submit(false, 10);
    pair.left.application.submit(false, 20);
    pair.settle();
  }

  private void fail(long rsn) {
    if (rsn == RSN) {
      pair.right.transactions.inbound().fail(rsn, 77, "no");
    }
  }

  private void assertFirstFailedAndSecondDelivered() {
    assertThat(pair.left.application.outcomes).containsExactly("FAILED 77", "COMPLETED 0");
    assertThat(target.delivered).isEqualTo(1);
    pair.checkAtRest();
  }

  @Test
  void shouldTakeAFailureFromInsideOpen() {
    target.onOpen = this::fail;
    pushTwo();
    assertFirstFailedAndSecondDelivered();
  }

  @Test
  void shouldTakeAFailureFromInsideAnOpenThatPutsTheMessageOff() {
    target.onOpen = this::fail;
    target.openAnswer = ToyApplication.LATER;
    pushTwo();
    assertFirstFailedAndSecondDelivered();
  }

  @Test
  void shouldTakeAFailureFromInsideWrite() {
    target.onWrite = this::fail;
    pushTwo();
    assertFirstFailedAndSecondDelivered();
  }

  @Test
  void shouldNotTakeAnAcknowledgementOfWhatWasNotDelivered() {
    target.onOpen = rsn -> pair.right.transactions.inbound().acknowledge(rsn);
    target.onWrite = rsn -> pair.right.transactions.inbound().acknowledge(rsn);
    target.isSilent = true;
    pushTwo();
    assertThat(target.delivered).isEqualTo(2);
    assertThat(pair.left.application.ended).isZero();
    pair.right.transactions.inbound().acknowledge(RSN);
    pair.settle();
    assertThat(pair.left.application.ended).isEqualTo(1);
  }

  @Test
  void shouldCountBytesThatTheSinkTookInsideWrite() {
    target.bytesLeft = 4;
    target.onWrite = rsn -> pair.right.solicitation.sinks().taken(rsn, 4);
    target.isSilent = true;
    pushTwo();
    assertThat(target.delivered).isEqualTo(2);
    assertThat(pair.right.solicitation.creditUsedBytes()).isZero();
  }
}
