package io.rtransport.netty.internal.stat;

import java.util.List;

/**
 * State and counts of one router of this process at one moment. They count since it was opened.
 *
 * @param name its name as a node
 * @param forwarded messages that were sent on, each attempt counted
 * @param withoutRoute messages refused with NO_ROUTE: no way on
 * @param strangers messages refused with NO_ROUTE: their origin is not listed
 * @param lost messages whose next hop was lost before it answered
 * @param unknown messages dropped: their header was none of a node
 * @param heldBytes payload bytes that it holds now
 * @param heldBytesMax most payload bytes that it held at a time
 * @param hops its next hops, one for each destination
 */
public record RouterReport(
    String name,
    long forwarded,
    long withoutRoute,
    long strangers,
    long lost,
    long unknown,
    long heldBytes,
    long heldBytesMax,
    List<Hop> hops) {
  /**
   * The way on to one destination.
   *
   * @param isUp whether its connection is set up. One that nobody has wanted yet is not
   * @param large large messages on their way there
   * @param waiting messages that wait for the connection or for room
   */
  public record Hop(String destination, boolean isUp, int large, int waiting) {}

  /** Returns how many next hops are up. */
  long hopsUp() {
    return hops.stream().filter(Hop::isUp).count();
  }
}
