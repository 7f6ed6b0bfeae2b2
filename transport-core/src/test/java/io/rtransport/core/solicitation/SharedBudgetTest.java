package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.burst.PacketBurst;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Several connections on one small budget, driven by events only: an end moves when a packet, a
 * deadline or the budget wakes it.
 */
class SharedBudgetTest {
  private static final int PAIRS = 6;
  private static final int SEEDS = 40;

  private final ArrayDeque<SolicitationPair.End> awake = new ArrayDeque<>();
  private final List<SolicitationPair> pairs = new ArrayList<>();
  private long countedMax;

  @Test
  void shouldLetEveryConnectionFinishHoweverSmallTheBudgetThatTheyShare() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      try {
        run(seed);
      } catch (Throwable failure) {
        throw new AssertionError("seed " + seed + ": " + failure.getMessage(), failure);
      }
    }
  }

  private void run(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SolicitationPair.Settings settings = new SolicitationPair.Settings();
    settings.aheadBytes = 256 << 10;
    NodeBudgets budgets = NodeBudgets.of(512 << 10, 0);
    pairs.clear();
    awake.clear();
    countedMax = 0;
    for (int i = 0; i < PAIRS; i++) {
      settings.isOrdered = (seed + i) % 2 == 0;
      SolicitationPair pair = new SolicitationPair(random, settings, budgets);
      pair.left.application.isPlain = true;
      pair.right.application.isPlain = i % 2 == 0;
      pairs.add(pair);
      for (SolicitationPair.End end : new SolicitationPair.End[] {pair.left, pair.right}) {
        end.onWake = () -> awake.add(end);
        for (int j = 0; j < 4; j++) {
          end.application.submit(random.nextInt(3) == 0, random.nextInt(256 << 10));
        }
        awake.add(end);
      }
    }
    int idleRounds = 0;
    while (idleRounds < 2_000 && !isOver()) {
      idleRounds = move(budgets) ? 0 : idleRounds + 1;
    }
    for (SolicitationPair pair : pairs) {
      assertThat(pair.left.transactions.isAllHandedUp() && pair.right.transactions.isAllHandedUp())
          .as("%s", pair)
          .isTrue();
    }
    assertThat(countedMax).isLessThanOrEqualTo((512 << 10) / 8 * 9);
    pairs.forEach(SolicitationPair::settle);
    assertThat(budgets.solicitation().countedBytes()).isZero();
  }

  private boolean isOver() {
    return pairs.stream()
        .allMatch(
            pair ->
                pair.left.transactions.isAllHandedUp() && pair.right.transactions.isAllHandedUp());
  }

  private boolean move(NodeBudgets budgets) {
    boolean hasMoved = false;
    for (int i = awake.size(); i > 0; i--) {
      SolicitationPair.End end = awake.poll();
      hasMoved |= pairOf(end).pump(end) > 0;
    }
    for (SolicitationPair pair : pairs) {
      pair.nowNs += 1_000_000;
      for (SolicitationPair.End end : new SolicitationPair.End[] {pair.left, pair.right}) {
        if (pair.other(end).window.inFlight() > 0) {
          pair.deliver(end, PacketBurst.CAPACITY - 1, false);
          awake.add(end);
          hasMoved = true;
        }
        if (!end.application.isPlain) {
          // What the application does is followed by a flush.
          end.application.act();
          awake.add(end);
        }
        end.window.acknowledge(end.solicitation, pair.nowNs);
        if (pair.timeouts(end)) {
          awake.add(end);
        }
      }
    }
    countedMax = Math.max(countedMax, budgets.solicitation().countedBytes());
    return hasMoved;
  }

  private SolicitationPair pairOf(SolicitationPair.End end) {
    return pairs.stream()
        .filter(pair -> pair.left == end || pair.right == end)
        .findFirst()
        .orElseThrow();
  }
}
