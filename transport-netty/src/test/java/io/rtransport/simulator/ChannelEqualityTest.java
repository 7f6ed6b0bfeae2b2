package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The handlers are the product: the same worlds run by direct links and over real channels on
 * virtual time give the same trace, which is every packet with its time and bytes, every delivery
 * and every end.
 */
class ChannelEqualityTest {
  /** Worlds in all. */
  private static final int SEEDS = Integer.getInteger("rt.equality.seeds", 80);

  @ParameterizedTest
  @EnumSource(
      value = WorldPlan.Scenario.class,
      names = {"CHANNEL"}, // that one is EqualTraceTest's: whole channels, with their queues
      mode = EnumSource.Mode.EXCLUDE)
  void shouldGiveTheTraceOfDirectLinks(WorldPlan.Scenario scenario) {
    int seeds = Math.max(1, SEEDS / (WorldPlan.Scenario.values().length - 1));
    LongStream.rangeClosed(1, seeds).parallel().forEach(seed -> compare(seed, scenario));
  }

  private static void compare(long seed, WorldPlan.Scenario scenario) {
    SimResult expected = new SimRunner().run(WorldPlan.of(seed, scenario), null);
    SimResult actual = new SimRunner(ChannelHost::new).run(WorldPlan.of(seed, scenario), null);
    assertThat(expected.failure()).as("%s seed %d over direct links", scenario, seed).isNull();
    assertThat(actual.failure()).as("%s seed %d over channels", scenario, seed).isNull();
    assertThat(actual.totals().packets)
        .as("%s seed %d, packets", scenario, seed)
        .isGreaterThan(10); // an early abort leaves few
    assertThat(actual.traceHash()).as("%s seed %d", scenario, seed).isEqualTo(expected.traceHash());
  }
}
