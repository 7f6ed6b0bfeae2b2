package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.GoodputWorld.Attack;
import io.rtransport.core.proof.ProofShare;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What an honest connection keeps beside each attack, packet cost counted: the host can do so many
 * packets a second, received and sent; the honest client asks for about half of it, a fifth as many
 * hostile packets come in, and each answer that they provoke costs as much again.
 */
class HonestGoodputTest {
  private static final long SHORT_NS = 150_000_000L;

  @Test
  void shouldKeepNineTenthsOfItsGoodputBesideEachAttack() {
    printAndCheck(SHORT_NS);
  }

  @Test
  @Tag("proof")
  void shouldKeepNineTenthsOfItsGoodputBesideEachAttackForLong() {
    Duration duration = new ProofShare().time(Duration.ofSeconds(2), Duration.ofSeconds(20));
    printAndCheck(duration.toNanos());
  }

  @Test
  void shouldLoseItBesideAsManyPacketsAsTheHostCanBear() {
    double alone = alone(SHORT_NS);
    Attack attack = Attacks.all().get("random bytes, empty and oversized datagrams").get();
    double beside = new GoodputWorld(attack).goodput(SHORT_NS, 2 * GoodputWorld.PACKETS_PER_SECOND);
    assertThat(beside).as("bytes a second, of " + alone).isLessThan(0.7 * alone);
  }

  private static double alone(long durationNs) {
    return new GoodputWorld((world, n) -> {}).goodput(durationNs, 0);
  }

  private static void printAndCheck(long durationNs) {
    double alone = alone(durationNs);
    assertThat(alone).isGreaterThan(6e6);
    System.out.printf("%-52s %9s %9s %9s%n", "attack", "packets", "answers", "goodput");
    for (Map.Entry<String, Supplier<Attack>> row : Attacks.all().entrySet()) {
      GoodputWorld world = new GoodputWorld(row.getValue().get());
      double share = world.goodput(durationNs, GoodputWorld.HOSTILE_PER_SECOND) / alone;
      System.out.printf(
          Locale.ROOT,
          "%-52s %,9d %,9d %8.1f%%%n",
          row.getKey(),
          world.hostilePackets,
          world.answers,
          100 * share);
      assertThat(share).as(row.getKey()).isGreaterThanOrEqualTo(0.9);
      long expected = (long) (GoodputWorld.HOSTILE_PER_SECOND * (durationNs / 1e9));
      assertThat(world.hostilePackets).as(row.getKey()).isGreaterThan(expected * 8 / 10);
    }
  }
}
