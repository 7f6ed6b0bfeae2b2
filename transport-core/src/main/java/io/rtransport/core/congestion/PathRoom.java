package io.rtransport.core.congestion;

/**
 * The most that a congestion window may be: enough for 3 GB/s on a path of any length, within a
 * budget. On a path of up to {@value #FAST_PATH_NS} ns that is 1.5 MiB, for more in flight only
 * makes every copy a cold one; a path of 20 ms may have forty times as much.
 */
public final class PathRoom {
  /**
   * A round trip up to which a path needs no more than the least, ns: 1.5 MiB in 500 µs are 3 GB/s.
   */
  public static final long FAST_PATH_NS = 500_000;

  private PathRoom() {}

  /**
   * Bytes that a path needs.
   *
   * @param leastBytes for a fast path
   * @param mostBytes the budget, at least {@code leastBytes}
   * @param baseNs the round trip without queue; 0 without a sample
   */
  static double bytes(double leastBytes, double mostBytes, long baseNs) {
    if (baseNs <= FAST_PATH_NS) {
      return leastBytes;
    }
    return Math.min(mostBytes, leastBytes * baseNs / FAST_PATH_NS);
  }

  /**
   * The same in packets: {@code leastPackets} on a fast path, as many more as the round trip is
   * longer, at most {@code mostPackets}.
   */
  public static int packets(int leastPackets, int mostPackets, long baseNs) {
    return (int) bytes(leastPackets, mostPackets, baseNs);
  }
}
