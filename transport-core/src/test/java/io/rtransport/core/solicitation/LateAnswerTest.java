package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Small pushes that the application has and answers later, in order or not. */
class LateAnswerTest {
  private static final int RSN = -7;
  private static final int COUNT = 20; // past the wrap of RSNs

  private final SolicitationPair pair =
      new SolicitationPair(new SplittableRandom(1), new SolicitationPair.Settings());

  LateAnswerTest() {
    pair.left.application.isPlain = true;
    pair.left.application.isEnding = true;
    pair.right.application.isPlain = true;
    pair.right.application.isSilent = true;
    pair.right.solicitation.wholeLengthMax(1_000);
    for (int i = 0; i < COUNT; i++) {
      pair.left.application.submit(false, 10 + i);
    }
    pair.settle();
    assertThat(pair.right.application.delivered).isEqualTo(COUNT);
    assertThat(ended()).isZero();
    assertThat(pair.right.transactions.peers().size()).isEqualTo(COUNT);
    assertThat(pair.resources.transactions().inUse()).as("no transaction is kept").isZero();
    assertThat(pair.right.solicitation.creditUsedBytes()).isEqualTo(20 * 10 + 190);
  }

  private int ended() {
    return pair.left.application.ended;
  }

  private void acknowledge(int index) {
    pair.right.transactions.inbound().acknowledge(Integer.toUnsignedLong(RSN + index));
  }

  private void assertAllCompleted() {
    pair.settle();
    assertThat(pair.left.application.outcomes).hasSize(COUNT).containsOnly("COMPLETED 0");
    pair.checkAtRest();
  }

  @Test
  void shouldEndInOrderAndKeepNothing() {
    for (int i = 0; i < COUNT; i++) {
      acknowledge(i);
      assertThat(pair.resources.transactions().inUse()).isZero();
      pair.settle();
      assertThat(ended()).isEqualTo(i + 1);
    }
    assertAllCompleted();
  }

  @Test
  void shouldEndByOneAcknowledgementOfARun() {
    pair.right.transactions.inbound().acknowledge(Integer.toUnsignedLong(RSN), COUNT - 1);
    pair.settle();
    assertThat(ended()).isEqualTo(COUNT - 1);
    pair.right.transactions.inbound().acknowledge(Integer.toUnsignedLong(RSN), COUNT);
    assertAllCompleted();
  }

  @Test
  void shouldEndInAnyOrder() {
    for (int seed = 1; seed <= 50; seed++) {
      LateAnswerTest fresh = new LateAnswerTest();
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < COUNT; i++) {
        order.add(i);
      }
      Random random = new Random(seed);
      Collections.shuffle(order, random);
      for (int index : order) {
        fresh.acknowledge(index);
        fresh.acknowledge(index); // of several answers the first counts
        if (random.nextBoolean()) {
          fresh.pair.settle();
        }
      }
      fresh.assertAllCompleted();
    }
  }

  @Test
  void shouldFailLaterAndLetTheOthersComplete() {
    pair.right.transactions.inbound().fail(Integer.toUnsignedLong(RSN + 3), 77, "no");
    pair.settle();
    acknowledge(3);
    for (int i = 0; i < COUNT; i++) {
      acknowledge(i);
    }
    pair.settle();
    assertThat(pair.left.application.outcomes).hasSize(COUNT);
    assertThat(pair.left.application.outcomes.get(3)).isEqualTo("FAILED 77");
    assertThat(pair.left.application.outcomes.stream().filter("COMPLETED 0"::equals))
        .hasSize(COUNT - 1);
    pair.checkAtRest();
  }

  @Test
  void shouldGiveCreditBackForBytesThatAreTakenBeforeTheAnswer() {
    long before = pair.right.solicitation.creditUsedBytes();
    pair.right.solicitation.sinks().taken(Integer.toUnsignedLong(RSN), 4);
    assertThat(pair.right.solicitation.creditUsedBytes()).isEqualTo(before - 4);
    pair.right.solicitation.sinks().taken(Integer.toUnsignedLong(RSN), 100);
    assertThat(pair.right.solicitation.creditUsedBytes()).isEqualTo(before - 10);
    for (int i = 0; i < COUNT; i++) {
      acknowledge(i);
    }
    assertAllCompleted();
  }

  @Test
  void shouldIgnoreACancelOfWhatTheApplicationHas() {
    pair.left.transactions.cancel(Integer.toUnsignedLong(RSN + 5));
    pair.settle();
    for (int i = 0; i < COUNT; i++) {
      acknowledge(i);
    }
    assertAllCompleted();
  }

  @Test
  void shouldGiveAllBackAtTheEndOfTheConnection() {
    acknowledge(0);
    pair.right.endAll(2, "gone");
    pair.left.endAll(2, "gone");
    acknowledge(1);
    assertThat(pair.right.transactions.peers().size()).isZero();
    pair.checkReleased();
  }
}
