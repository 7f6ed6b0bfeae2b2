package io.rtransport.core.connection;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Handshakes of an endpoint that are not confirmed yet. A repeated CONNECT finds its handshake by
 * name. The oldest is forgotten first. Each operation takes constant time, because strangers choose
 * how many handshakes there are and when each is confirmed.
 */
final class HalfOpens {
  /** Name of a handshake. A repeated CONNECT has the same name and gets the same ACCEPT. */
  record Name(InetSocketAddress from, int peerCid, long nonce) {}

  /** A name with its hash. The hash is keyed, because strangers choose the whole name. */
  private record Key(Name name, int hash) {
    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && key.name.equals(name);
    }
  }

  private final ToIntFunction<Name> hash;
  private final Map<Key, HalfOpen> byName = new HashMap<>();
  private HalfOpen oldest;
  private HalfOpen newest;

  /**
   * @param hash hash of names, which a stranger must not be able to guess
   */
  HalfOpens(ToIntFunction<Name> hash) {
    this.hash = hash;
  }

  private Key key(Name name) {
    return new Key(name, hash.applyAsInt(name));
  }

  int size() {
    return byName.size();
  }

  /** Returns the handshake with that name, or null. */
  HalfOpen find(Name name) {
    return byName.get(key(name));
  }

  /** Returns the handshake that was added first, or null. */
  HalfOpen oldest() {
    return oldest;
  }

  /** Adds a handshake as the newest. Its name must not be in the table. */
  void add(HalfOpen halfOpen) {
    byName.put(key(halfOpen.name), halfOpen);
    halfOpen.older = newest;
    if (newest == null) {
      oldest = halfOpen;
    } else {
      newest.newer = halfOpen;
    }
    newest = halfOpen;
  }

  /** Removes a handshake that is in the table. */
  void remove(HalfOpen halfOpen) {
    byName.remove(key(halfOpen.name));
    if (halfOpen.older == null) {
      oldest = halfOpen.newer;
    } else {
      halfOpen.older.newer = halfOpen.newer;
    }
    if (halfOpen.newer == null) {
      newest = halfOpen.older;
    } else {
      halfOpen.newer.older = halfOpen.older;
    }
    halfOpen.older = null;
    halfOpen.newer = null;
  }
}
