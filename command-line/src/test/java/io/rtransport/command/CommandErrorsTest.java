package io.rtransport.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.text.InvalidValueException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

class CommandErrorsTest {
  private final StringWriter err = new StringWriter();

  @Command(name = "rt")
  private static final class Failing implements Callable<Integer> {
    @Option(names = "--count")
    private int count;

    @Option(names = "--pause", converter = Refusing.class)
    private String pause;

    private final Exception failure;

    Failing(Exception failure) {
      this.failure = failure;
    }

    @Override
    public Integer call() throws Exception {
      if (failure != null) {
        throw failure;
      }
      return CommandErrors.OK;
    }
  }

  private static final class Refusing implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      throw new InvalidValueException("--pause", text, "0..1");
    }
  }

  private int execute(CommandLine command, String... arguments) {
    command.setErr(new PrintWriter(err, true));
    return command.execute(arguments);
  }

  private int fail(Exception failure) {
    CommandLine command = new CommandLine(new Failing(failure));
    CommandErrors.handle(command, List.of(IOException.class));
    return execute(command);
  }

  @Test
  void shouldEndWithTheCommandsOwnStatus() {
    assertThat(fail(null)).isZero();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void shouldSayBadInputInOneLine() {
    assertThat(fail(new InvalidValueException("--to", "x\ny", "an address"))).isEqualTo(2);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("rt: --to=x").contains("an address");
  }

  @Test
  void shouldSayAnOptionThatCannotBeReadInOneLine() {
    CommandLine command = new CommandLine(new Failing(null));
    CommandErrors.handle(command, List.of());
    assertThat(execute(command, "--count", "many")).isEqualTo(2);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("rt: ").contains("--count").contains("many");
  }

  @Test
  void shouldSayARefusalOfAConverterAsItIs() {
    CommandLine command = new CommandLine(new Failing(null));
    CommandErrors.handle(command, List.of());
    assertThat(execute(command, "--pause", "2")).isEqualTo(2);
    assertThat(err.toString().lines()).containsExactly("rt: --pause=2 is not valid: 0..1");
  }

  @Test
  void shouldSayWhyTheWorkFailed() {
    assertThat(fail(new CommandFailure("nobody\n  answers"))).isEqualTo(1);
    assertThat(fail(new IOException("gone"))).isEqualTo(1);
    assertThat(err.toString().lines()).containsExactly("rt: nobody answers", "rt: gone");
  }

  @Test
  void shouldSayWhatNobodyForesaw() {
    assertThat(fail(new IllegalStateException("why"))).isEqualTo(1);
    CommandLine command = new CommandLine(new Failing(new IOException("gone")));
    CommandErrors.handle(command, List.of());
    assertThat(execute(command)).isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly(
            "rt: unexpected java.lang.IllegalStateException: why",
            "rt: unexpected java.io.IOException: gone");
  }

  @Test
  void shouldMakeOneLineOfAnyText() {
    assertThat(CommandErrors.oneLine(null)).isEmpty();
    assertThat(CommandErrors.oneLine(" a\r\n\tb\u0007c ")).isEqualTo("a b c");
  }
}
