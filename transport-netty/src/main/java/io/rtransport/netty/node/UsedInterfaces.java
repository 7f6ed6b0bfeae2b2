package io.rtransport.netty.node;

import io.rtransport.core.rail.DownNi;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.internal.loop.LoopCounters;
import io.rtransport.netty.internal.loop.PeerAddresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Which interfaces a node uses. Ours: where it listens, those that its rails name, and those that
 * its connections to peers and routers have left by. Of these peers and routers: the addresses that
 * were given, and those at which they have answered. Any thread.
 */
final class UsedInterfaces {
  /** Addresses of either side that connections to one peer have used, the last ones. */
  static final int SEEN_MAX = 16;

  private final Supplier<List<InetSocketAddress>> listening;
  private final Map<String, PeerConfig> peers;
  private final Map<String, Seen> seen = new ConcurrentHashMap<>();
  private final Runnable onMore;

  /** What connections to one peer have used. */
  private static final class Seen {
    private final Set<InetAddress> ours = new LinkedHashSet<>();
    private final Set<InetSocketAddress> theirs = new LinkedHashSet<>();

    synchronized boolean add(List<InetAddress> nowOurs, List<InetSocketAddress> nowTheirs) {
      return addAll(ours, nowOurs) | addAll(theirs, nowTheirs);
    }

    private static <T> boolean addAll(Set<T> to, List<T> all) {
      boolean isMore = false;
      for (T each : all) {
        isMore |= !to.remove(each);
        to.add(each); // the newest is the last
      }
      while (to.size() > SEEN_MAX) {
        to.remove(to.iterator().next());
      }
      return isMore;
    }

    synchronized boolean hasOurs(InetAddress address) {
      return ours.contains(address);
    }

    synchronized boolean hasTheirs(InetSocketAddress address) {
      return theirs.contains(address);
    }
  }

  /**
   * @param listening where the node listens now
   * @param peers that it was given
   * @param onMore called, on any thread, when a connection uses an interface that none has used
   */
  UsedInterfaces(
      Supplier<List<InetSocketAddress>> listening, Map<String, PeerConfig> peers, Runnable onMore) {
    this.listening = listening;
    this.peers = Map.copyOf(peers);
    this.onMore = onMore;
  }

  /** Notes the interfaces of a connection to a peer or router, now and as they change. */
  void watch(String peer, RtConnection connection) {
    PeerAddresses addresses = (PeerAddresses) connection.channel();
    Runnable read = () -> add(peer, addresses.ownAddresses(), addresses.openAddresses());
    LoopCounters.onLoopOrAfter(
        connection.channel().eventLoop(),
        () -> {
          addresses.onAddressChange(read);
          read.run();
        });
  }

  /** Notes interfaces of a connection to a peer or router. */
  void add(String peer, List<InetAddress> ours, List<InetSocketAddress> theirs) {
    if (seen.computeIfAbsent(peer, absent -> new Seen()).add(ours, theirs)) {
      onMore.run();
    }
  }

  /** Returns an interface as the application is told of it; null if the node does not use it. */
  NodeInterface of(DownNi ni) {
    if (!ni.network().isEmpty() || ni.address().getAddress().isAnyLocalAddress()) {
      return null; // channels name no networks, and a wildcard is no interface
    }
    if (ni.isLocal()) {
      boolean isUsed = isOurs(ni.address().getAddress());
      return isUsed ? new NodeInterface(true, ni.address(), List.of()) : null;
    }
    Set<String> names = namesOf(ni.address());
    return names.isEmpty() ? null : new NodeInterface(false, ni.address(), List.copyOf(names));
  }

  private boolean isOurs(InetAddress address) {
    return listening.get().stream().anyMatch(at -> at.getAddress().equals(address))
        || peers.values().stream().anyMatch(peer -> peer.sources().contains(address))
        || seen.values().stream().anyMatch(each -> each.hasOurs(address));
  }

  private Set<String> namesOf(InetSocketAddress address) {
    Set<String> names = new LinkedHashSet<>();
    new TreeMap<>(peers)
        .forEach(
            (name, peer) -> {
              Seen met = seen.get(name);
              if (has(peer.rails(), address) || met != null && met.hasTheirs(address)) {
                names.add(name);
              }
            });
    return names;
  }

  private static boolean has(Collection<PeerConfig.Rail> rails, InetSocketAddress address) {
    return rails.stream().anyMatch(rail -> rail.remote().equals(address));
  }
}
