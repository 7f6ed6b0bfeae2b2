package io.rtransport.loadgen.impair;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a rail did with the datagrams of one direction. Each datagram is received once. It is then
 * forwarded, dropped, or still on its way; a duplicate counts again from there.
 *
 * @param received datagrams that came in
 * @param duplicated of them, those that were doubled
 * @param forwarded datagrams that were sent on
 * @param droppedImpairment dropped by chance, or by a test
 * @param droppedQueue dropped because a queue was full
 * @param droppedDark dropped because the rail was dark, when they came or when they were due
 */
public record DirectionCounts(
    long received,
    long duplicated,
    long forwarded,
    long droppedImpairment,
    long droppedQueue,
    long droppedDark) {
  /** Nothing. */
  public static final DirectionCounts NONE = new DirectionCounts(0, 0, 0, 0, 0, 0);

  /** Returns the sums. */
  public DirectionCounts plus(DirectionCounts other) {
    return new DirectionCounts(
        received + other.received,
        duplicated + other.duplicated,
        forwarded + other.forwarded,
        droppedImpairment + other.droppedImpairment,
        droppedQueue + other.droppedQueue,
        droppedDark + other.droppedDark);
  }

  /** Returns the counts by name, as the report has them. */
  public Map<String, Object> json() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("received", received);
    map.put("duplicated", duplicated);
    map.put("forwarded", forwarded);
    map.put("droppedImpairment", droppedImpairment);
    map.put("droppedQueue", droppedQueue);
    map.put("droppedDark", droppedDark);
    return map;
  }
}
