package io.rtransport.demo;

import io.rtransport.command.CommandErrors;
import io.rtransport.command.Interruption;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code rt}: only the list of its commands. {@link CommandErrors} handles their
 * failures.
 */
@Command(
    name = "rt",
    description = "RT, a reliable message transport over UDP.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DemoCommand.class,
      TargetCommand.class,
      PushCommand.class,
      PullCommand.class,
      ListCommand.class,
      PingCommand.class,
      StatCommand.class,
      RouterCommand.class,
      AdpCommand.class,
      SimCommand.class,
      VersionCommand.class
    },
    footer = {
      "",
      "Also, of the load generator:",
      "  load     Measures one transport; see rt load --help.",
      "  compare  Measures several transports in turn; see rt compare --help.",
      "",
      "Example: rt demo --loss 0.05",
      "Exit status: 0 success, 1 the work failed or a check did not hold, 2 usage error."
    })
public final class RtCommand implements Runnable {
  /** Time to print the results and close the connections. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private final Interruption interruption;

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  private RtCommand(Interruption interruption) {
    this.interruption = interruption;
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  /** Returns the interruption, which asks the running command to end. */
  Interruption interruption() {
    return interruption;
  }

  /** Returns a command line that nothing interrupts, for tests. */
  static CommandLine commandLine() {
    return commandLine(new Interruption());
  }

  /**
   * Returns the command line, ready to execute. Tests give it their own writers and interrupt it
   * themselves.
   */
  static CommandLine commandLine(Interruption interruption) {
    CommandLine commandLine = new CommandLine(new RtCommand(interruption));
    CommandErrors.handle(commandLine, List.of());
    commandLine.setUsageHelpAutoWidth(true);
    return commandLine;
  }

  public static void main(String[] args) {
    Interruption interruption = Interruption.ofProcess(GRACE);
    interruption.end(commandLine(interruption).execute(args));
  }
}
