package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.MadeTransactions;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Bytes ahead and stalled, beside a model that keeps them push by push, drawn by seeds. */
class PushesAheadTest {
  private static final int SEEDS = 2_000;
  private static final int STEPS = 300;
  private static final long MIB = 1 << 20;
  private static final PathView PATH = new SteadyPath(100_000);

  /** A connection, and of each of its pushes how much is missing that had stalled. */
  private static final class Connection {
    final BudgetAccount account;
    final PushesAhead ahead;
    final Map<Transaction, Long> stalled = new LinkedHashMap<>();

    Connection(NodeBudget budget) {
      account = new BudgetAccount(budget, () -> {});
      ahead = new PushesAhead(account, PATH, new Counters());
    }

    Transaction any(SplittableRandom random) {
      return new ArrayList<>(stalled.keySet()).get(random.nextInt(stalled.size()));
    }

    void check() {
      long missing = 0;
      long sum = 0;
      for (Map.Entry<Transaction, Long> push : stalled.entrySet()) {
        missing += push.getKey().incoming().missingBytes();
        sum += push.getValue();
        assertThat(ahead.hasStalled(push.getKey().incoming())).isEqualTo(push.getValue() > 0);
      }
      assertThat(ahead.bytes()).isEqualTo(missing);
      assertThat(account.givenAwayBytes()).isBetween(0L, sum);
      assertThat(ahead.countedBytes() + account.givenAwayBytes()).isEqualTo(missing);
    }
  }

  private final TransactionPool pool = new TransactionPool(7);
  private long nowNs = Long.MAX_VALUE - 1_000_000_000; // the clock wraps
  private int waits;
  private int partial;

  @Test
  void shouldKnowWhichBytesHaveStalledAndGiveBackAll() {
    for (int seed = 1; seed <= SEEDS; seed++) {
      try {
        run(new SplittableRandom(seed));
      } catch (Throwable failure) {
        throw new AssertionError("seed " + seed + ": " + failure.getMessage(), failure);
      }
    }
    assertThat(waits).as("stalls").isPositive();
    assertThat(partial).as("stalls without room for all").isPositive();
  }

  private void run(SplittableRandom random) {
    NodeBudget budget = new NodeBudget(8 * MIB);
    List<Connection> all = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      all.add(new Connection(budget));
    }
    for (int step = 0; step < STEPS; step++) {
      step(all.get(random.nextInt(all.size())), random);
      long given = 0;
      for (Connection each : all) {
        each.check();
        given += each.account.givenAwayBytes();
      }
      assertThat(budget.givenAwayBytes()).isEqualTo(given).isLessThanOrEqualTo(MIB);
    }
    for (Connection each : all) {
      new ArrayList<>(each.stalled.keySet()).forEach(push -> end(each, push));
      each.ahead.stop();
      each.account.close();
    }
    assertThat(budget.countedBytes() + budget.givenAwayBytes()).isZero();
  }

  private void step(Connection on, SplittableRandom random) {
    int what = random.nextInt(10);
    if (what == 0 || on.stalled.isEmpty()) {
      Transaction push = MadeTransactions.arriving(pool, Transaction.Kind.PUSH, 0, 64 * MIB);
      push.solicit(0);
      push.incoming().accept(0, false, Long.MAX_VALUE);
      on.stalled.put(push, 0L);
    } else if (what < 4) {
      grant(on, on.any(random), 1 + random.nextInt(400_000));
    } else if (what < 7) {
      arrive(on, on.any(random), random);
    } else if (what < 8) {
      end(on, on.any(random));
    } else {
      nowNs += random.nextLong(PushesAhead.STALL_NS_MIN * 2);
      if (on.ahead.deadlineNs() != Long.MAX_VALUE && on.ahead.deadlineNs() - nowNs <= 0) {
        on.stalled.replaceAll((push, before) -> push.incoming().missingBytes());
        on.ahead.onTimeout(nowNs);
        waits++;
        partial += on.ahead.countedBytes() > 0 ? 1 : 0;
      }
    }
  }

  private void grant(Connection on, Transaction push, long bytes) {
    if (on.account.reserve(bytes, bytes, false) > 0) {
      push.incoming().reserve(bytes);
      on.ahead.onGranting(push.incoming(), bytes, nowNs);
      push.incoming().grant(bytes);
    }
  }

  private void arrive(Connection on, Transaction push, SplittableRandom random) {
    long missing = push.incoming().missingBytes();
    if (missing > 0) {
      long bytes = 1 + random.nextLong(random.nextBoolean() ? missing : Math.min(missing, 9_000));
      long here = push.incoming().hereBytes();
      push.incoming().addMissing(here, here + bytes);
      on.ahead.onArriving(push.incoming(), bytes, nowNs);
      push.incoming().arrive(bytes);
      on.stalled.merge(push, bytes, (stalled, come) -> Math.max(0, stalled - come));
      push.incoming().take(bytes);
      push.incoming().release(bytes);
      on.account.release(bytes, false);
    }
  }

  private void end(Connection on, Transaction push) {
    long missing = push.incoming().missingBytes();
    on.ahead.onEnding(push.incoming());
    on.account.release(push.incoming().reservedBytes() - missing, false);
    push.incoming().stop();
    on.stalled.remove(push);
    assertThat(on.ahead.hasStalled(push.incoming())).isFalse();
  }
}
