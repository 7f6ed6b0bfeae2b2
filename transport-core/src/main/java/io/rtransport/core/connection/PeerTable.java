package io.rtransport.core.connection;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Finds connections by the peer's address: for a RESET, which carries no id of ours, and for a peer that came back as a new incarnation. Its
 * hash is keyed, because strangers choose addresses.
 */
final class PeerTable {
  private record Key(InetSocketAddress address, int hash) {
    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && key.address.equals(address);
    }
  }

  private final Map<Key, Int2ObjectHashMap<Connection>> byAddress = new HashMap<>();
  private final AddressHash hash;

  PeerTable(AddressHash hash) {
    this.hash = hash;
  }

  void add(Connection connection) {
    byAddress
        .computeIfAbsent(key(connection.remote()), k -> new Int2ObjectHashMap<>())
        .put(connection.peerCid(), connection);
  }

  void remove(Connection connection) {
    Key key = key(connection.remote());
    Int2ObjectHashMap<Connection> ofPeer = byAddress.get(key);
    if (ofPeer != null && ofPeer.get(connection.peerCid()) == connection) {
      ofPeer.remove(connection.peerCid());
      if (ofPeer.isEmpty()) {
        byAddress.remove(key);
      }
    }
  }

  /** The connection to {@code from} whose peer has the id {@code peerCid}, or null. */
  Connection find(InetSocketAddress from, int peerCid) {
    Int2ObjectHashMap<Connection> ofPeer = byAddress.get(key(from));
    return ofPeer == null ? null : ofPeer.get(peerCid);
  }

  /** Names the connections to {@code from} that belong to another incarnation than {@code incarnation}. */
  void forEachOther(InetSocketAddress from, long incarnation, Consumer<Connection> consumer) {
    Int2ObjectHashMap<Connection> ofPeer = byAddress.get(key(from));
    if (ofPeer == null) {
      return;
    }
    List<Connection> others = new ArrayList<>();
    for (Connection connection : ofPeer.values()) {
      if (connection.peerIncarnation() != incarnation) {
        others.add(connection);
      }
    }
    others.forEach(consumer);
  }

  int size() {
    return byAddress.size();
  }

  private Key key(InetSocketAddress address) {
    return new Key(address, hash.of(address, 0));
  }
}
