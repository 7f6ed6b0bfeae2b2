package io.rtransport.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.text.InvalidValueException;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class ProfileOptionsTest {
  @Command(name = "rt")
  private static final class Connecting {
    @Mixin private ProfileOptions profile;
  }

  private static ProfileOptions parse(String... arguments) {
    Connecting command = new Connecting();
    new CommandLine(command).parseArgs(arguments);
    return command.profile;
  }

  @Test
  void shouldReadWhatWasTyped() {
    assertThat(parse().read().arguments()).isEmpty();
    String[] all = {
      "--profile", "wan", "--ack-timeout", "18", "--retry-count", "3", "--strict-profile"
    };
    assertThat(parse(all).read().arguments()).containsExactly(all);
  }

  @Test
  void shouldKnowTheNamesOfItsOptions() {
    CommandLine command = new CommandLine(new Connecting());
    assertThat(command.getCommandSpec().optionsMap().keySet())
        .containsExactlyInAnyOrderElementsOf(ProfileOptions.NAMES);
  }

  @Test
  void shouldRefuseTheFirstThatWasTyped() {
    parse().refuse("with rt only");
    assertThatThrownBy(() -> parse("--retry-count", "99", "--strict-profile").refuse("rt only"))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage("--retry-count=99 is not valid: rt only");
    assertThatThrownBy(() -> parse("--strict-profile").refuse("rt only"))
        .hasMessage("--strict-profile=true is not valid: rt only");
  }
}
