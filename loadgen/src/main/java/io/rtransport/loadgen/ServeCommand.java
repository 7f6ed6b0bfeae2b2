package io.rtransport.loadgen;

import io.rtransport.command.CommandErrors;
import io.rtransport.core.json.Json;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.loadgen.rig.LoadOptions;
import io.rtransport.loadgen.rig.LoadServer;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The server process that {@code load} starts. It prints its port on one line, and ends with its
 * standard input.
 */
@Command(name = "serve", hidden = true)
final class ServeCommand implements Callable<Integer> {
  @Override
  public Integer call() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (LoadServer server = new LoadServer(any, ServeCommand::options)) {
      Thread thread = new Thread(server::run, "rt-load-accept");
      thread.setDaemon(true);
      thread.start();
      System.out.println(Json.write(Map.of("port", server.address().getPort())));
      System.out.flush();
      while (System.in.read() >= 0) {
        // The input carries no commands; only its end counts.
      }
    }
    return CommandErrors.OK;
  }

  /** Runs {@code load --mode server}: serves until it is interrupted. */
  static int serve(LoadOptions options, PrintWriter out) throws Exception {
    InetSocketAddress at = new InetSocketAddress(options.listen().host(), options.listen().port());
    if (at.isUnresolved()) {
      throw new InvalidValueException(
          "--listen", options.listen().toString(), "an address of this machine");
    }
    if (!at.getAddress().isLoopbackAddress() && !options.insecure()) {
      throw new InvalidValueException(
          "--listen",
          options.listen().toString(),
          "a loopback address, or any with --insecure (nothing is authenticated)");
    }
    try (LoadServer server = new LoadServer(at, ServeCommand::options)) {
      out.println(
          "listening on " + at.getAddress().getHostAddress() + ":" + server.address().getPort());
      out.flush();
      server.run();
    }
    return CommandErrors.OK;
  }

  /** Parses a client's arguments, which are as untrusted as a user's. */
  private static LoadOptions options(List<String> arguments) {
    ClientArguments parsed = new ClientArguments();
    try {
      new CommandLine(parsed).parseArgs(arguments.toArray(String[]::new));
    } catch (CommandLine.ParameterException e) {
      throw new InvalidValueException("arguments", String.join(" ", arguments), e.getMessage());
    }
    return LoadFlagReader.read(parsed.flags, parsed.transport);
  }

  @Command
  private static final class ClientArguments {
    @Option(names = "--transport", defaultValue = "rt")
    private String transport;

    @Mixin private LoadFlags flags;
  }
}
