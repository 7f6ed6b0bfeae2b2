package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.CloseCode;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an application says of a message from inside the call that shows it. */
class VerbsInsideUpcallsTest {
  private SolicitationPair pair;

  @BeforeEach
  void start() {
    pair = new SolicitationPair(new SplittableRandom(3), new SolicitationPair.Settings());
    pair.left.application.isPlain = true;
    pair.right.application.isPlain = true;
  }

  private void pullAndEndUnknown(int length) {
    pair.left.application.isEnding = true; // ends otherwise than it would
    pair.left.application.submit(true, length);
    pair.settle();
    assertThat(pair.left.application.outcomes)
        .containsExactly("UNKNOWN " + CloseCode.CANCELLED.code());
    assertThat(pair.left.application.broken).as("sinks that heard so").isOne();
    pair.checkAtRest();
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 20_000, 200_000})
  void shouldGiveBackWhatAPullHoldsThatIsCancelledFromInsideOpen(int length) {
    pair.left.application.onOpen = rsn -> pair.left.transactions.cancel(rsn);
    pullAndEndUnknown(length);
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 20_000, 200_000})
  void shouldEndAPullAsCancelledThatIsSoFromInsideWrite(int length) {
    pair.left.application.onWrite = rsn -> pair.left.transactions.cancel(rsn);
    pullAndEndUnknown(length);
  }

  @Test
  void shouldAskAgainForWhatIsPutOffInsideTheCallThatAsksAgainForAll() {
    pair.right.application.openAnswer = ToyApplication.LATER;
    int[] asked = {0};
    pair.right.application.onOpen =
        rsn -> {
          if (asked[0]++ == 0) {
            pair.right.solicitation.sinks().retryOpen();
          }
        };
    assertThat(pair.left.application.submit(false, 100)).isTrue();
    pair.settle();
    assertThat(asked[0]).isEqualTo(2);
    assertThat(pair.right.application.delivered).isOne();
  }

  @Test
  void shouldWriteNoMoreOfAHeldMessageThatIsFailedFromInsideWrite() {
    pair.right.application.openAnswer = ToyApplication.LATER;
    assertThat(pair.left.application.submit(false, 5_000)).isTrue();
    pair.pump(pair.left);
    pair.deliver(pair.right, 1, true);
    pair.left.window.lose();
    pair.deliver(pair.right, 9, true);
    int[] writes = new int[1];
    pair.right.application.onWrite =
        rsn -> {
          writes[0]++;
          pair.right.transactions.inbound().fail(rsn, 9, "");
        };
    pair.right
        .solicitation
        .sinks()
        .retryOpen(Integer.toUnsignedLong(pair.left.application.firstRsn));
    pair.timeouts(pair.right);
    assertThat(writes[0]).isOne();
  }
}
