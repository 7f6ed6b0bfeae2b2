package io.rtransport.core.connection;

import java.net.InetSocketAddress;

/**
 * Handshake at its target that the initiator has not confirmed yet. It holds the contents of the
 * ACCEPT and nothing more.
 *
 * <p>It becomes a {@link Connection} when a packet with our id and cookie arrives from the same
 * address. It is forgotten after 5 s.
 */
final class HalfOpen {
  static final long LIFETIME_NS = 5_000_000_000L;

  final HalfOpens.Name name;
  final long peerCookie;
  final long peerIncarnation;
  final long cookie;
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

  int acceptsSent;
  long acceptSentNs;

  HalfOpen(
      HalfOpens.Name name,
      long peerCookie,
      long peerIncarnation,
      long cookie,
      ConnectionConfig config,
      OfferedParameters own,
      OfferedParameters peer,
      long bornNs) {
    this.name = name;
    this.peerCookie = peerCookie;
    this.peerIncarnation = peerIncarnation;
    this.cookie = cookie;
    this.config = config;
    this.own = own;
    this.peer = peer;
    this.bornNs = bornNs;
  }

  InetSocketAddress from() {
    return name.from();
  }

  int peerCid() {
    return name.peerCid();
  }

  /**
   * Returns the path's first round-trip sample, from ACCEPT to confirmation, ns. −1 if several
   * ACCEPTs were sent: then nobody knows which one was confirmed.
   */
  long roundTripNs(long nowNs) {
    return acceptsSent == 1 ? nowNs - acceptSentNs : -1;
  }
}
