package io.rtransport.netty.node;

import io.rtransport.netty.RtRail;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a node is opened with. It may be changed until then. For one thread at a time. */
public final class NodeConfig {
  /** Addresses of a peer, the first included. */
  static final int ADDRESSES_MAX = 8;

  /** Bytes that {@link #keptBytesMax(long)} takes at least. */
  public static final long KEPT_BYTES_MIN = 1_024;

  /** Bytes that {@link #keptBytesMax(long)} takes at most. */
  public static final long KEPT_BYTES_LIMIT = 1L << 40;

  private final String name;
  private final List<InetSocketAddress> listening = new ArrayList<>();
  private final Map<String, PeerConfig> peers = new LinkedHashMap<>();
  private NodeTarget target = new NodeTarget() {};
  private int threads = 1;
  private boolean isNio;
  private long keptBytesMax = 256L << 20;

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

  /** Accepts other nodes at {@code local}. Several addresses may be given. */
  public NodeConfig listen(InetSocketAddress local) {
    listening.add(Objects.requireNonNull(local, "local"));
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
    if (addresses.length < 1 || addresses.length > ADDRESSES_MAX) {
      throw new IllegalArgumentException(
          "addresses of " + peer + "=" + addresses.length + ", valid: 1.." + ADDRESSES_MAX);
    }
    List<RtRail> rails = new ArrayList<>();
    for (int i = 1; i < addresses.length; i++) {
      rails.add(RtRail.to(addresses[i]));
    }
    return peer(peer, addresses[0], rails);
  }

  /**
   * Names a peer.
   *
   * @param first its address
   * @param rails further ways to it, 0 to 7
   */
  public NodeConfig peer(String peer, InetSocketAddress first, List<RtRail> rails) {
    checkedName(peer);
    if (Objects.requireNonNull(first, "first").getPort() == 0) {
      throw new IllegalArgumentException(
          "address of " + peer + "=" + first + ", valid: with a port");
    }
    if (rails.size() >= ADDRESSES_MAX) {
      throw new IllegalArgumentException(
          "rails to " + peer + "=" + rails.size() + ", valid: 0.." + (ADDRESSES_MAX - 1));
    }
    if (peers.putIfAbsent(peer, new PeerConfig(peer, first, List.copyOf(rails))) != null) {
      throw new IllegalArgumentException("peer=" + peer + ", valid: each once");
    }
    return this;
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

  /** Uses NIO even if epoll is available. */
  public NodeConfig nio() {
    isNio = true;
    return this;
  }

  String name() {
    return name;
  }

  List<InetSocketAddress> listening() {
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

  int threads() {
    return threads;
  }

  boolean isNio() {
    return isNio;
  }
}
