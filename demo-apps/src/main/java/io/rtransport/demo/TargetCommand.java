package io.rtransport.demo;

import io.rtransport.command.CommandErrors;
import io.rtransport.command.CommandFailure;
import io.rtransport.command.ControlOption;
import io.rtransport.command.NodeOption;
import io.rtransport.command.OutputFile;
import io.rtransport.command.ProfileOptions;
import io.rtransport.command.SocketKind;
import io.rtransport.core.text.HostPort;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.core.text.Quantity;
import io.rtransport.demo.socket.EventLoops;
import io.rtransport.demo.socket.Hosts;
import io.rtransport.demo.store.FileStore;
import io.rtransport.demo.target.FileTarget;
import io.rtransport.demo.terminal.ProcessFigures;
import io.rtransport.netty.control.AdpSettings;
import io.rtransport.netty.control.ControlSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code rt target}: stores pushes, answers pulls, until Ctrl-C. */
@Command(
    name = "target",
    description = {
      "Stores pushes in a directory and answers pulls, until Ctrl-C. Prints its addresses when it is ready.",
      "A push is acknowledged when its file is whole, its checksum right, and file and name are forced to the disk."
    },
    footer = {"", "Example: rt target --listen 127.0.0.1:7400 --root /tmp/store"})
final class TargetCommand implements Callable<Integer> {
  private static final int THREADS_MAX = 256;

  @Mixin private CommonOptions common;
  @Mixin private ProfileOptions adp;
  @Mixin private NodeOption node;
  @ParentCommand private RtCommand rt;

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "ADDR[,ADDR...]",
      description =
          "Where to listen; port 0 lets the system pick one. Clients are told the others of the same family, up to eight in all, and use them as one.")
  private String listen;

  @Option(
      names = "--root",
      required = true,
      paramLabel = "DIR",
      description = "Where to store; made if need be.")
  private Path root;

  @Option(
      names = "--insecure",
      description =
          "Allows addresses other than loopback: there is no authentication, whoever reaches them may store and read files.")
  private boolean insecure;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Event loops behind each address; clients are spread over them (default: ${DEFAULT-VALUE}).")
  private String threads;

  @Option(
      names = "--io",
      paramLabel = "IO",
      description = "Sockets: epoll (default where there is), nio or io_uring.")
  private String io;

  @Option(
      names = "--busy-poll",
      description = "Event loops that never sleep: lower latency, a processor each.")
  private boolean busyPoll;

  @Option(
      names = "--control",
      paramLabel = "PATH",
      description =
          "Answers rt stat and rt adp query and set at a unix socket of this path, for its owner alone.")
  private Path control;

  @Option(names = "--until-stdin-ends", hidden = true, description = "Ends with its parent.")
  private boolean untilStdinEnds;

  @Override
  public Integer call() throws Exception {
    List<InetSocketAddress> addresses = addresses();
    AdpSettings settings = adp.read();
    int loopCount = (int) Quantity.count("--threads", threads, 1, THREADS_MAX);
    SocketKind kind = io == null ? SocketKind.best() : SocketKind.named("--io", io);
    EventLoops loops = new EventLoops(kind, loopCount, busyPoll);
    OutputFile json = common.json();
    node.apply();
    TargetReport report = new TargetReport(common.out());
    try (FileStore store = open();
        FileTarget target = bind(addresses, loops, settings, store, report);
        ControlSocket socket =
            ControlOption.open(
                "--control", control, path -> ControlSocket.open(path, target.register()))) {
      List<String> texts = target.addresses().stream().map(Hosts::text).toList();
      common
          .out()
          .println("listening on " + String.join(",", texts) + ", storing in " + store.root());
      if (socket != null) {
        common.out().println("controlled at " + socket.path());
      }
      common.out().flush();
      if (untilStdinEnds) {
        rt.interruption().requestAtEndOfInput();
      }
      rt.interruption().awaitRequest();
      target.close();
      json.writeJson(result(texts, report, target));
    }
    common.out().println(report.summary());
    common.out().flush();
    return CommandErrors.OK;
  }

  private List<InetSocketAddress> addresses() {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (HostPort hostPort : HostPort.parseList("--listen", listen, 0)) {
      InetSocketAddress address = Hosts.resolve("--listen", hostPort)[0];
      if (!insecure && !address.getAddress().isLoopbackAddress()) {
        throw new InvalidValueException(
            "--listen",
            hostPort.toString(),
            "a loopback address, or any with --insecure: nothing is authenticated yet");
      }
      addresses.add(address);
    }
    return addresses;
  }

  private FileStore open() {
    try {
      return FileStore.open(root);
    } catch (IOException e) {
      throw new InvalidValueException(
          "--root", root.toString(), "a directory to write in (" + e + ")");
    }
  }

  private FileTarget bind(
      List<InetSocketAddress> addresses,
      EventLoops loops,
      AdpSettings settings,
      FileStore store,
      TargetReport report) {
    try {
      return FileTarget.open(addresses, loops, settings, store, report);
    } catch (IOException e) {
      throw new CommandFailure("cannot listen on " + listen + ": " + e.getMessage());
    }
  }

  private static Map<String, Object> result(
      List<String> addresses, TargetReport report, FileTarget target) {
    Map<String, Object> result = new LinkedHashMap<>();
    long pid = ProcessHandle.current().pid();
    result.put("pid", pid);
    result.put("addresses", addresses);
    report.putTo(result);
    result.put("counters", target.counters());
    result.put("loopCounters", target.loopCounters());
    result.put("peakRssBytes", ProcessFigures.peakRssBytes(pid));
    return result;
  }
}
