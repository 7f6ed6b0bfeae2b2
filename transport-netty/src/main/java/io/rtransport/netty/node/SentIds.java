package io.rtransport.netty.node;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What was sent to which incarnation of a peer. A message that was sent to one, and surely not
 * executed, may be new to another one. Confined to the link's loop.
 */
final class SentIds {
  /** Incarnations that are told apart. A peer has one at a time. */
  static final int INCARNATIONS_MAX = 64;

  private final Map<Long, Long> firstUnsent = new LinkedHashMap<>();
  private long firstUnsentToAny = 1;
  private boolean hasForgotten;

  void onSent(long incarnation, long id) {
    firstUnsent.merge(incarnation, id + 1, Math::max);
    firstUnsentToAny = Math.max(firstUnsentToAny, id + 1);
    if (firstUnsent.size() > INCARNATIONS_MAX) {
      firstUnsent.remove(firstUnsent.keySet().iterator().next());
      hasForgotten = true;
    }
  }

  /**
   * Returns the first id that may be new to an incarnation.
   *
   * @param endedBelow ids below are not sent any more
   */
  long firstNew(long incarnation, long endedBelow) {
    long otherwise = hasForgotten ? firstUnsentToAny : endedBelow;
    return firstUnsent.getOrDefault(incarnation, otherwise);
  }
}
