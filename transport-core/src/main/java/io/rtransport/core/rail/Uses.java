package io.rtransport.core.rail;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** How often one message was sent by each pair and each interface. */
final class Uses {
  private final Map<NiPair, Integer> pairs = new HashMap<>();
  private final Map<NiView, Integer> nis = new IdentityHashMap<>();

  Uses(List<NiPair> used) {
    for (NiPair pair : used) {
      pairs.merge(pair, 1, Integer::sum);
      nis.merge(pair.local(), 1, Integer::sum);
      nis.merge(pair.peer(), 1, Integer::sum);
    }
  }

  int of(NiPair pair) {
    return pairs.getOrDefault(pair, 0);
  }

  int of(NiView ni) {
    return nis.getOrDefault(ni, 0);
  }

  /** Returns how often the two ends were used, with each other or with others. */
  int ofEnds(NiPair pair) {
    return of(pair.local()) + of(pair.peer());
  }
}
