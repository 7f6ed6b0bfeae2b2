package io.rtransport.core.connection;

import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.Limits;
import java.net.InetSocketAddress;

/**
 * Handshake at its target that the initiator has not confirmed yet. It holds the contents of the
 * ACCEPT and nothing more.
 *
 * <p>The initiator may ask over several pairs. Each gets an ACCEPT with a cookie of its own. The
 * handshake becomes a {@link Connection} when a packet with our id and one of these cookies comes.
 * The cookie shows by which pair its sender receives: that is the pair of path 0. It is forgotten
 * after 5 s.
 */
final class HalfOpen {
  static final long LIFETIME_NS = 5_000_000_000L;

  /** Pairs over which a handshake is answered. */
  static final int SOURCES_MAX = Limits.PATHS_MAX;

  /** Pair over which a CONNECT of the handshake came, and what was answered there. */
  static final class Source {
    final Pair pair;
    final long cookie;
    private int acceptsSent;
    private long acceptSentNs;

    Source(Pair pair, long cookie) {
      this.pair = pair;
      this.cookie = cookie;
    }

    /**
     * Returns the pair of a packet that comes from this source by interface {@code ni}. A host may
     * open a socket for one of its addresses after the CONNECT has come. If the packet is from
     * elsewhere, the pair is that of the CONNECT.
     */
    Pair pairBy(int ni, InetSocketAddress from) {
      return from == null || from.equals(pair.remote()) ? new Pair(ni, pair.remote()) : pair;
    }

    void onAccept(long nowNs) {
      acceptsSent++;
      acceptSentNs = nowNs;
    }

    /**
     * Returns the path's first round-trip sample, from ACCEPT to confirmation, ns. −1 if several
     * ACCEPTs were sent: then nobody knows which one was confirmed.
     */
    long roundTripNs(long nowNs) {
      return acceptsSent == 1 ? nowNs - acceptSentNs : -1;
    }
  }

  final HalfOpens.Name name;
  final long peerCookie;
  final ConnectionConfig config;
  final OfferedParameters own;
  final OfferedParameters peer;
  final long bornNs;
  int cid;

  /** Whether the initiator has shown, by a token, that it receives at its address. */
  boolean isProven;

  /** Neighbours in the age order of {@link HalfOpens}. */
  HalfOpen older;

  HalfOpen newer;

  private final Source first;
  private Source[] others; // null while there is one

  HalfOpen(
      HalfOpens.Name name,
      long peerCookie,
      Source first,
      ConnectionConfig config,
      OfferedParameters own,
      OfferedParameters peer,
      long bornNs) {
    this.name = name;
    this.peerCookie = peerCookie;
    this.first = first;
    this.config = config;
    this.own = own;
    this.peer = peer;
    this.bornNs = bornNs;
  }

  /** Returns the address that began the handshake. */
  InetSocketAddress from() {
    return first.pair.remote();
  }

  int peerCid() {
    return name.peerCid();
  }

  /** Returns the source at a pair, or null. */
  Source at(int ni, InetSocketAddress from) {
    if (first.pair.isAt(ni, from)) {
      return first;
    }
    for (int i = 0; others != null && i < others.length; i++) {
      if (others[i] != null && others[i].pair.isAt(ni, from)) {
        return others[i];
      }
    }
    return null;
  }

  /** Returns the source that was given {@code cookie}, or null. */
  Source of(long cookie) {
    if ((first.cookie ^ cookie) == 0) {
      return first;
    }
    for (int i = 0; others != null && i < others.length; i++) {
      if (others[i] != null && (others[i].cookie ^ cookie) == 0) {
        return others[i];
      }
    }
    return null;
  }

  /** Adds a source. Returns false if there are as many as allowed. */
  boolean add(Source source) {
    others = others == null ? new Source[SOURCES_MAX - 1] : others;
    for (int i = 0; i < others.length; i++) {
      if (others[i] == null) {
        others[i] = source;
        return true;
      }
    }
    return false;
  }
}
