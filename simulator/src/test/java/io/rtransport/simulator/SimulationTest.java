package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Five hundred worlds on the one thread of the test; {@code -Drt.sim.seeds=N} runs another number.
 * A failing seed says how to replay it.
 */
class SimulationTest {
  private static final long SEEDS = Long.getLong("rt.sim.seeds", 500);
  private static final int SCENARIO_SEEDS = 40;
  private static final int REBINDING_SEEDS = 80;
  private static final int REPEATED_SEEDS = 20;

  private final SimRunner runner = new SimRunner();

  private SimRunner.Summary run(WorldPlan.Scenario scenario, long count) {
    SimRunner.Summary summary =
        runner.runAll(1, count, scenario, 1, false, SimulationTest::checkSize);
    String failures =
        summary.failures().stream()
            .limit(10)
            .map(f -> f.headline() + "\n  replay: " + f.replay())
            .collect(Collectors.joining("\n"));
    assertThat(summary.failures()).as(failures).isEmpty();
    return summary;
  }

  private static void checkSize(SimResult result) {
    WorldPlan plan = (WorldPlan) result.plan();
    boolean isWhole = plan.eventNs == Long.MAX_VALUE && !result.isFailed();
    if (isWhole) {
      assertThat(result.totals().transactions).isGreaterThanOrEqualTo(300);
      assertThat(result.totals().bytes).isLessThanOrEqualTo(8 << 20);
      assertThat(result.totals().packets).isGreaterThanOrEqualTo(PairHarness.PACKETS_MIN);
    }
  }

  @Test
  void shouldHoldEveryInvariantAndLeaveNoColumnAtZero() {
    SimTotals totals = run(WorldPlan.Scenario.DEFAULT, SEEDS).totals();
    System.out.printf("simulation of seeds 1..%d%n%s", SEEDS, totals);
    assertThat(totals.worlds).isEqualTo(SEEDS);
    totals.columns().forEach((name, value) -> assertThat(value).as(name).isPositive());
  }

  @ParameterizedTest
  @EnumSource(
      value = WorldPlan.Scenario.class,
      names = {"DEFAULT", "REBIND", "SWARM"},
      mode = EnumSource.Mode.EXCLUDE)
  void shouldHoldEveryInvariantInEveryScenario(WorldPlan.Scenario scenario) {
    run(scenario, SCENARIO_SEEDS);
  }

  @Test
  void shouldFollowAPeerWhosePortChangesEverySecondAndItsAddressOnce() {
    SimTotals totals = run(WorldPlan.Scenario.REBIND, REBINDING_SEEDS).totals();
    Map<String, Long> columns = totals.columns();
    columns.remove(
        "closedByHalves"); // one that moves is always closed by the side that can find the other
    columns.forEach((name, value) -> assertThat(value).as(name).isPositive());
    assertThat(totals.pathsMoved).isGreaterThan(REBINDING_SEEDS);
  }

  @Test
  void shouldLoseNothingAndResendNothingForLossWithoutFaults() {
    SimTotals totals = run(WorldPlan.Scenario.CLEAN, SCENARIO_SEEDS).totals();
    assertThat(totals.dropped + totals.corrupted + totals.duplicated + totals.reordered).isZero();
    assertThat(totals.early).isZero();
  }

  @Test
  void shouldGiveTheSameTraceForTheSameSeed() {
    for (long seed = 1; seed <= REPEATED_SEEDS; seed++) {
      WorldPlan plan = WorldPlan.of(seed, WorldPlan.Scenario.DEFAULT);
      SimResult first = runner.run(plan, null);
      SimResult second = runner.run(plan, null);
      assertThat(second.traceHash()).as(first.replay()).isEqualTo(first.traceHash());
      assertThat(second.totals().columns()).isEqualTo(first.totals().columns());
    }
  }

  @Test
  void shouldGiveAnotherTraceForAnotherSeed() {
    SimResult one = runner.run(WorldPlan.of(1, WorldPlan.Scenario.DEFAULT), null);
    SimResult two = runner.run(WorldPlan.of(2, WorldPlan.Scenario.DEFAULT), null);
    assertThat(one.traceHash()).isNotEqualTo(two.traceHash());
  }
}
