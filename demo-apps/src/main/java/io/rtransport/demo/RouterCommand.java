package io.rtransport.demo;

import io.rtransport.command.CommandErrors;
import io.rtransport.command.CommandFailure;
import io.rtransport.command.ControlOption;
import io.rtransport.command.NodeOption;
import io.rtransport.command.OutputFile;
import io.rtransport.core.node.NodeName;
import io.rtransport.core.text.HostPort;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.core.text.Quantity;
import io.rtransport.demo.socket.Hosts;
import io.rtransport.netty.control.ControlSocket;
import io.rtransport.netty.node.NodeConfig;
import io.rtransport.netty.node.RouterStats;
import io.rtransport.netty.node.RtNode;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code rt router}: forwards messages of nodes between its networks, until Ctrl-C. */
@Command(
    name = "router",
    description = {
      "Forwards messages of nodes between its networks, until Ctrl-C. Prints its addresses when it is ready.",
      "A message passes range by range. Acknowledgements, answers and errors come from its destination."
    },
    footer = {
      "",
      "Example: rt router --listen 127.0.0.1:7500@net0,127.0.0.1:7501@net1 --origins alpha --peer beta=127.0.0.1:7600"
    })
final class RouterCommand implements Callable<Integer> {
  private static final String NAME_VALID = "1 to 64 letters, digits, '.', '_' and '-'";

  @Mixin private CommonOptions common;
  @Mixin private NodeOption knobs;
  @ParentCommand private RtCommand rt;

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "ADDR@NET[,ADDR@NET...]",
      description = "Its addresses, each on a network of its own; port 0 lets the system pick one.")
  private String listen;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "router",
      description = "How it calls itself (default: ${DEFAULT-VALUE}).")
  private String name;

  @Option(
      names = "--origins",
      required = true,
      paramLabel = "NAME[,NAME...]",
      description = "Nodes whose messages it forwards. Names are not proved.")
  private String origins;

  @Option(
      names = "--peer",
      required = true,
      paramLabel = "NAME=ADDR[,ADDR...]",
      description =
          "A node that it reaches itself, at one address for each network. May be repeated.")
  private List<String> peers;

  @Option(
      names = "--far",
      paramLabel = "NAME@NET",
      description = "A node on a network behind another router. May be repeated.")
  private List<String> far = new ArrayList<>();

  @Option(
      names = "--route",
      paramLabel = "NET=ROUTER[,HOPS[,PRIORITY]]",
      description =
          "The router, a --peer, that leads to a network: 1..8 hops (default 1), priority 0..65535, the lowest first (default 0). May be repeated.")
  private List<String> routes = new ArrayList<>();

  @Option(
      names = "--insecure",
      description =
          "Allows addresses other than loopback: there is no authentication, whoever reaches them may send as any listed origin.")
  private boolean insecure;

  @Option(
      names = "--control",
      paramLabel = "PATH",
      description = "Answers rt stat at a unix socket of this path, for its owner alone.")
  private Path control;

  @Option(names = "--until-stdin-ends", hidden = true, description = "Ends with its parent.")
  private boolean untilStdinEnds;

  @Override
  public Integer call() throws Exception {
    Map<String, InetSocketAddress> networks = networks();
    NodeConfig config = config(networks);
    OutputFile json = common.json();
    knobs.apply();
    try (RtNode node = open(config);
        ControlSocket socket = ControlOption.open("--control", control, ControlSocket::open)) {
      List<String> listening = new ArrayList<>();
      int index = 0;
      for (String network : networks.keySet()) {
        listening.add(Hosts.text(node.addresses().get(index++)) + "@" + network);
      }
      common.out().println("listening on " + String.join(",", listening));
      if (socket != null) {
        common.out().println("controlled at " + socket.path());
      }
      common.out().flush();
      if (untilStdinEnds) {
        rt.interruption().requestAtEndOfInput();
      }
      rt.interruption().awaitRequest();
      RouterStats stats = node.routerStats();
      json.writeJson(result(listening, stats));
      common
          .out()
          .printf(
              "%d forwarded, %d of strangers, %d without a way on, %d lost, %d unknown%n",
              stats.forwarded(),
              stats.strangers(),
              stats.withoutRoute(),
              stats.lost(),
              stats.unknown());
      common.out().flush();
    }
    return CommandErrors.OK;
  }

  private Map<String, InetSocketAddress> networks() {
    Map<String, InetSocketAddress> networks = new LinkedHashMap<>();
    for (String part : listen.split(",", -1)) {
      int at = part.lastIndexOf('@');
      String network = at < 0 ? "" : part.substring(at + 1).strip();
      boolean isNew = NodeName.isName(network) && !networks.containsKey(network);
      if (!isNew) {
        throw new InvalidValueException(
            "--listen", part, "ADDR@NET, each network once; its name has " + NAME_VALID);
      }
      HostPort hostPort = HostPort.parse("--listen", part.substring(0, at).strip(), 0);
      InetSocketAddress address = Hosts.resolve("--listen", hostPort)[0];
      if (!insecure && !address.getAddress().isLoopbackAddress()) {
        throw new InvalidValueException(
            "--listen",
            hostPort.toString(),
            "a loopback address, or any with --insecure: nothing is authenticated yet");
      }
      networks.put(network, address);
    }
    return networks;
  }

  private NodeConfig config(Map<String, InetSocketAddress> networks) {
    NodeConfig config = checked("--name", name, NAME_VALID, () -> NodeConfig.named(name));
    networks.forEach(config::listenOn);
    for (String peer : peers) {
      String[] parts = halves("--peer", peer, '=', "NAME=ADDR[,ADDR...]");
      List<InetSocketAddress> addresses = new ArrayList<>();
      for (HostPort each : HostPort.parseList("--peer", parts[1], 1)) {
        addresses.add(Hosts.resolve("--peer", each)[0]);
      }
      InetSocketAddress[] all = addresses.toArray(new InetSocketAddress[0]);
      checked("--peer", peer, "each name once, 1..8 addresses", () -> config.peer(parts[0], all));
    }
    for (String each : far) {
      String[] parts = halves("--far", each, '@', "NAME@NET");
      checked(
          "--far",
          each,
          "NAME@NET, a name of 1..45 that is no --peer",
          () -> config.peerOn(parts[0], parts[1]));
    }
    for (String route : routes) {
      addRoute(config, route);
    }
    checked("--origins", origins, NAME_VALID, () -> config.forwardFor(origins.split(",", -1)));
    return config;
  }

  private static void addRoute(NodeConfig config, String route) {
    String[] parts = halves("--route", route, '=', "NET=ROUTER[,HOPS[,PRIORITY]]");
    String[] values = parts[1].split(",", -1);
    if (values.length > 3) {
      throw new InvalidValueException("--route", route, "NET=ROUTER[,HOPS[,PRIORITY]]");
    }
    int hops = values.length < 2 ? 1 : (int) Quantity.count("--route", values[1], 1, 8);
    int priority = values.length < 3 ? 0 : (int) Quantity.count("--route", values[2], 0, 65_535);
    checked(
        "--route",
        route,
        "names of a network and a router",
        () -> config.route(parts[0], values[0], hops, priority));
  }

  private static String[] halves(String option, String text, char between, String valid) {
    int at = text.indexOf(between);
    if (at < 1 || at == text.length() - 1) {
      throw new InvalidValueException(option, text, valid);
    }
    return new String[] {text.substring(0, at), text.substring(at + 1)};
  }

  /** Makes an exception over a value one that names its option. */
  private static NodeConfig checked(
      String option, String text, String valid, Callable<NodeConfig> action) {
    try {
      return action.call();
    } catch (Exception e) {
      throw new InvalidValueException(option, text, valid + " (" + e.getMessage() + ")");
    }
  }

  private RtNode open(NodeConfig config) {
    try {
      return RtNode.open(config);
    } catch (IllegalArgumentException e) { // only all values together show it
      throw new InvalidValueException("--route", String.join(" ", routes), e.getMessage());
    } catch (CompletionException e) {
      throw new CommandFailure("cannot listen on " + listen + ": " + e.getCause().getMessage());
    }
  }

  private static Map<String, Object> result(List<String> addresses, RouterStats stats) {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("pid", ProcessHandle.current().pid());
    result.put("addresses", addresses);
    result.put("forwarded", stats.forwarded());
    result.put("strangers", stats.strangers());
    result.put("withoutRoute", stats.withoutRoute());
    result.put("lost", stats.lost());
    result.put("unknown", stats.unknown());
    result.put("heldBytesMax", stats.heldBytesMax());
    return result;
  }
}
