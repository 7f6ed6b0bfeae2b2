package io.rtransport.core.rail;

/**
 * An interface of ours and one of a next hop that it reaches.
 *
 * @param local our interface
 * @param peer interface of the peer, or of the router
 */
public record NiPair(NiView local, NiView peer) {
  boolean isFailed() {
    return local.isFailed() || peer.isFailed();
  }

  /** Returns what is compared first: the weaker end, or ours by the letter. */
  int first(boolean isLetter, long nowNs) {
    int ours = local.health(nowNs);
    return isLetter ? ours : Math.min(ours, peer.health(nowNs));
  }

  /** Returns what is compared among pairs whose {@link #first} is as good. */
  int second(boolean isLetter, long nowNs) {
    int theirs = peer.health(nowNs);
    return isLetter ? theirs : Math.max(local.health(nowNs), theirs);
  }
}
