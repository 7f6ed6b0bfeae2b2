package io.rtransport.demo;

import io.rtransport.command.CommandErrors;
import io.rtransport.core.fuzz.FuzzCommandLine;
import io.rtransport.core.fuzz.FuzzInput;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Argument vectors of every command of {@code rt} but the load generator's. {@code adp} is run to
 * its end where it writes no file, {@code sim} is read to its last option, of the others the line
 * is parsed: valid, or one line and exit status 2.
 */
public final class CommandFuzz {
  private static final List<String> COMMANDS_OF_WORDS =
      List.of(
          "sim",
          "adp explain",
          "adp encode",
          "adp decode",
          "demo",
          "target",
          "push",
          "pull",
          "ls",
          "ping",
          "version",
          "adp",
          "");

  private static final List<String> VALUES =
      List.of(
          "swarm",
          "default",
          "abort",
          "incast-32",
          "loss-ladder",
          "wan",
          "lossy",
          "loopback",
          "TTPTP",
          "TTTTTTTTTTTTTTTTPPPPPPPP",
          "1..5000",
          "-3..-1",
          "1,2,3",
          "00".repeat(64),
          "x",
          "channel",
          "queue",
          "epoll");

  /** Made once: picocli sets every option back before it parses. */
  private static final CommandLine RT = RtCommand.commandLine();

  static {
    RT.setExecutionStrategy(CommandFuzz::harmless);
  }

  private CommandFuzz() {}

  /** The command, then arguments. */
  public static void fuzzerTestOneInput(byte[] data) {
    FuzzInput input = new FuzzInput(data);
    List<String> words =
        Stream.of(COMMANDS_OF_WORDS.get(input.below(COMMANDS_OF_WORDS.size())).split(" "))
            .filter(word -> !word.isEmpty())
            .toList();
    CommandLine command = RT;
    for (String word : words) {
      command = command.getSubcommands().get(word);
    }
    List<String> options =
        command.getCommandSpec().options().stream()
            .flatMap(option -> Stream.of(option.names()))
            .sorted()
            .toList();
    List<String> arguments = new ArrayList<>(words);
    arguments.addAll(FuzzCommandLine.arguments(input, options, VALUES));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    RT.setOut(new PrintWriter(out, true));
    RT.setErr(new PrintWriter(err, true));
    int status = RT.execute(arguments.toArray(String[]::new));
    FuzzCommandLine.check(arguments, status, out.toString(), err.toString());
  }

  private static int harmless(ParseResult parsed) {
    Integer helped = CommandLine.executeHelpRequest(parsed);
    if (helped != null) {
      return helped;
    }
    ParseResult leaf = parsed;
    while (leaf.hasSubcommand()) {
      leaf = leaf.subcommand();
    }
    CommandSpec spec = leaf.commandSpec();
    try {
      if (spec.userObject() instanceof SimCommand sim) {
        sim.request();
      } else if (spec.userObject() instanceof AdpCommand.Part part
          && !leaf.hasMatchedOption("--json")
          && !leaf.hasMatchedOption("--svg")) {
        part.run();
      }
      return CommandErrors.OK;
    } catch (RuntimeException e) {
      throw new ExecutionException(spec.commandLine(), e.toString(), e);
    }
  }
}
