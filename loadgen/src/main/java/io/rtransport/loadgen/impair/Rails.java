package io.rtransport.loadgen.impair;

import java.util.Collections;
import java.util.List;

/**
 * Rails of a run: paths to one server, each with its own proxy. Immutable.
 *
 * @param impairments one of each rail, in the order of their indexes; at least one
 * @param events kills and restores, earliest first
 */
public record Rails(List<Impairment> impairments, List<RailEvent> events) {
  /** Most rails of a run. */
  public static final int COUNT_MAX = 8;

  /** Copies the lists. */
  public Rails {
    impairments = List.copyOf(impairments);
    events = List.copyOf(events);
  }

  /** Returns rails that are never killed, all with one impairment. */
  public static Rails alike(int count, Impairment impairment) {
    return new Rails(Collections.nCopies(count, impairment), List.of());
  }

  /** Returns how many there are. */
  public int count() {
    return impairments.size();
  }

  /** Returns whether any rail is impaired. */
  public boolean isImpaired() {
    return !impairments.stream().allMatch(Impairment::isNone);
  }

  /** Returns whether any rail is killed. */
  public boolean isKilled() {
    return !events.isEmpty();
  }
}
