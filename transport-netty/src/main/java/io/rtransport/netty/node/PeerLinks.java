package io.rtransport.netty.node;

import io.netty.channel.EventLoopGroup;
import io.rtransport.core.stats.PeerStats;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The links of a node: one to each peer, and one more for each address of ours that a message to
 * that peer may be bound to. What is kept for a peer all of its links share. Immutable; any thread.
 */
final class PeerLinks {
  /** Links to one peer, by source; null: any source. */
  private final Map<String, Map<InetAddress, PeerLink>> links = new HashMap<>();

  private final List<PeerLink> all = new ArrayList<>();
  private final Map<String, PeerCounts> counts = new TreeMap<>();

  /**
   * @param ways to each peer
   * @param origins draws the number of an origin that peers know from then on: each link has ids of
   *     its own
   */
  PeerLinks(
      NodeContext node,
      Map<String, List<Ways>> ways,
      EventLoopGroup loops,
      long keptBytesMax,
      LongSupplier origins) {
    ways.forEach(
        (peer, each) -> {
          KeptBytes kept = new KeptBytes(keptBytesMax);
          PeerCounts toPeer = new PeerCounts();
          counts.put(peer, toPeer);
          Map<InetAddress, PeerLink> bySource = new HashMap<>();
          for (Ways from : each) {
            long origin = from.source() == null ? node.incarnation() : origins.getAsLong();
            PeerLink link = new PeerLink(node, origin, peer, from, loops.next(), kept, toPeer);
            bySource.put(from.source(), link);
            all.add(link);
          }
          links.put(peer, bySource);
        });
  }

  /**
   * Returns the link for a message.
   *
   * @param source address of ours that it has to leave by; null: any
   * @throws IllegalArgumentException if there is none
   */
  PeerLink get(String peer, InetAddress source) {
    Map<InetAddress, PeerLink> bySource = links.get(peer);
    if (bySource == null) {
      throw new IllegalArgumentException("peer=" + peer + ", valid: " + links.keySet());
    }
    PeerLink link = bySource.get(source);
    if (link == null) {
      List<String> valid = new ArrayList<>();
      for (InetAddress known : bySource.keySet()) {
        if (known != null) {
          valid.add(known.getHostAddress());
        }
      }
      valid.sort(null);
      throw new IllegalArgumentException(
          "source=" + source.getHostAddress() + ", valid for " + peer + ": " + valid);
    }
    return link;
  }

  /** Returns what was counted of each peer, in the order of their names. */
  Map<String, PeerStats> stats() {
    Map<String, PeerStats> stats = new TreeMap<>();
    counts.forEach((peer, each) -> stats.put(peer, each.stats()));
    return stats;
  }

  /** Returns the addresses that were learnt of each peer, without those of which none was. */
  Map<String, List<InetSocketAddress>> learnt() {
    Map<String, Set<InetSocketAddress>> sets = new TreeMap<>();
    for (PeerLink link : all) {
      link.learnt()
          .forEach(
              (peer, learnt) ->
                  sets.computeIfAbsent(peer, absent -> new LinkedHashSet<>()).addAll(learnt.all()));
    }
    Map<String, List<InetSocketAddress>> learnt = new TreeMap<>();
    sets.forEach(
        (peer, set) -> {
          if (!set.isEmpty()) {
            learnt.put(peer, List.copyOf(set));
          }
        });
    return learnt;
  }

  void forEach(Consumer<PeerLink> action) {
    all.forEach(action);
  }
}
