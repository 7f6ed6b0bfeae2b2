package io.rtransport.core.rail;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Pairs of one interface of ours that are silent while their peers are not, the one that was silent
 * last at the end. {@link RailHealth} guards it. There may be one for each connection of a node, so
 * nothing here looks through all of them.
 */
final class SilentPairs {
  private final Set<PairEnds> pairs = new LinkedHashSet<>();

  /** How many of them each peer has. */
  private final Map<Long, Integer> ofPeers = new HashMap<>();

  /** Adds a pair that is silent now, and is not among them. */
  void add(PairEnds pair, long nowNs) {
    pair.silentNs = nowNs;
    pairs.add(pair);
    ofPeers.merge(pair.peerId, 1, Integer::sum);
  }

  void remove(PairEnds pair) {
    if (pairs.remove(pair)) {
      forget(pair);
    }
  }

  private void forget(PairEnds pair) {
    ofPeers.merge(pair.peerId, -1, (a, b) -> a + b == 0 ? null : a + b);
  }

  /** Removes those that were silent before {@code sinceNs} only. */
  void removeBefore(long sinceNs) {
    Iterator<PairEnds> oldest = pairs.iterator();
    while (oldest.hasNext()) {
      PairEnds pair = oldest.next();
      if (pair.silentNs - sinceNs >= 0) {
        return;
      }
      oldest.remove();
      forget(pair);
    }
  }

  boolean isEmpty() {
    return pairs.isEmpty();
  }

  /** Returns whether they are of two peers, or more. */
  boolean isOfSeveralPeers() {
    return ofPeers.size() > 1;
  }
}
