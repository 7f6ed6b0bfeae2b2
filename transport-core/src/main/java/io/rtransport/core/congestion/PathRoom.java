package io.rtransport.core.congestion;

/**
 * Upper limit of a congestion window: enough for 3 GB/s on a path of any length, within a budget.
 * On a path of up to {@value #FAST_PATH_NS} ns that is 1.5 MiB; with more in flight every copy
 * misses the cache. A path of 20 ms may have forty times as much.
 */
public final class PathRoom {
  /**
   * Longest round trip of a path that needs only the least limit, ns: 1.5 MiB in 500 µs are 3 GB/s.
   */
  public static final long FAST_PATH_NS = 500_000;

  /** Packets in flight of the data window that a fast path needs: about 1.4 MB. */
  public static final int FAST_PATH_PACKETS = 1_024;

  private PathRoom() {}

  /**
   * Returns the bytes that a path needs.
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
   * Returns the packets that a path needs: {@code leastPackets} on a fast path, more in proportion
   * to a longer round trip, at most {@code mostPackets}.
   */
  public static int packets(int leastPackets, int mostPackets, long baseNs) {
    return (int) bytes(leastPackets, mostPackets, baseNs);
  }
}
