package io.rtransport.demo;

import io.rtransport.command.CommandErrors;
import io.rtransport.command.CommandFailure;
import io.rtransport.command.Interruption;
import io.rtransport.command.OutputFile;
import io.rtransport.command.SocketKind;
import io.rtransport.core.text.HostPort;
import io.rtransport.core.text.Quantity;
import io.rtransport.demo.initiator.ChannelInitiator;
import io.rtransport.demo.initiator.RequestException;
import io.rtransport.demo.socket.EventLoops;
import io.rtransport.demo.socket.Hosts;
import io.rtransport.demo.terminal.LatencySummary;
import io.rtransport.demo.terminal.Units;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code rt ping}: the round trip to a target's application, shown like the system's ping. */
@Command(
    name = "ping",
    description = "Measures the way to a target's application and back, until Ctrl-C or --count.",
    footer = {"", "Example: rt ping 127.0.0.1:7400 --count 5"})
final class PingCommand implements Callable<Integer> {
  @Mixin private CommonOptions common;
  @ParentCommand private RtCommand rt;

  @Parameters(paramLabel = "ADDR", description = "The target.")
  private String address;

  @Mixin private CountOption count;

  @Option(
      names = {"-i", "--interval"},
      paramLabel = "D",
      defaultValue = "1s",
      description = "Between two of them (default: ${DEFAULT-VALUE}).")
  private String interval;

  @Option(
      names = "--busy-poll",
      description = "An event loop that never sleeps: lower latency, a processor taken.")
  private boolean busyPoll;

  @Override
  public Integer call() throws Exception {
    List<HostPort> targets = HostPort.parseList("ADDR", address, 1);
    long countMax = count.max();
    long intervalNs = Quantity.durationNs("--interval", interval, 0, CountOption.INTERVAL_NS_MAX);
    EventLoops loops = new EventLoops(SocketKind.best(), 1, busyPoll);
    OutputFile json = common.json();
    LatencySummary times = new LatencySummary();
    long sent = 0;
    String failure = null;
    try (ChannelInitiator initiator =
        ChannelInitiator.connect("ADDR", targets, loops, channel -> {})) {
      Interruption interruption = rt.interruption();
      Runnable cancel = interruption.onRequest(initiator::abort);
      PrintWriter out = common.out();
      String to = Hosts.text(initiator.remoteAddress());
      out.printf("PING %s (%s)%n", address, to);
      while (sent < countMax
          && !(sent > 0 && interruption.awaitRequest(intervalNs))
          && !interruption.isRequested()) {
        sent++;
        long startNs = System.nanoTime();
        initiator.echo(sent);
        long elapsedNs = System.nanoTime() - startNs;
        times.add(elapsedNs);
        out.printf("from %s: seq=%d time=%s%n", to, sent, Units.millis(elapsedNs));
        out.flush();
      }
      cancel.run();
    } catch (RequestException e) {
      failure = e.getMessage();
    }
    summarise(sent, times);
    json.writeJson(result(sent, times));
    if (failure != null && !(rt.interruption().isRequested() && times.count() > 0)) {
      throw new CommandFailure(failure);
    }
    return times.count() > 0 ? CommandErrors.OK : CommandErrors.FAILED;
  }

  private void summarise(long sent, LatencySummary times) {
    if (sent == 0) {
      return;
    }
    PrintWriter out = common.out();
    out.printf("--- %s ping statistics ---%n", address);
    out.printf(
        "%d sent, %d received, %s lost%n",
        sent, times.count(), percent(sent - times.count(), sent));
    if (times.count() > 0) {
      out.printf("time min/avg/max/mdev = %s%n", times.asPing());
    }
    out.flush();
  }

  private static String percent(long part, long whole) {
    return Math.round(100.0 * part / whole) + " %";
  }

  private Map<String, Object> result(long sent, LatencySummary times) throws IOException {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("to", address);
    result.put("sent", sent);
    result.put("received", times.count());
    result.put("latencyMicros", times.micros());
    return result;
  }
}
