package io.rtransport.core.rail;

/** The two ends of a path. {@link RailHealth} guards it. */
final class PairEnds {
  final NiHealth local;
  final NiHealth peer;

  /** Tells peers apart. */
  final long peerId;

  /** When this pair was last silent alone. */
  long silentNs;

  PairEnds(NiHealth local, NiHealth peer, long peerId) {
    this.local = local;
    this.peer = peer;
    this.peerId = peerId;
  }

  /** Returns when a PING is due for either end; {@link Long#MAX_VALUE} for never. Any thread. */
  long pingDueNs() {
    return Math.min(local.pingDueNs(), peer.pingDueNs());
  }
}
