package io.rtransport.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.rail.HealthParameter;
import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.netty.node.RtNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class NodeOptionTest {
  @Command(name = "rt")
  private static final class WithRails {
    @Mixin private NodeOption node;
  }

  @TempDir Path directory;
  private final RailHealthConfig before = RtNode.railHealth().config();

  @AfterEach
  void shouldLeaveTheKnobsAsTheyWere() {
    RtNode.railHealth().config(before);
  }

  private static void apply(String... arguments) {
    WithRails command = new WithRails();
    new CommandLine(command).parseArgs(arguments);
    command.node.apply();
  }

  private String file(String text) throws IOException {
    return Files.writeString(directory.resolve("knobs"), text).toString();
  }

  @Test
  void shouldSetWhatTheFileSaysAndNothingElse() throws IOException {
    apply();
    assertThat(RtNode.railHealth().config()).isEqualTo(before);
    apply("--node", file("health-sensitivity=300\n"));
    assertThat(RtNode.railHealth().config())
        .isEqualTo(before.with().set(HealthParameter.HEALTH_SENSITIVITY, 300).build());
  }

  @Test
  void shouldSetNoneOfKnobsThatDoNotFitTogether() throws IOException {
    String unfit = file("health-sensitivity=1\nping-interval-min-millis=2000\n");
    assertThatThrownBy(() -> apply("--node", unfit))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage(
            "--node=%s is not valid: knobs that fit together: ping-interval-min-millis=2000,"
                + " valid: 10..1000 (ping-interval-max-millis)",
            unfit);
    assertThatThrownBy(() -> apply("--node", file("health-sensitivity=1\nnone=1\n")))
        .hasMessageStartingWith("--node line 2=none=1 is not valid: ");
    assertThat(RtNode.railHealth().config()).isEqualTo(before);
  }
}
