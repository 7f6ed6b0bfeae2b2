package io.rtransport.core.connection;

import java.net.InetSocketAddress;

/**
 * A handshake at its target that its initiator has not confirmed yet: what the ACCEPT said, and
 * nothing more. It becomes a {@link Connection} when a packet with our id and cookie arrives from
 * the same address, and is forgotten after 5 s.
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

  /** Whether its initiator has shown, by a token, that it receives at the address it sends from. */
  boolean isProven;

  /** Neighbours by age in {@link HalfOpens}. */
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
   * The path's first round-trip sample: from ACCEPT to confirmation, unless it cannot be told which
   * ACCEPT was confirmed.
   */
  long roundTripNs(long nowNs) {
    return acceptsSent == 1 ? nowNs - acceptSentNs : -1;
  }
}
