package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What waits for an earlier message and what does not: each test runs on an unordered connection,
 * and shows the ordered one beside it.
 */
class UnorderedConnectionTest {
  private static final int OUTSTANDING = 16;
  private static final long LONG = 4 << 20;

  private SolicitationPair pair;

  private void start(boolean isOrdered) {
    SolicitationPair.Settings settings = new SolicitationPair.Settings();
    settings.isOrdered = isOrdered;
    settings.outstandingMax = OUTSTANDING;
    settings.flightMax = 16;
    settings.aheadBytes = 64 << 10;
    pair = new SolicitationPair(new SplittableRandom(3), settings);
    pair.left.application.isPlain = true;
    pair.right.application.isPlain = true;
  }

  private Runnable loseFirst(boolean isPull, long length) {
    assertThat(pair.left.application.submit(isPull, length)).isTrue();
    pair.pump(pair.left);
    return pair.left.window.lose();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldDeliverAndEndWhatComesBehindALostFirstPacket(boolean isOrdered) {
    start(isOrdered);
    Runnable lost = loseFirst(false, 100);
    for (int i = 0; i < 5; i++) {
      pair.left.application.submit(false, 100);
      pair.left.application.submit(false, 20_000);
      pair.left.application.submit(true, 20_000);
    }
    pair.settle();
    assertThat(pair.right.application.delivered).isEqualTo(isOrdered ? 0 : 15);
    assertThat(pair.left.application.ended).isEqualTo(isOrdered ? 0 : 15);
    lost.run();
    pair.settle();
    assertThat(pair.right.application.delivered).isEqualTo(16);
    assertThat(pair.left.application.ended).isEqualTo(16);
    pair.checkAtRest();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGrantWhatComesBehindALostRequest(boolean isOrdered) {
    start(isOrdered);
    Runnable lost = loseFirst(false, 20_000);
    pair.left.application.submit(false, 30_000);
    pair.left.application.submit(false, 40_000);
    pair.settle();
    assertThat(pair.right.application.delivered).isEqualTo(isOrdered ? 0 : 2);
    lost.run();
    pair.settle();
    assertThat(pair.left.application.ended).isEqualTo(3);
    pair.checkAtRest();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldOpenWhatComesBehindOneThatWasPutOff(boolean isOrdered) {
    start(isOrdered);
    pair.right.application.openAnswer = ToyApplication.LATER;
    pair.left.application.submit(false, 20_000);
    pair.settle();
    pair.left.application.submit(false, 20_000);
    pair.settle();
    assertThat(pair.right.application.delivered).isEqualTo(isOrdered ? 0 : 1);
    assertThat(pair.left.application.ended).isEqualTo(isOrdered ? 0 : 1);
    pair.right
        .solicitation
        .sinks()
        .retryOpen(Integer.toUnsignedLong(pair.left.application.firstRsn));
    pair.settle();
    assertThat(pair.right.application.delivered).isEqualTo(2);
    pair.right
        .transactions
        .inbound()
        .acknowledge(
            Integer.toUnsignedLong(pair.left.application.firstRsn)); // as one that was put off
    pair.settle();
    assertThat(pair.left.application.ended).isEqualTo(2);
    pair.checkAtRest();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldAskAgainForAllThatWasPutOffAndForNothingElse(boolean isOrdered) {
    start(isOrdered);
    List<Long> asked = new ArrayList<>();
    long[] answer = {ToyApplication.LATER};
    pair.right.application.onOpen =
        rsn -> {
          asked.add(rsn);
          pair.right.application.openAnswer = answer[0];
        };
    for (int i = 0; i < 4; i++) {
      pair.left.application.submit(false, 100);
      pair.left.application.submit(false, 3_000);
      pair.left.application.submit(false, 20_000);
    }
    pair.settle();
    // With order the first of the solicited ones holds up the other three.
    int putOff = isOrdered ? 9 : 12;
    assertThat(asked).hasSize(putOff).doesNotHaveDuplicates();
    pair.right.solicitation.sinks().retryOpen();
    pair.settle();
    assertThat(asked).hasSize(2 * putOff);
    assertThat(pair.right.application.delivered).isZero();
    answer[0] = 0;
    asked.clear();
    pair.right.solicitation.sinks().retryOpen();
    pair.settle();
    assertThat(asked).hasSize(12).doesNotHaveDuplicates();
    assertThat(pair.right.application.delivered).isEqualTo(12);
    pair.right.solicitation.sinks().retryOpen();
    pair.settle();
    assertThat(asked).hasSize(12);
    asked.forEach(pair.right.transactions.inbound()::acknowledge);
    pair.settle();
    assertThat(pair.left.application.ended).isEqualTo(12);
    pair.checkAtRest();
  }

  /**
   * Rounds until the first of the transactions has ended, while there are always some short ones
   * behind it; a round is ten packets.
   */
  private int roundsUntilTheLongOneEnds(boolean isPull) {
    start(false);
    assertThat(pair.left.application.submit(isPull, LONG)).isTrue();
    int shorts = 0;
    int rounds = 0;
    while (!pair.left.application.submitted.get(0).isEnded) {
      while (pair.left.application.submitted.size() - pair.left.application.ended < OUTSTANDING) {
        shorts += pair.left.application.submit(isPull, 20_000) ? 1 : 0;
      }
      for (SolicitationPair.End end : new SolicitationPair.End[] {pair.left, pair.right}) {
        pair.pump(end);
        pair.deliver(pair.other(end), 10, true);
        end.window.acknowledge(end.solicitation, pair.nowNs);
        pair.timeouts(end);
      }
      assertThat(rounds++).as("starves; %s short ones", shorts).isLessThan(100_000);
    }
    assertThat(shorts).isGreaterThan(100);
    return rounds;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndALongMessageAmongShortOnesWithoutEnd(boolean isPull) {
    int aloneRounds = (int) (LONG / (10 * 1_300));
    int rounds = roundsUntilTheLongOneEnds(isPull);
    // One grant in eight, which is longer than a short one's, and one byte in eight are its own.
    assertThat(rounds).isBetween(3 * aloneRounds / 2, 16 * aloneRounds);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGoOnBesideAPullThatIsNotAnsweredLongerThanTheWindowIsWide(boolean isOrdered) {
    start(isOrdered);
    pair.right.application.isMute = true;
    pair.left.application.submit(true, 100);
    int submitted = 1;
    for (int i = 0; i < 10 * OUTSTANDING; i++) {
      submitted += pair.left.application.submit(false, 100) ? 1 : 0;
      pair.settle();
    }
    assertThat(submitted).isEqualTo(isOrdered ? OUTSTANDING : 1 + 10 * OUTSTANDING);
    assertThat(pair.left.application.ended).isEqualTo(isOrdered ? 0 : 10 * OUTSTANDING);
    assertThat(pair.left.transactions.submittable()).isEqualTo(isOrdered ? 0 : OUTSTANDING - 1);
  }

  @Test
  void shouldTellOfTheOnePlaceThatLongPollsLeave() {
    start(false);
    pair.right.application.isMute = true;
    for (int i = 0; i < OUTSTANDING - 1; i++) {
      assertThat(pair.left.application.submit(true, 100)).isTrue();
    }
    assertThat(pair.left.application.submit(false, 100)).isTrue();
    assertThat(pair.left.application.submit(false, 100)).isFalse();
    pair.settle();
    assertThat(pair.left.transactions.submittable()).isOne();
    assertThat(pair.left.application.submittables).isOne();
  }
}
