package io.rtransport.demo;

import io.rtransport.command.CommandErrors;
import io.rtransport.command.CommandFailure;
import io.rtransport.command.OutputFile;
import io.rtransport.core.json.Json;
import io.rtransport.core.text.HostPort;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.core.text.Quantity;
import io.rtransport.demo.stat.NodeState;
import io.rtransport.demo.stat.RailShares;
import io.rtransport.demo.stat.StateTables;
import io.rtransport.netty.control.ControlClient;
import io.rtransport.netty.control.HealthKnobs;
import io.rtransport.netty.control.RefusedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code rt stat}: what a node in another process of this host is doing. */
@Command(
    name = "stat",
    description = {
      "Shows what a node in another process of this host is doing: its rails with their share of the traffic,",
      "the health of interfaces, connections, queues, memory and counters. Sets knobs of health."
    },
    footer = {
      "",
      "Example: rt stat /tmp/rt.sock",
      "         rt stat /tmp/rt.sock --watch",
      "         rt stat /tmp/rt.sock --set health-sensitivity=200"
    })
final class StatCommand implements Callable<Integer> {
  /** A node answers anew five times a second. */
  private static final long INTERVAL_NS_MIN = 200_000_000;

  /** Cursor to the first line, and everything behind it erased. */
  private static final String ERASE_ALL = "\u001b[H\u001b[J";

  @Mixin private CommonOptions common;
  @ParentCommand private RtCommand rt;
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "ADDR",
      description = "Path of the node's control socket; see rt target --control.")
  private Path address;

  @Option(
      names = {"-w", "--watch"},
      arity = "0..1",
      paramLabel = "D",
      fallbackValue = "1s",
      converter = Interval.class,
      description =
          "Again and again, until Ctrl-C, with this pause, 200ms or longer (1s if none is given; ADDR then stands before it). A terminal is redrawn; elsewhere each state is a line of JSON.")
  private Long watchNs;

  @Mixin private CountOption count;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description =
          "First sets a knob of health, for the whole process of the node; may be repeated, and all are set or none. docs/reference/health.md has their names.")
  private List<String> knobs = new ArrayList<>();

  @Override
  public Integer call() throws InterruptedException {
    if (count.isGiven() && watchNs == null) {
      throw new InvalidValueException("--count", count.text(), "with --watch only");
    }
    long countMax = watchNs == null ? 1 : count.max();
    HealthKnobs wanted = HealthKnobs.parse("--set", knobs);
    checkNoPort();
    OutputFile json = common.json();
    if (!wanted.isEmpty()) {
      ask(() -> ControlClient.set(address, wanted));
    }
    show(countMax, json);
    return CommandErrors.OK;
  }

  private void checkNoPort() {
    if (address.toString().isEmpty()) {
      throw new InvalidValueException("ADDR", "", "the path of a control socket");
    }
    if (!Files.exists(address, LinkOption.NOFOLLOW_LINKS) && isHostPort()) {
      throw new InvalidValueException(
          "ADDR",
          address.toString(),
          "the path of a control socket; a node tells its state at no port");
    }
  }

  private boolean isHostPort() {
    try {
      HostPort.parse("ADDR", address.toString(), 0);
      return true;
    } catch (InvalidValueException e) {
      return false;
    }
  }

  /** Shows states, and writes the last one that was seen, also when the node has gone meanwhile. */
  private void show(long countMax, OutputFile json) throws InterruptedException {
    RailShares course = new RailShares();
    NodeState last = null;
    for (long shown = 0; shown < countMax; shown++) {
      if (shown > 0 && rt.interruption().awaitRequest(watchNs)) {
        break;
      }
      try {
        NodeState read = NodeState.parse(ask(() -> ControlClient.stat(address)));
        last = watchNs == null ? read : course.next(read, System.nanoTime());
      } catch (CommandFailure e) {
        if (last == null) {
          throw e;
        }
        json.writeJson(last.json());
        throw new CommandFailure(e.getMessage() + "; " + seen(shown, json));
      }
      print(last);
      if (common.out().checkError()) {
        break; // nobody reads any more
      }
    }
    json.writeJson(last.json());
  }

  private static String seen(long shown, OutputFile json) {
    String states = shown == 1 ? "1 state was seen" : shown + " states were seen";
    return json.isAskedFor() ? states + ", the last is in the file of --json" : states;
  }

  private void print(NodeState state) {
    PrintWriter out = common.out();
    if (watchNs == null) {
      StateTables.print(state, out);
    } else if (Boolean.getBoolean("rt.terminal.output")) {
      out.print(ERASE_ALL);
      StateTables.print(state, out);
    } else {
      out.println(Json.write(state.json()));
      out.flush();
    }
  }

  /**
   * Reads the value of {@code --watch} as soon as it is met: a path that stands there is then the
   * fault that is told, and not that there is no ADDR.
   */
  private static final class Interval implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      return Quantity.durationNs("--watch", text, INTERVAL_NS_MIN, CountOption.INTERVAL_NS_MAX);
    }
  }

  private interface Request {
    String send() throws IOException;
  }

  private String ask(Request request) {
    try {
      return request.send();
    } catch (RefusedException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    } catch (IOException e) {
      throw new CommandFailure("no node answers at " + address + ": " + e.getMessage());
    }
  }
}
