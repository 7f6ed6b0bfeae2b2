package io.rtransport.core.rail;

/** Pair that a message can take, and the next hop that it leads to. */
record Candidate(NextHop hop, NiPair pair) {
  NiView local() {
    return pair.local();
  }

  NiView peer() {
    return pair.peer();
  }

  /** Returns the health of the less healthy end. */
  int weakerHealth() {
    return Math.min(local().health(), peer().health());
  }

  /** Returns the health of the healthier end. */
  int strongerHealth() {
    return Math.max(local().health(), peer().health());
  }
}
