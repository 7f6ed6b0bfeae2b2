package io.rtransport.core.rail;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Round robin among interfaces: the one that was selected least recently is next. Ours and the
 * peers' are counted apart from each other.
 */
final class Turns {
  private final Map<NiView, Long> turns = new IdentityHashMap<>();
  private long last;

  /** Returns when {@code ni} was selected last, as a growing number; 0 for never. */
  long of(NiView ni) {
    return turns.getOrDefault(ni, 0L);
  }

  void onSelected(NiPair pair) {
    last++;
    turns.put(pair.local(), last);
    turns.put(pair.peer(), last);
  }

  void onRemoved(NiView ni) {
    turns.remove(ni);
  }
}
