package io.rtransport.core.connection;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Table of connections by the peer's address. A RESET needs it, because it carries no id of ours. A
 * peer that restarts as a new incarnation needs it too. The hash is keyed, because strangers choose
 * addresses.
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

  /**
   * One connection or many at each address. Most addresses have one: the value is that {@link
   * Connection}. After a second one came, the value is an Int2ObjectHashMap, until it is empty.
   */
  private final Map<Key, Object> byAddress = new HashMap<>();

  private final AddressHash hash;

  PeerTable(AddressHash hash) {
    this.hash = hash;
  }

  void add(Connection connection) {
    byAddress.merge(
        key(connection.remote()), connection, (known, added) -> both(known, connection));
  }

  private static Object both(Object known, Connection added) {
    if (known instanceof Connection other) {
      if (other.peerCid() == added.peerCid()) {
        return added;
      }
      Int2ObjectHashMap<Connection> ofPeer = new Int2ObjectHashMap<>();
      ofPeer.put(other.peerCid(), other);
      ofPeer.put(added.peerCid(), added);
      return ofPeer;
    }
    many(known).put(added.peerCid(), added);
    return known;
  }

  @SuppressWarnings("unchecked") // every value that is not a Connection is such a map
  private static Int2ObjectHashMap<Connection> many(Object known) {
    return (Int2ObjectHashMap<Connection>) known;
  }

  void remove(Connection connection) {
    Key key = key(connection.remote());
    Object known = byAddress.get(key);
    if (known == connection) {
      byAddress.remove(key);
    } else if (known instanceof Int2ObjectHashMap<?> ofPeer
        && ofPeer.get(connection.peerCid()) == connection) {
      ofPeer.remove(connection.peerCid());
      if (ofPeer.isEmpty()) {
        byAddress.remove(key);
      }
    }
  }

  /** Returns the connection to {@code from} whose peer has the id {@code peerCid}, or null. */
  Connection find(InetSocketAddress from, int peerCid) {
    Object known = byAddress.get(key(from));
    if (known instanceof Connection only) {
      return only.peerCid() == peerCid ? only : null;
    }
    return known == null ? null : many(known).get(peerCid);
  }

  /**
   * Calls {@code consumer} with each connection to {@code from} whose peer has another incarnation
   * than {@code incarnation}.
   */
  void forEachOther(InetSocketAddress from, long incarnation, Consumer<Connection> consumer) {
    Object known = byAddress.get(key(from));
    if (known instanceof Connection only) {
      if (only.peerIncarnation() != incarnation) {
        consumer.accept(only);
      }
      return;
    }
    if (known == null) {
      return;
    }
    List<Connection> others = new ArrayList<>();
    for (Connection connection : many(known).values()) {
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
