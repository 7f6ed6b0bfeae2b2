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
  /**
   * Name of a handshake. A CONNECT that is repeated, or that comes by another pair, has the same
   * name.
   */
  record Name(long incarnation, int peerCid, long nonce) {}

  /** Handshake that was confirmed, with the address that its connection began with. */
  private record Confirmed(Key key, InetSocketAddress from, long atNs) {}

  /** Confirmed handshakes that are remembered. A later one may take the place of another. */
  private static final int CONFIRMED_MAX = 256;

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
  private final Confirmed[] confirmed = new Confirmed[CONFIRMED_MAX];
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

  /** Remembers a handshake that {@code from} has confirmed. */
  void onConfirmed(Name name, InetSocketAddress from, long nowNs) {
    Key key = key(name);
    confirmed[key.hash & CONFIRMED_MAX - 1] = new Confirmed(key, from, nowNs);
  }

  /**
   * Returns whether a CONNECT of that name from {@code from} is a late one: another address has
   * confirmed the handshake lately. If this is not remembered any more, a handshake begins that
   * nobody confirms.
   */
  boolean isConfirmedElsewhere(Name name, InetSocketAddress from, long nowNs) {
    Key key = key(name);
    Confirmed last = confirmed[key.hash & CONFIRMED_MAX - 1];
    return last != null
        && nowNs - last.atNs < HalfOpen.LIFETIME_NS
        && last.key.equals(key)
        && !last.from.equals(from);
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
