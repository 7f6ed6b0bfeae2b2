package io.rtransport.netty.node;

import io.rtransport.core.node.LearntAddresses;
import io.rtransport.core.node.Route;
import io.rtransport.core.node.RouteTable;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.rail.Hop;
import io.rtransport.core.rail.NiChoice;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.NiPair;
import io.rtransport.core.rail.NiSelection;
import io.rtransport.core.rail.NiView;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.core.rail.SelectionRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * To whom a node connects to reach a peer: the peer itself, or a router, and by which pairs of
 * interfaces. {@link NiSelection} chooses among the routes that do not rest. For one thread at a
 * time.
 */
final class Ways {
  /**
   * What the nodes of this process know of interfaces, and whose turn it is in one of them.
   *
   * @param watch looks whether an interface of ours is up
   */
  record Interfaces(RailHealth health, NiSelection selection, Consumer<InetAddress> watch) {}

  /** Channels name no networks. */
  private static final String NETWORK = "";

  private final Interfaces interfaces;
  private final InetAddress source; // null: any
  private final Map<String, PeerConfig> peers;
  private final Map<String, LearntAddresses> learnt;
  private final Set<InetAddress> ourAddresses = new LinkedHashSet<>();
  private final RouteTable routes; // null: the peer is on a network of ours
  private Route taken; // null: none, or the peer itself
  private PeerConfig chosen;
  private boolean isWithoutLearnt;

  private Ways(
      Interfaces interfaces,
      InetAddress source,
      Map<String, PeerConfig> peers,
      Map<String, LearntAddresses> learnt,
      RouteTable routes) {
    this.interfaces = interfaces;
    this.source = source;
    this.peers = peers;
    this.learnt = learnt;
    this.routes = routes;
  }

  /** Returns the way to a peer on a network of this node's, from one address of ours or any. */
  static Ways to(PeerConfig peer, InetAddress source, Interfaces interfaces) {
    Ways ways = new Ways(interfaces, source, Map.of(peer.name(), peer), new HashMap<>(), null);
    ways.add(peer);
    return ways;
  }

  /**
   * Returns the ways to a peer behind routers, likewise.
   *
   * @param routers by name, with those of all routes
   * @param restNs how long a route without a way on is not taken
   */
  static Ways through(
      List<Route> routes,
      long restNs,
      Map<String, PeerConfig> routers,
      InetAddress source,
      Interfaces interfaces) {
    RouteTable table = new RouteTable(routes, restNs);
    Ways ways = new Ways(interfaces, source, routers, new HashMap<>(), table);
    routes.forEach(route -> ways.add(routers.get(route.router())));
    return ways;
  }

  private void add(PeerConfig nextHop) {
    ourAddresses.addAll(nextHop.sources());
    learnt.put(nextHop.name(), new LearntAddresses(nextHop.remotes()));
  }

  private List<NiPair> pairs(PeerConfig peer) {
    List<NiPair> pairs = new ArrayList<>();
    for (PeerConfig.Rail rail : peer.rails()) {
      NiView local = interfaces.health().ours(NETWORK, rail.source());
      pairs.add(new NiPair(local, interfaces.health().ofPeer(NETWORK, rail.remote())));
    }
    return pairs;
  }

  /** Returns whether messages pass routers. */
  boolean isRouted() {
    return routes != null;
  }

  /** Returns the address of ours that all messages have to leave by; null: any. */
  InetAddress source() {
    return source;
  }

  /** Returns whether nothing can be sent, because the interface of the given source has failed. */
  boolean isSourceDown() {
    return source != null && interfaces.health().ours(NETWORK, source).isFailed();
  }

  /**
   * Returns to whom to connect now, with the pairs to use: those to given addresses before those to
   * learnt ones, of each the best first. Null: all routes rest until {@link #dueNs}, or nothing can
   * leave by the given source.
   *
   * @param used how often the message was sent by each next hop, by name
   */
  PeerConfig choose(long nowNs, Map<String, Integer> used) {
    return take(best(nowNs, used, null, true));
  }

  /** A next hop with the pairs to use, and its route; null: it is the peer itself. */
  private record Choice(PeerConfig nextHop, Route route) {}

  private PeerConfig take(Choice choice) {
    lookAtFailed();
    isWithoutLearnt &= choice == null;
    chosen = choice == null ? null : choice.nextHop();
    taken = choice == null ? null : choice.route();
    return chosen;
  }

  /**
   * @param leftOut a route that is not to be taken; null: none
   * @param isTurn whether this is the turn of what is chosen
   */
  private Choice best(long nowNs, Map<String, Integer> used, Route leftOut, boolean isTurn) {
    Map<Hop, Route> awake = new LinkedHashMap<>();
    if (routes == null) {
      awake.put(hop(peers.keySet().iterator().next(), 0, 0), null);
    } else {
      for (Route route : routes.awake(nowNs)) {
        if (!route.equals(leftOut)) {
          awake.put(hop(route.router(), route.priority(), route.hops()), route);
        }
      }
    }
    NiView from = source == null ? null : interfaces.health().ours(NETWORK, source);
    List<Hop> hops = List.copyOf(awake.keySet());
    SelectionRequest request = new SelectionRequest(from, hops, used);
    NiSelection selection = interfaces.selection();
    NiChoice choice = isTurn ? selection.select(request, nowNs) : selection.peek(request, nowNs);
    if (choice == null) {
      return null;
    }
    PeerConfig nextHop = known(choice.nextHop().name()).by(choice.places());
    return new Choice(nextHop, awake.get(choice.nextHop()));
  }

  private Hop hop(String name, int priority, int hops) {
    return new Hop(name, priority, hops, pairs(known(name)));
  }

  /** Returns a next hop with the addresses that were given and those that were learnt. */
  private PeerConfig known(String name) {
    List<InetSocketAddress> told = isWithoutLearnt ? List.of() : learnt.get(name).all();
    return peers.get(name).with(told, source);
  }

  // ---- a router beside the one that is taken

  /** Returns ways with a choice of their own. They share what rests, and what was learnt. */
  Ways beside() {
    Ways beside = new Ways(interfaces, source, peers, learnt, routes);
    beside.ourAddresses.addAll(ourAddresses);
    return beside;
  }

  /**
   * Returns the router that would be taken if the one that {@code inUse} has chosen were not there,
   * with the pairs to use. It is chosen here, and that is not its turn. Null: there is none.
   */
  PeerConfig chooseBeside(Ways inUse, long nowNs) {
    return take(best(nowNs, Map.of(), inUse.taken, false));
  }

  /**
   * Returns whether a route would be taken now that is better than the one chosen last: by its
   * priority, then by its hops. Nothing is chosen by this.
   *
   * @param used how often the message was sent by each next hop, by name
   * @param inUse ways whose route is not looked at; null: none
   */
  boolean hasBetter(Map<String, Integer> used, Ways inUse, long nowNs) {
    Choice choice = best(nowNs, used, inUse == null ? null : inUse.taken, false);
    Route route = choice == null ? null : choice.route();
    return route != null
        && (route.priority() < taken.priority()
            || route.priority() == taken.priority() && route.hops() < taken.hops());
  }

  /** Takes over what other ways have chosen. */
  void adopt(Ways beside) {
    chosen = beside.chosen;
    taken = beside.taken;
  }

  /** Returns whether both have chosen the same router. */
  boolean isBy(Ways other) {
    return taken != null && taken.equals(other.taken);
  }

  /** Returns whether the route chosen last does not rest. */
  boolean isAwake(long nowNs) {
    return taken != null && routes.awake(nowNs).contains(taken);
  }

  /** Returns whether there is more than one route. */
  boolean hasOthers() {
    return routes != null && learnt.size() > 1;
  }

  // ---- what next hops tell

  /** Returns what was learnt of the next hops, by their names. */
  Map<String, LearntAddresses> learnt() {
    return learnt;
  }

  /** Returns whether the next hop chosen last has told an address itself. */
  boolean isLearnt(InetSocketAddress address) {
    return address != null && ofChosen().all().contains(address);
  }

  /**
   * Notes that the next hop chosen last does not answer at an address with which there is a
   * connection. A learnt one is forgotten if somebody else has answered. Without any answer it may
   * still be the right one: the next choice is made without what was learnt, the one after it with
   * it.
   *
   * @return whether the address was learnt
   */
  boolean onStranger(InetSocketAddress address, boolean hasAnswered) {
    isWithoutLearnt = !hasAnswered && isLearnt(address);
    return isWithoutLearnt || hasAnswered && ofChosen().forget(address);
  }

  /** Returns what was learnt of the next hop chosen last. */
  LearntAddresses ofChosen() {
    return learnt.get(chosen.name());
  }

  /** Has the system asked whether what was left out is up again: no connection of ours uses it. */
  private void lookAtFailed() {
    for (InetAddress ours : ourAddresses) {
      if (interfaces.health().ours(NETWORK, ours).isFailed()) {
        interfaces.watch().accept(ours);
      }
    }
  }

  /** Returns the name of the next hop chosen last. */
  String nextHop() {
    return chosen.name();
  }

  /**
   * Returns how long it is until another way than the one chosen last can be taken, ns. 0: now;
   * {@link Long#MAX_VALUE}: there is no other.
   */
  long otherWaitNs(long nowNs) {
    return routes == null ? Long.MAX_VALUE : routes.otherWaitNs(taken, nowNs);
  }

  long dueNs(long nowNs) {
    return routes == null ? nowNs : routes.dueNs(nowNs);
  }

  /** Notes that the way chosen last did not lead there: it rests. */
  void onNoWay(long nowNs) {
    if (taken != null) {
      routes.onNoWay(taken, nowNs);
    }
  }

  /**
   * Notes that the connection to the next hop chosen last has ended. Returns whether that was
   * silent.
   *
   * @param reason null: it was aborted here
   */
  boolean onLost(CloseReason reason, long nowNs) {
    boolean wasSilent = reason != null && reason.code() == CloseCode.RETRY_EXCEEDED.code();
    if (wasSilent) {
      onSilence(NiError.PEER_NI_UNREACHABLE, nowNs);
    } else {
      onNoWay(nowNs);
    }
    return wasSilent;
  }

  /** Notes that the router chosen last was silent: it rests, and its interfaces are charged. */
  void onSilence(NiError error, long nowNs) {
    if (taken == null) {
      return; // without another way nothing is chosen by it
    }
    routes.onNoWay(taken, nowNs);
    for (PeerConfig.Rail rail : chosen.rails()) {
      boolean isOursFailed = interfaces.health().ours(NETWORK, rail.source()).isFailed();
      if (!isOursFailed && !rail.remote().isUnresolved()) {
        interfaces.health().onPeerError(error, NETWORK, rail.remote(), nowNs);
      }
    }
  }

  /** Notes that the way chosen last led there, and which address of the next hop has answered. */
  void onWay(InetSocketAddress answered, long nowNs) {
    if (taken != null) {
      routes.onWay(taken);
      interfaces.health().onPeerAnswered(NETWORK, answered, nowNs);
    }
  }
}
