package io.rtransport.netty.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.simulator.PairHarness;
import io.rtransport.simulator.SimHost;
import io.rtransport.simulator.SimResult;
import io.rtransport.simulator.SimRunner;
import io.rtransport.simulator.SimTotals;
import io.rtransport.simulator.WorldPlan;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Drawn worlds whose hosts poll queues, with loss, repetition, reordering and corruption on the
 * way: all that the simulator checks of an application's transactions holds, however late it polls.
 */
class QueueSwarmTest {
  private static final long SEEDS = Long.getLong("rt.sim.queueSeeds", 60);

  private static SimResult run(long seed, List<QueueHost> hosts, Appendable trace) {
    Random random = new Random(seed);
    WorldPlan plan = WorldPlan.of(seed, WorldPlan.Scenario.CHANNEL).givingUp();
    SimRunner runner =
        new SimRunner(
            (int host, PairHarness harness) -> {
              QueueHost made = new QueueHost(host, harness, random);
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
      }
    }
    assertThat(totals.get(RtQueueCounter.SUPPRESSED)).isPositive();
    assertThat(totals.get(RtQueueCounter.INTERRUPTS_DUE)).isPositive();
    assertThat(totals.get(RtQueueCounter.WAKE_UPS)).isZero(); // nobody sleeps here
    String[] ofGivenUp = {
      "cancels", "cancelled", "deadlines", "overdue", "givenUpInQueues", "resyncs"
    };
    for (String column : ofGivenUp) {
      assertThat(worlds.columns().getOrDefault(column, 0L)).as(column).isPositive();
    }
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
