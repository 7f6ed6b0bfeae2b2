package io.rtransport.demo;

import io.rtransport.demo.terminal.Interruption;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code rt}: the list of its commands, and nothing else. What they have in common
 * about failures stands in {@link Errors}.
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

  /** What asks the running command to end. */
  Interruption interruption() {
    return interruption;
  }

  /** A command line that nothing interrupts: for tests. */
  static CommandLine commandLine() {
    return commandLine(new Interruption());
  }

  /**
   * The command line, ready to execute; also for tests, which give it their own writers and
   * interrupt it themselves.
   */
  static CommandLine commandLine(Interruption interruption) {
    Errors errors = new Errors();
    CommandLine commandLine = new CommandLine(new RtCommand(interruption));
    commandLine.setParameterExceptionHandler(errors);
    commandLine.setExecutionExceptionHandler(errors);
    commandLine.setUsageHelpAutoWidth(true);
    return commandLine;
  }

  public static void main(String[] args) {
    Interruption interruption = Interruption.ofProcess();
    interruption.end(commandLine(interruption).execute(args));
  }
}
