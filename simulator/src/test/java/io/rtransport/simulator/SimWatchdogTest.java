package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SimWatchdogTest {
  private final SimWatchdog watchdog = new SimWatchdog();

  @Test
  void shouldNameTheSeedOfAWorldThatRunsForLongerThanTheLimit() {
    watchdog.begin(17, 5);
    assertThat(watchdog.stuck(5 + SimWatchdog.LIMIT_NS)).isNull();
    assertThat(watchdog.stuck(6 + SimWatchdog.LIMIT_NS))
        .startsWith("seed 17: PROGRESS: a step does not end")
        .contains("SimWatchdogTest");
    watchdog.end();
    assertThat(watchdog.stuck(6 + SimWatchdog.LIMIT_NS)).isNull();
  }

  @Test
  void shouldCountAnyErrorAsAFailureOfItsWorld() {
    SimRunner runner =
        new SimRunner(
            (host, harness) -> {
              throw new NoClassDefFoundError("as when something is missing");
            });
    SimResult result = runner.run(WorldPlan.of(1, WorldPlan.Scenario.DEFAULT), null);
    assertThat(result.isFailed()).isTrue();
    assertThat(result.invariant()).isEqualTo(Invariant.NO_EXCEPTION);
  }
}
