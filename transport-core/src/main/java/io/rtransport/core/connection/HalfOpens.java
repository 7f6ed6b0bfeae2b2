package io.rtransport.core.connection;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * An endpoint's handshakes that their initiators have not confirmed yet: a repeated CONNECT finds
 * its own by name, the oldest is the first to be forgotten, and any leaves in constant time, for
 * strangers choose how many there are and which is confirmed when.
 */
final class HalfOpens {
  /** Names a handshake: a repeated CONNECT has the same and gets the same ACCEPT. */
  record Name(InetSocketAddress from, int peerCid, long nonce) {}

  /** A name with its hash, which is keyed, because strangers choose all of it. */
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
   * @param hash of names, not to be guessed by a stranger
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

  /** The handshake of that name, or null. */
  HalfOpen find(Name name) {
    return byName.get(key(name));
  }

  /** The one that was added first, or null. */
  HalfOpen oldest() {
    return oldest;
  }

  /** Adds one whose name is not here, as the newest. */
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

  /** Takes out one that is here. */
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
