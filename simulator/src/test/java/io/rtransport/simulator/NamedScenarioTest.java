package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.proof.ProofShare;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NamedScenarioTest {
  /**
   * Those that take many seconds are left to the proof; .ci/run runs four of them by {@code rt
   * sim}.
   */
  @ParameterizedTest
  @EnumSource(
      value = NamedScenario.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "LOSS_LADDER",
        "PSN_WRAP",
        "RANDOM_LOSS",
        "FAIRNESS",
        "STANDSTILL",
        "STANDING_QUEUE",
        "INCAST_32",
        "INCAST_1000",
        "INCAST_SMALL",
        "TWO_ALIKE",
        "BESIDE_LOSS",
        "BUSY_HOST",
        "RAIL_LETTER"
      })
  void shouldKeepItsBound(NamedScenario scenario) {
    System.out.printf("%s: %s%n", scenario.id(), scenario.run(1));
  }

  @Tag("proof")
  @ParameterizedTest
  @EnumSource(NamedScenario.class)
  void shouldKeepItsBoundWithManySeeds(NamedScenario scenario) throws Exception {
    StringWriter out = new StringWriter();
    int status = scenario.runAll(1, new ProofShare().times(1, 10), new PrintWriter(out), null);
    System.out.print(out);
    assertThat(status).as(out.toString()).isZero();
  }

  @Test
  void shouldRunTheSameWayTwice() {
    assertThat(NamedScenario.JITTER.run(7)).isEqualTo(NamedScenario.JITTER.run(7));
    assertThat(NamedScenario.JITTER.run(7)).isNotEqualTo(NamedScenario.JITTER.run(8));
  }

  @Test
  void shouldBeListedInTheDocumentWithWhatMustHold() throws Exception {
    String document = Files.readString(Path.of("../docs/reference/simulator.md"));
    for (NamedScenario scenario : NamedScenario.values()) {
      String row =
          String.format("| `%s` | %s | %s |", scenario.id(), scenario.what(), scenario.bound());
      assertThat(document).contains(row);
    }
  }
}
