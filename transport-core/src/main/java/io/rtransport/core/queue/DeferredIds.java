package io.rtransport.core.queue;

import org.agrona.collections.LongHashSet;

/**
 * Ids of entries whose answer the application has put off, so that each gets one. Confined to the
 * consumer's thread. It holds no more than the consumer was given and has not answered.
 */
public final class DeferredIds {
  private final LongHashSet ids = new LongHashSet();

  /** Notes an entry that will be answered later. */
  public void add(long id) {
    ids.add(id);
  }

  /**
   * Forgets an entry, because it is answered now.
   *
   * @return false if it is not deferred: it has its answer, or never was
   */
  public boolean remove(long id) {
    return ids.remove(id);
  }
}
