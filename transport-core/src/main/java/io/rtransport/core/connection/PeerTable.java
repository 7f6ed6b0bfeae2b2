package io.rtransport.core.connection;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Table of connections by the peer's addresses: a connection stands at the address of each of its
 * open paths. A RESET needs it, because it carries no id of ours. A peer that restarts as a new
 * incarnation needs it too. The hash is keyed, because strangers choose addresses.
 *
 * @param <C> type of the connections
 */
final class PeerTable<C> {
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
   * One connection or many at each address. Most addresses have one, which is the value itself.
   * After a second one came, the value is an Int2ObjectHashMap, until it is empty.
   */
  private final Map<Key, Object> byAddress = new HashMap<>();

  private final AddressHash hash;
  private final ToIntFunction<C> peerCid;
  private final ToLongFunction<C> peerIncarnation;

  /**
   * @param peerCid returns the id that its peer has given it
   * @param peerIncarnation returns its peer's incarnation
   */
  PeerTable(AddressHash hash, ToIntFunction<C> peerCid, ToLongFunction<C> peerIncarnation) {
    this.hash = hash;
    this.peerCid = peerCid;
    this.peerIncarnation = peerIncarnation;
  }

  /** Adds a connection with a path to {@code address}. */
  void add(InetSocketAddress address, C connection) {
    byAddress.merge(key(address), connection, (known, added) -> both(known, connection));
  }

  private Object both(Object known, C added) {
    if (!(known instanceof Int2ObjectHashMap)) {
      C other = only(known);
      if (peerCid.applyAsInt(other) == peerCid.applyAsInt(added)) {
        return added;
      }
      Int2ObjectHashMap<C> ofPeer = new Int2ObjectHashMap<>();
      ofPeer.put(peerCid.applyAsInt(other), other);
      ofPeer.put(peerCid.applyAsInt(added), added);
      return ofPeer;
    }
    many(known).put(peerCid.applyAsInt(added), added);
    return known;
  }

  @SuppressWarnings("unchecked") // every value that is no map is a connection
  private C only(Object known) {
    return (C) known;
  }

  @SuppressWarnings("unchecked") // every map has connections
  private Int2ObjectHashMap<C> many(Object known) {
    return (Int2ObjectHashMap<C>) known;
  }

  /** Removes a connection that has no path to {@code address} any more. */
  void remove(InetSocketAddress address, C connection) {
    Key key = key(address);
    Object known = byAddress.get(key);
    int cid = peerCid.applyAsInt(connection);
    if (known == connection) {
      byAddress.remove(key);
    } else if (known instanceof Int2ObjectHashMap<?> ofPeer && ofPeer.get(cid) == connection) {
      ofPeer.remove(cid);
      if (ofPeer.isEmpty()) {
        byAddress.remove(key);
      }
    }
  }

  /** Returns the connection to {@code from} whose peer has the id {@code cid}, or null. */
  C find(InetSocketAddress from, int cid) {
    Object known = byAddress.get(key(from));
    if (known == null) {
      return null;
    }
    if (known instanceof Int2ObjectHashMap) {
      return many(known).get(cid);
    }
    C only = only(known);
    return peerCid.applyAsInt(only) == cid ? only : null;
  }

  /**
   * Calls {@code consumer} with each connection to {@code from} whose peer has another incarnation
   * than {@code incarnation}.
   */
  void forEachOther(InetSocketAddress from, long incarnation, Consumer<C> consumer) {
    Object known = byAddress.get(key(from));
    if (known == null) {
      return;
    }
    Collection<C> all =
        known instanceof Int2ObjectHashMap ? many(known).values() : List.of(only(known));
    List<C> others = new ArrayList<>(); // the consumer may remove them
    for (C connection : all) {
      if (peerIncarnation.applyAsLong(connection) != incarnation) {
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
