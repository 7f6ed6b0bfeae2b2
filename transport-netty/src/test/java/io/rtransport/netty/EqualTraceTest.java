package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.simulator.PairHarness;
import io.rtransport.simulator.SimHost;
import io.rtransport.simulator.SimResult;
import io.rtransport.simulator.SimRunner;
import io.rtransport.simulator.WorldPlan;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Whole channels against direct links: writes, reads and promises pass the channel's own queues, as
 * a Netty user's do, and the trace must equal that of {@link io.rtransport.simulator.TurnHost},
 * whose application takes the same turns. Beside it, {@link
 * io.rtransport.simulator.ChannelEqualityTest} puts the simulator's most awkward applications
 * directly above the pipeline.
 */
class EqualTraceTest {
  private static final long SEEDS = Long.getLong("rt.sim.channelSeeds", 50);

  private static SimResult overChannels(WorldPlan plan, Appendable trace) {
    List<ChannelHost> hosts = new ArrayList<>();
    SimRunner runner =
        new SimRunner(
            (int host, PairHarness harness) -> {
              ChannelHost made = new ChannelHost(host, harness);
              hosts.add(made);
              return (SimHost) made;
            });
    try {
      return runner.run(plan, trace);
    } finally {
      hosts.forEach(ChannelHost::close);
    }
  }

  @Test
  void shouldGiveEqualTracesByDirectLinksAndOverChannels() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      WorldPlan plan = WorldPlan.of(seed, WorldPlan.Scenario.CHANNEL);
      SimResult direct = new SimRunner().run(plan, null);
      assertThat(direct.failure()).as("seed %d, direct", seed).isNull();
      SimResult channels = overChannels(plan, null);
      if (channels.isFailed() || channels.traceHash() != direct.traceHash()) {
        throw new AssertionError(difference(plan, channels), channels.failure());
      }
      assertThat(channels.totals().columns()).isEqualTo(direct.totals().columns());
    }
  }

  /** Both runs again, for the first lines in which they differ. */
  private static String difference(WorldPlan plan, SimResult channels) {
    StringBuilder directTrace = new StringBuilder();
    StringBuilder channelTrace = new StringBuilder();
    new SimRunner().run(plan, directTrace);
    overChannels(plan, channelTrace);
    List<String> expected = directTrace.toString().lines().toList();
    List<String> actual = channelTrace.toString().lines().toList();
    int at = 0;
    while (at < expected.size() && at < actual.size() && expected.get(at).equals(actual.get(at))) {
      at++;
    }
    return String.format(
        "%s%nseed %d differs at event %d of %d/%d%n direct:%n%s%n channels:%n%s",
        channels.isFailed() ? channels.headline() : "",
        plan.seed,
        at,
        expected.size(),
        actual.size(),
        around(expected, at),
        around(actual, at));
  }

  private static String around(List<String> lines, int at) {
    return String.join("\n", lines.subList(Math.max(0, at - 4), Math.min(lines.size(), at + 4)));
  }
}
