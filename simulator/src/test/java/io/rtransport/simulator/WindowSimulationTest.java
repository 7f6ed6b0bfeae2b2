package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The window sublayer by itself against the faulty network: every record arrives once, nothing is
 * acknowledged that did not arrive.
 */
class WindowSimulationTest {
  private static final long SEEDS = Long.getLong("rt.sim.windowSeeds", 100);

  @Test
  void shouldHandUpEveryRecordOnceWhateverTheNetworkDoes() {
    SimTotals totals = new SimTotals();
    List<String> failures = new ArrayList<>();
    for (long seed = 1; seed <= SEEDS; seed++) {
      try {
        totals.add(new WindowWorld(WorldPlan.of(seed, WorldPlan.Scenario.DEFAULT), null).run());
      } catch (RuntimeException | AssertionError e) {
        StackTraceElement[] stack = e.getStackTrace();
        failures.add("seed " + seed + ": " + e + " at " + stack[0] + " " + stack[1]);
      }
    }
    assertThat(failures).isEmpty();
    assertThat(totals.worlds).isEqualTo(SEEDS);
    assertThat(totals.early).isPositive();
    assertThat(totals.probe).isPositive();
    assertThat(totals.timeout).isPositive();
    assertThat(totals.spurious).isPositive();
    assertThat(totals.wrapsRequestPsn).isPositive();
    assertThat(totals.wrapsDataPsn).isPositive();
  }
}
