package io.rtransport.netty.node;

import io.rtransport.core.node.Route;
import io.rtransport.core.node.RoutingHeader;
import io.rtransport.netty.RtRail;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** What a node is opened with. It may be changed until then. For one thread at a time. */
public final class NodeConfig {
  /** Bytes that {@link #keptBytesMax(long)} takes at least. */
  public static final long KEPT_BYTES_MIN = 1_024;

  /** Bytes that {@link #keptBytesMax(long)} takes at most. */
  public static final long KEPT_BYTES_LIMIT = 1L << 40;

  /** Bytes that {@link #untakenBytesMax(long)} takes at least: one of the longest payloads. */
  public static final long UNTAKEN_BYTES_MIN = PutSink.LENGTH_MAX;

  /** Bytes that {@link #untakenBytesMax(long)} takes at most. */
  public static final long UNTAKEN_BYTES_LIMIT = 1L << 40;

  /** How long a route without a way on is not taken. */
  static final long REST_NS = 1_000_000_000L;

  private final String name;
  private final Listening listening = new Listening();
  private final Map<String, PeerConfig> peers = new LinkedHashMap<>();
  private final Map<String, String> networks = new LinkedHashMap<>();
  private final List<Route> routes = new ArrayList<>();
  private final Set<String> forwarded = new LinkedHashSet<>();
  private NodeTarget target = new NodeTarget() {};
  private int threads = 1;
  private boolean isNio;
  private long keptBytesMax = 256L << 20;
  private long untakenBytesMax = 256L << 20;

  private NodeConfig(String name) {
    this.name = checkedName(name);
  }

  /**
   * Begins the configuration of a node.
   *
   * @param name that it calls itself: 1 to 64 letters, digits, '.', '_' and '-'
   */
  public static NodeConfig named(String name) {
    return new NodeConfig(name);
  }

  private static String checkedName(String name) {
    if (!Hello.isName(Objects.requireNonNull(name, "name"))) {
      throw new IllegalArgumentException(
          "name=" + name + ", valid: 1 to 64 letters, digits, '.', '_' and '-'");
    }
    return name;
  }

  /**
   * Accepts other nodes at {@code local}. Several addresses may be given: a node that connects to
   * one of them is told the others of the same family, at most eight together. It uses all of them
   * as one, and remembers them for later connections. A wildcard tells nothing.
   *
   * @throws IllegalArgumentException if that address with that port was given before
   */
  public NodeConfig listen(InetSocketAddress local) {
    return listenOn("", local);
  }

  /**
   * Accepts other nodes at {@code local}, and tells that address only to those who connect on the
   * same network.
   *
   * @param network any name; those of {@link #listen} have the empty one
   * @throws IllegalArgumentException if that address with that port was given before
   */
  public NodeConfig listenOn(String network, InetSocketAddress local) {
    listening.add(Objects.requireNonNull(network, "network"), local);
    return this;
  }

  /** Sets who serves other nodes; by default nobody. */
  public NodeConfig target(NodeTarget application) {
    target = Objects.requireNonNull(application, "target");
    return this;
  }

  /**
   * Names a peer.
   *
   * @param peer the name that the peer calls itself
   * @param addresses its addresses, 1 to 8, each on a network of its own; the system chooses from
   *     where this node sends to each
   */
  public NodeConfig peer(String peer, InetSocketAddress... addresses) {
    if (addresses.length < 1 || addresses.length > PeerConfig.RAILS_MAX) {
      throw new IllegalArgumentException(
          "addresses of " + peer + "=" + addresses.length + ", valid: 1.." + PeerConfig.RAILS_MAX);
    }
    List<PeerConfig.Rail> rails = new ArrayList<>();
    for (InetSocketAddress address : addresses) {
      rails.add(new PeerConfig.Rail(null, address));
    }
    return add(peer, rails);
  }

  /**
   * Names a peer.
   *
   * @param peer the name that the peer calls itself
   * @param rails the ways to it, 1 to 8. A message may be bound to an address of ours that a rail
   *     names: {@link CallOptions#from}. Local addresses have port 0: each connection has a port of
   *     its own
   */
  public NodeConfig peer(String peer, List<RtRail> rails) {
    if (rails.isEmpty() || rails.size() > PeerConfig.RAILS_MAX) {
      throw new IllegalArgumentException(
          "rails to " + peer + "=" + rails.size() + ", valid: 1.." + PeerConfig.RAILS_MAX);
    }
    for (RtRail rail : rails) {
      if (rail.local() != null && rail.local().getPort() != 0) {
        throw new IllegalArgumentException(
            "local address of a rail to " + peer + "=" + rail.local() + ", valid: with port 0");
      }
    }
    return add(
        peer,
        rails.stream().map(rail -> new PeerConfig.Rail(rail.local(), rail.remote())).toList());
  }

  private NodeConfig add(String peer, List<PeerConfig.Rail> rails) {
    checkedName(peer);
    for (PeerConfig.Rail rail : rails) {
      if (Objects.requireNonNull(rail.remote(), "address").getPort() == 0) {
        throw new IllegalArgumentException(
            "address of " + peer + "=" + rail.remote() + ", valid: with a port");
      }
    }
    for (PeerConfig.Rail rail : rails.subList(1, rails.size())) {
      if (rail.remote().isUnresolved()) {
        throw new IllegalArgumentException(
            "address of " + peer + "=" + rail.remote() + ", valid: resolved, except the first");
      }
    }
    if (peers.putIfAbsent(peer, new PeerConfig(peer, List.copyOf(rails))) != null) {
      throw new IllegalArgumentException("peer=" + peer + ", valid: each once");
    }
    return this;
  }

  /**
   * Names a peer on another network, which routers reach. At {@link RtNode#open} there must be a
   * {@link #route} to that network.
   *
   * @param peer the name that the peer calls itself, 1 to 45 characters
   * @param network name of the peer's network, as in {@link #route}
   */
  public NodeConfig peerOn(String peer, String network) {
    if (!RoutingHeader.isRoutable(peer)) {
      throw new IllegalArgumentException(
          "peer=" + peer + ", valid: a name of 1.." + RoutingHeader.NAME_LENGTH_MAX);
    }
    checkedName(network);
    if (peers.containsKey(peer) || networks.putIfAbsent(peer, network) != null) {
      throw new IllegalArgumentException("peer=" + peer + ", valid: each once");
    }
    return this;
  }

  /**
   * Says that a network is reached through a router. Of several the one with the lowest priority is
   * taken, then with the fewest hops, then the healthiest; those as good take turns. Another is
   * taken while it has no way on, or does not answer.
   *
   * @param network its name
   * @param router name of a {@link #peer}, once for each network
   * @param hops routers on the way, 1 to 8
   * @param priority 0 to 65,535; the lowest is taken first
   */
  public NodeConfig route(String network, String router, int hops, int priority) {
    Route route = new Route(network, router, hops, priority);
    for (Route known : routes) {
      if (known.network().equals(network) && known.router().equals(router)) {
        throw new IllegalArgumentException(
            "route=" + network + " through " + router + ", valid: each once");
      }
    }
    routes.add(route);
    return this;
  }

  /**
   * Makes this node a router: it forwards messages of these origins between its peers. Names are
   * not proved, so in plain mode this keeps no attacker away.
   *
   * @param origins names that those nodes call themselves; at least one
   */
  public NodeConfig forwardFor(String... origins) {
    if (origins.length == 0) {
      throw new IllegalArgumentException("origins=0, valid: at least 1");
    }
    for (String origin : origins) {
      forwarded.add(checkedName(origin));
    }
    return this;
  }

  /**
   * Checks what only all values together can say, and returns the ways to each peer: from any
   * address of ours, and from each that the rails to it, or to its routers, name.
   */
  Map<String, List<Ways>> ways(Ways.Interfaces interfaces) {
    Map<String, List<Ways>> ways = new LinkedHashMap<>();
    for (Route route : routes) {
      if (!peers.containsKey(route.router())) {
        throw new IllegalArgumentException(
            "router=" + route.router() + ", valid: one of the peers " + peers.keySet());
      }
    }
    peers.forEach(
        (key, peer) -> {
          List<Ways> all = ways.computeIfAbsent(key, absent -> new ArrayList<>());
          all.add(Ways.to(peer, null, interfaces));
          peer.sources().forEach(source -> all.add(Ways.to(peer, source, interfaces)));
        });
    networks.forEach((peer, network) -> ways.put(peer, through(peer, network, interfaces)));
    return ways;
  }

  private List<Ways> through(String peer, String network, Ways.Interfaces interfaces) {
    if (!RoutingHeader.isRoutable(name)) {
      throw new IllegalArgumentException(
          "name=" + name + ", valid with routers: 1.." + RoutingHeader.NAME_LENGTH_MAX);
    }
    List<Route> to = routes.stream().filter(route -> route.network().equals(network)).toList();
    if (to.isEmpty() || peers.containsKey(peer)) {
      throw new IllegalArgumentException(
          "peer=" + peer + "@" + network + ", valid: given once, and a route to its network");
    }
    List<Ways> all = new ArrayList<>(List.of(through(to, null, interfaces)));
    Set<InetAddress> sources = new LinkedHashSet<>();
    to.forEach(route -> sources.addAll(peers.get(route.router()).sources()));
    for (InetAddress source : sources) {
      List<Route> from = new ArrayList<>(to);
      from.removeIf(route -> !peers.get(route.router()).sources().contains(source));
      all.add(through(from, source, interfaces));
    }
    return all;
  }

  private Ways through(List<Route> to, InetAddress source, Ways.Interfaces interfaces) {
    return Ways.through(to, REST_NS, peers, source, interfaces);
  }

  Set<String> forwarded() {
    return forwarded;
  }

  /** Sets the number of the node's event loops, at least 1; default 1. */
  public NodeConfig threads(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("threads=" + count + ", valid: at least 1");
    }
    threads = count;
    return this;
  }

  /**
   * Sets how many bytes of payloads and headers the node keeps for each peer: those of all messages
   * that have not ended, also while the peer is away. A message beyond it ends at once, surely not
   * executed.
   *
   * @param bytes 1,024 to 2^40; default 268,435,456, which is 16 of the longest payloads
   */
  public NodeConfig keptBytesMax(long bytes) {
    if (bytes < KEPT_BYTES_MIN || bytes > KEPT_BYTES_LIMIT) {
      throw new IllegalArgumentException(
          "keptBytesMax=" + bytes + ", valid: " + KEPT_BYTES_MIN + ".." + KEPT_BYTES_LIMIT);
    }
    keptBytesMax = bytes;
    return this;
  }

  /**
   * Sets how many bytes of payloads of other nodes' PUTs this node holds: those that are coming,
   * and those that wait for an answer of the application. One host has at most half of them, but
   * always one message; hosts are told apart as for the origins that a node knows. What is beyond
   * waits until it fits: at its origin, or, where it is short, here within the credit of its
   * connection. An application that answers a PUT only after others have come needs room for all of
   * these.
   *
   * @param bytes 16,777,216 to 2^40; default 268,435,456, which is 16 of the longest payloads
   */
  public NodeConfig untakenBytesMax(long bytes) {
    if (bytes < UNTAKEN_BYTES_MIN || bytes > UNTAKEN_BYTES_LIMIT) {
      throw new IllegalArgumentException(
          "untakenBytesMax="
              + bytes
              + ", valid: "
              + UNTAKEN_BYTES_MIN
              + ".."
              + UNTAKEN_BYTES_LIMIT);
    }
    untakenBytesMax = bytes;
    return this;
  }

  /** Uses NIO even if epoll is available. */
  public NodeConfig nio() {
    isNio = true;
    return this;
  }

  String name() {
    return name;
  }

  Listening listening() {
    return listening;
  }

  Map<String, PeerConfig> peers() {
    return peers;
  }

  NodeTarget target() {
    return target;
  }

  long keptBytesMax() {
    return keptBytesMax;
  }

  long untakenBytesMax() {
    return untakenBytesMax;
  }

  int threads() {
    return threads;
  }

  boolean isNio() {
    return isNio;
  }
}
