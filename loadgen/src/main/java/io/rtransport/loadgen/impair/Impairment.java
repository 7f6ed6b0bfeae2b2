package io.rtransport.loadgen.impair;

/**
 * What a network does to datagrams, each way alike and each on its own. Immutable.
 *
 * @param loss probability that a datagram is dropped, 0..1
 * @param delayNs added one way
 * @param jitterNs added on top, evenly drawn from 0 to this
 * @param reorder probability that a datagram is held back by another {@link #REORDER_HOLD_NS}
 * @param duplicate probability that it arrives twice
 * @param corrupt probability that one of its bits is flipped
 * @param bandwidthBitsPerSecond of the link, behind a drop-tail queue of {@link #QUEUE_DATAGRAMS};
 *     0 = unlimited
 */
public record Impairment(
    double loss,
    long delayNs,
    long jitterNs,
    double reorder,
    double duplicate,
    double corrupt,
    long bandwidthBitsPerSecond) {
  /** Datagrams that wait for a link of limited bandwidth; one more is dropped. */
  public static final int QUEUE_DATAGRAMS = 100;

  /** How long a reordered datagram is held back: long enough for those behind it to pass. */
  public static final long REORDER_HOLD_NS = 1_000_000;

  /** Nothing is done to datagrams. */
  public static final Impairment NONE = new Impairment(0, 0, 0, 0, 0, 0, 0);

  /** Whether nothing is done to datagrams. */
  public boolean isNone() {
    return equals(NONE);
  }
}
