package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.loadgen.impair.Impairment;
import io.rtransport.loadgen.impair.RailEvent;
import io.rtransport.loadgen.impair.RailState;
import io.rtransport.loadgen.impair.Rails;
import io.rtransport.loadgen.rig.LoadOptions;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What valid options of rails mean. {@link LoadCommandTest} has those that are refused. */
class RailFlagReaderTest {
  private static final long SECOND_NS = 1_000_000_000L;

  private static LoadOptions options(String arguments) {
    RunCommand command = new RunCommand();
    new CommandLine(command).parseArgs(arguments.split(" "));
    return command.options();
  }

  private static Rails rails(String arguments) {
    return options(arguments).rails();
  }

  @Test
  void shouldHaveOneRailWithoutImpairment() {
    assertThat(rails("--seed 1")).isEqualTo(Rails.alike(1, Impairment.NONE));
    assertThat(options("--seed 1").needsProxy()).isFalse();
  }

  @Test
  void shouldNeedProxiesForSeveralRailsOrAKillOrAnImpairment() {
    assertThat(options("--rails 8").needsProxy()).isTrue();
    assertThat(rails("--rails 8").count()).isEqualTo(8);
    assertThat(options("--kill-rail 0@0s").needsProxy()).isTrue();
    assertThat(options("--loss 0.1").needsProxy()).isTrue();
    assertThat(options("--loss 0.1 --impair receiver").needsProxy()).isFalse();
  }

  @Test
  void shouldGiveEachRailItsOwnValueOrTheOneForTheOthers() {
    List<Impairment> rails =
        rails(
                "--rails 3 --loss 0.2@1,0.1 --delay 5ms@2 --bandwidth 1m@0"
                    + " --bandwidth 2m@2 --jitter 1ms")
            .impairments();
    assertThat(rails)
        .containsExactly(
            new Impairment(0.1, 0, 1_000_000, 0, 0, 0, 1_000_000),
            new Impairment(0.2, 0, 1_000_000, 0, 0, 0, 0),
            new Impairment(0.1, 5_000_000, 1_000_000, 0, 0, 0, 2_000_000));
  }

  @Test
  void shouldOrderKillsAndRestoresByTime() {
    Rails rails =
        rails(
            "--rails 2 --duration 6s --kill-rail 1@4s:back --kill-rail 0@0s,1@2s:close"
                + " --restore-rail 1@3s --restore-rail 1@6s");
    assertThat(rails.events())
        .containsExactly(
            new RailEvent(0, 0, RailState.DARK),
            new RailEvent(1, 2 * SECOND_NS, RailState.CLOSED),
            new RailEvent(1, 3 * SECOND_NS, RailState.LIVE),
            new RailEvent(1, 4 * SECOND_NS, RailState.DARK_BACK),
            new RailEvent(1, 6 * SECOND_NS, RailState.LIVE));
    assertThat(rails("--kill-rail 0@1s:out").events())
        .containsExactly(new RailEvent(0, SECOND_NS, RailState.DARK_OUT));
  }

  @Test
  void shouldKillAnyUdpTransportsOnlyRail() {
    RunCommand command = new RunCommand();
    new CommandLine(command).parseArgs("--transport", "udp", "--kill-rail", "0@1s");
    assertThat(command.options().rails().isKilled()).isTrue();
  }
}
