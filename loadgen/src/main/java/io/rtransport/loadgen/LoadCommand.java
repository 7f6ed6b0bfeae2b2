package io.rtransport.loadgen;

import io.rtransport.command.CommandErrors;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The load generator's half of {@code rt}: only the list of its commands. It starts {@code serve}
 * and {@code proxy} itself.
 */
@Command(
    name = "rt",
    description = "Measures RT beside other transports.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      RunCommand.class,
      CompareCommand.class,
      ServeCommand.class,
      ProxyCommand.class,
    })
public final class LoadCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  /** Returns the command line, ready to execute. Tests give it their own writers. */
  static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new LoadCommand());
    CommandErrors.handle(commandLine, List.of(IOException.class));
    commandLine.setUsageHelpAutoWidth(true);
    return commandLine;
  }

  /** Runs a command and exits with its status. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }
}
