package io.rtransport.loadgen.impair;

/**
 * Impairment of a network, equal and independent for both directions. Immutable.
 *
 * @param loss probability that a datagram is dropped, 0..1
 * @param delayNs added in each direction
 * @param jitterNs added to the delay, drawn evenly from 0 to this value
 * @param reorder probability that a datagram is delayed by another {@link #REORDER_HOLD_NS}
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
  /** Most datagrams that wait for a link of limited bandwidth. One more is dropped. */
  public static final int QUEUE_DATAGRAMS = 100;

  /** Delay of a reordered datagram: long enough for later ones to pass. */
  public static final long REORDER_HOLD_NS = 1_000_000;

  /** No impairment. */
  public static final Impairment NONE = new Impairment(0, 0, 0, 0, 0, 0, 0);

  /** Returns whether it is no impairment. */
  public boolean isNone() {
    return equals(NONE);
  }
}
