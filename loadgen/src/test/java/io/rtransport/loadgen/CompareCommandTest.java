package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What a run of a comparison is told of the options of the whole. */
class CompareCommandTest {
  private static CompareCommand command(String arguments) {
    CompareCommand command = new CompareCommand();
    new CommandLine(command).parseArgs(arguments.split(" "));
    return command;
  }

  @Test
  void shouldHandOnEachValueOfARepeatedOptionOnce() {
    CompareCommand command =
        command("--transports rt,rt:busy --rails 2 --loss 0.1@0 --loss 0.2@1,0.3 --busy-poll");
    assertThat(command.sharedArguments("rt"))
        .containsExactly("--rails", "2", "--loss", "0.1@0", "--loss", "0.2@1,0.3", "--busy-poll");
  }

  @Test
  void shouldKeepItsOwnOptionsAndThoseOfRtToItself() {
    CompareCommand command =
        command("--transports rt,udp --rounds 2 --profile wan --size 64 --json x --loss 0.1");
    assertThat(command.sharedArguments("udp")).containsExactly("--size", "64", "--loss", "0.1");
    assertThat(command.sharedArguments("rt"))
        .containsExactly("--profile", "wan", "--size", "64", "--loss", "0.1");
  }

  @Test
  void shouldKeepTheOptionsOfQueuesFromOthers() {
    CompareCommand command =
        command("--transports rt,rt:queue,tcp --moderation 1ms --wake delay --size 64");
    assertThat(command.options(command.names())).isNotNull();
    assertThat(command.sharedArguments("rt")).containsExactly("--size", "64");
    assertThat(command.sharedArguments("tcp")).containsExactly("--size", "64");
    assertThat(command.sharedArguments("rt:queue"))
        .containsExactly("--wake", "delay", "--size", "64");
    assertThat(Contender.of(command.names(), command.flags()))
        .containsExactly(
            new Contender("rt", "rt", null),
            new Contender("rt:queue", "rt:queue", "1ms"),
            new Contender("tcp", "tcp", null));
  }

  @Test
  void shouldUseQueuesInEveryRtIfAsked() {
    CompareCommand command = command("--transports rt,tcp --api queue --moderation 1ms");
    assertThat(command.options(command.names())).isNotNull();
    assertThat(command.sharedArguments("rt")).containsExactly("--api", "queue");
    assertThat(command.sharedArguments("tcp")).isEmpty();
    assertThat(Contender.of(command.names(), command.flags()))
        .contains(new Contender("rt", "rt", "1ms"));
  }

  @Test
  void shouldMeasureSelfTuningBesideADelay() {
    CompareCommand command = command("--transports rt:queue --moderation 50us,auto --wake delay");
    assertThat(command.options(command.names()).settings().queue().isSelfTuning()).isTrue();
    assertThat(Contender.of(command.names(), command.flags()))
        .containsExactly(
            new Contender("rt:queue@50us", "rt:queue", "50us"),
            new Contender("rt:queue@auto", "rt:queue", "auto"));
  }

  @Test
  void shouldMeasureEachDelay() {
    CompareCommand command = command("--transports rt,rt:queue --moderation 0,50us,1ms");
    assertThat(command.options(command.names()).settings().queue().delayNs()).isEqualTo(1_000_000);
    assertThat(Contender.of(command.names(), command.flags()))
        .containsExactly(
            new Contender("rt", "rt", null),
            new Contender("rt:queue@0", "rt:queue", "0"),
            new Contender("rt:queue@50us", "rt:queue", "50us"),
            new Contender("rt:queue@1ms", "rt:queue", "1ms"));
  }
}
