package io.rtransport.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

class CommandTablesTest {
  @Command(name = "rt", subcommands = Copy.class)
  private static final class Root {}

  @Command(
      name = "copy",
      subcommands = {Deep.class, Secret.class})
  private static final class Copy {
    @Parameters(paramLabel = "FILE", arity = "1..*", description = "What to copy.")
    List<Path> files;

    @Option(
        names = {"-h", "--help"},
        usageHelp = true)
    boolean help;

    @Option(
        names = {"--to", "-t"},
        paramLabel = "NAME|FILE",
        defaultValue = "here",
        description = {"Where to,", "100 %% (default: ${DEFAULT-VALUE})."})
    String to;

    @Option(names = "--secret", hidden = true)
    boolean secret;

    @Option(names = "--quick", description = "Without a sum.")
    boolean quick;
  }

  @Command(name = "deep")
  private static final class Deep {}

  @Command(name = "secret", hidden = true)
  private static final class Secret {}

  @Test
  void shouldPrintWhatIsTypedAndWhatItDoes() {
    CommandSpec copy = CommandTables.commands(new CommandLine(new Root())).get(0);
    assertThat(CommandTables.table(copy).lines())
        .containsExactly(
            "| option | what it does |",
            "|---|---|",
            "| `FILE…` | What to copy. |",
            "| `--quick` | Without a sum. |",
            "| `-t`, `--to NAME\\|FILE` | Where to, 100 % (default: here). |");
  }

  @Test
  void shouldNameEveryCommandThatHelpShows() {
    assertThat(CommandTables.commands(new CommandLine(new Root())))
        .extracting(CommandSpec::qualifiedName)
        .containsExactly("rt copy", "rt copy deep");
  }
}
