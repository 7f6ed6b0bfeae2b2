package io.rtransport.loadgen;

import io.rtransport.command.CommandErrors;
import io.rtransport.core.fuzz.FuzzCommandLine;
import io.rtransport.core.fuzz.FuzzInput;
import io.rtransport.loadgen.impair.RailEvent;
import io.rtransport.loadgen.rig.LoadOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.ParseResult;

/**
 * Argument vectors of {@code rt load} and {@code rt compare}, read to the last option and not run:
 * valid, or one line and exit status 2, and what is valid has sizes, counts and times in the ranges
 * that a run can bear.
 */
public final class LoadFlagsFuzz {
  private static final List<String> VALUES =
      Stream.of(
              "echo push pull idle client server embedded epoll nio io_uring rt udp udp:gso kcp",
              "quic aeron aeron:invoker tcp:packed rt,tcp udp,rt,quic completed received sent",
              "proxy receiver wan lossy loopback channel queue 64,1k,64k 100m report.json",
              "0.1@0 1ms@1 0@1s 1@1s:close 0@2s 1@50ms:back 7@0 0.1,0.2@1")
          .flatMap(line -> Stream.of(line.split(" ")))
          .toList();

  /** Made once: picocli sets every option back before it parses. */
  private static final CommandLine COMMANDS = LoadCommand.commandLine();

  static {
    COMMANDS.setExecutionStrategy(LoadFlagsFuzz::readOnly);
  }

  private LoadFlagsFuzz() {}

  /** The command, then arguments. */
  public static void fuzzerTestOneInput(byte[] data) {
    FuzzInput input = new FuzzInput(data);
    String command = input.below(4) == 0 ? "compare" : "load";
    List<String> options =
        COMMANDS.getSubcommands().get(command).getCommandSpec().options().stream()
            .flatMap(option -> Stream.of(option.names()))
            .sorted()
            .toList();
    List<String> arguments = new ArrayList<>(List.of(command));
    arguments.addAll(FuzzCommandLine.arguments(input, options, VALUES));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    COMMANDS.setOut(new PrintWriter(out, true));
    COMMANDS.setErr(new PrintWriter(err, true));
    int status = COMMANDS.execute(arguments.toArray(String[]::new));
    FuzzCommandLine.check(arguments, status, out.toString(), err.toString());
  }

  private static int readOnly(ParseResult parsed) {
    Integer helped = CommandLine.executeHelpRequest(parsed);
    if (helped != null) {
      return helped;
    }
    CommandLine command = parsed.subcommand().commandSpec().commandLine();
    try {
      if (command.getCommandSpec().userObject() instanceof RunCommand run) {
        check(run.options());
      } else {
        CompareCommand compare = (CompareCommand) command.getCommandSpec().userObject();
        require(compare.roundCount() >= 1);
        check(compare.options(compare.names()));
      }
      return CommandErrors.OK;
    } catch (RuntimeException e) {
      throw new ExecutionException(command, e.toString(), e);
    }
  }

  private static void check(LoadOptions options) {
    require(options.connections() >= 1 && options.connections() <= 10_000);
    require(options.threads() >= 1 && options.threads() <= 64);
    require(options.durationNs() >= 100_000_000L && options.warmupNs() >= LoadOptions.AUTO);
    require(options.settings().windowPackets() >= 64);
    require(options.rails().count() >= 1 && options.rails().count() <= 8);
    for (RailEvent event : options.rails().events()) {
      require(event.rail() < options.rails().count() && event.atNs() <= options.durationNs());
    }
    require(options.settings().sizes().sizeBytesMax() <= 256 << 20);
    for (int size : options.sizesBytes()) {
      require(size >= 16);
    }
  }

  private static void require(boolean isRight) {
    if (!isRight) {
      throw new AssertionError("read as valid, and cannot be run");
    }
  }
}
