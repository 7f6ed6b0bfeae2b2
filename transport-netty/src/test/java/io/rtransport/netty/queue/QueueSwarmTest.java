package io.rtransport.netty.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.simulator.PairHarness;
import io.rtransport.simulator.SimConfigs;
import io.rtransport.simulator.SimHost;
import io.rtransport.simulator.SimResult;
import io.rtransport.simulator.SimRunner;
import io.rtransport.simulator.SimTotals;
import io.rtransport.simulator.WorldPlan;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Drawn worlds whose hosts poll queues, with loss, repetition, reordering and corruption on the
 * way: all that the simulator checks of an application's transactions holds, however late it polls.
 */
class QueueSwarmTest {
  private static final long SEEDS = Long.getLong("rt.sim.queueSeeds", 60);

  /** A stuck consumer's connection lives so long, up to some hundred times that. */
  private static final long ABORT_NS_MIN = 100_000_000;

  private static final int ABORT_SHARE = 400;

  private static final String[] HABITS = {
    "always", "late", "pauses", "sleeps", "never", "stops for good"
  };

  private static final RtQueueCounter[] REASONS = {
    RtQueueCounter.INTERRUPTS_DUE,
    RtQueueCounter.COUNTS_DUE,
    RtQueueCounter.DEADLINES_DUE,
    RtQueueCounter.EVENTS_DUE
  };

  /**
   * Columns of what queues or pairs of fixed addresses do not have, and refusals at the close, of
   * which some hundred worlds have one.
   */
  private static final Set<String> UNREACHED =
      Set.of(
          "completionsHeld",
          "completionsRidden",
          "partialTakes",
          "laterOpens",
          "brokenSinks",
          "sparedBytes",
          "refusedAtClose",
          "receipts",
          "readyPushes",
          "passedPushes",
          "pathsMoved",
          "pathChallenges",
          "misdirected",
          "forged");

  private static boolean isOrdered(WorldPlan plan) {
    return SimConfigs.of(plan, 0).isOrdered() || SimConfigs.of(plan, 1).isOrdered();
  }

  private static SimResult run(long seed, List<QueueHost> hosts, Appendable trace) {
    Random random =
        new Random(seed * 0x9E37_79B9_7F4A_7C15L); // first draws of near seeds are alike
    WorldPlan drawn = WorldPlan.of(seed, WorldPlan.Scenario.CHANNEL).givingUp();
    boolean isStuck = random.nextBoolean() && isOrdered(drawn);
    int stuckHost = isStuck ? random.nextInt(2) : -1;
    long abortNs = (long) (ABORT_NS_MIN * Math.pow(ABORT_SHARE, random.nextDouble()));
    WorldPlan plan = isStuck ? drawn.aborting(abortNs) : drawn;
    SimRunner runner =
        new SimRunner(
            (int host, PairHarness harness) -> {
              QueueHost made = new QueueHost(host, harness, random, host == stuckHost);
              hosts.forEach(made::peer);
              hosts.forEach(other -> other.peer(made));
              hosts.add(made);
              return (SimHost) made;
            });
    try {
      return runner.run(plan, trace);
    } finally {
      hosts.forEach(QueueHost::close);
    }
  }

  @Test
  void shouldHoldForEveryHabitOfPolling() {
    Map<RtQueueCounter, Long> totals = new EnumMap<>(RtQueueCounter.class);
    Map<String, Integer> habits = new HashMap<>();
    long late = 0;
    SimTotals worlds = new SimTotals();
    for (long seed = 1; seed <= SEEDS; seed++) {
      List<QueueHost> hosts = new ArrayList<>();
      SimResult result = run(seed, hosts, null);
      if (result.isFailed()) {
        throw new AssertionError(
            "seed " + seed + ": " + result.headline() + " of " + hosts, result.failure());
      }
      worlds.add(result.totals());
      for (QueueHost host : hosts) {
        for (RtQueueCounter counter : RtQueueCounter.values()) {
          totals.merge(counter, host.count(counter), Long::sum);
        }
        habits.merge(host.habit(), 1, Integer::sum);
        late += host.lateCount();
      }
    }
    assertThat(late).as("entries that a stuck host saw at last").isPositive();
    assertThat(habits).as("hosts of each habit").containsOnlyKeys(HABITS);
    for (RtQueueCounter counter : RtQueueCounter.values()) {
      assertThat(totals.get(counter)).as("%s", counter).isPositive();
    }
    long due = 0;
    for (RtQueueCounter counter : REASONS) {
      due += totals.get(counter);
    }
    assertThat(totals.get(RtQueueCounter.WAKE_UPS) + totals.get(RtQueueCounter.SUPPRESSED))
        .isEqualTo(due);
    worlds
        .columns()
        .forEach(
            (column, value) -> {
              if (!UNREACHED.contains(column)) {
                assertThat(value).as(column).isPositive();
              }
            });
    assertThat(worlds.columns()).containsKeys("givenUpInQueues");
  }

  @Test
  void shouldDoTheSameTwice() {
    StringBuilder first = new StringBuilder();
    StringBuilder second = new StringBuilder();
    run(3, new ArrayList<>(), first);
    run(3, new ArrayList<>(), second);
    assertThat(first.toString()).isNotEmpty().isEqualTo(second.toString());
  }
}
