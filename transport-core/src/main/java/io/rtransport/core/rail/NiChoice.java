package io.rtransport.core.rail;

/**
 * Answer of selection: a pair, or why there is none.
 *
 * @param pair the interfaces to use; null for none
 * @param nextHop the peer or router that {@code pair} leads to; null for none
 * @param reason why there is no pair; null if there is one
 */
public record NiChoice(NiPair pair, PeerView nextHop, NoPairReason reason) {
  static NiChoice of(Candidate chosen) {
    return new NiChoice(chosen.pair(), chosen.hop().router(), null);
  }

  static NiChoice none(NoPairReason reason) {
    return new NiChoice(null, null, reason);
  }

  /** Returns whether there is a pair. */
  public boolean isChosen() {
    return pair != null;
  }
}
