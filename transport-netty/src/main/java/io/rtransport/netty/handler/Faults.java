package io.rtransport.netty.handler;

/**
 * Faults of packets in one direction. The probabilities are per packet, 0..1.
 *
 * @param loss probability that the packet is lost
 * @param duplicate probability that the packet comes twice
 * @param reorder probability that the packet is held for up to {@link #REORDER_NS_MAX}, so that
 *     later packets overtake it
 * @param corrupt probability that one bit of the packet is flipped
 * @param delayNs delay of every packet, ns
 * @param jitterNs highest additional delay of a packet, random, ns
 */
public record Faults(
    double loss, double duplicate, double reorder, double corrupt, long delayNs, long jitterNs) {
  /** No faults. */
  public static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0);

  /** Longest additional hold of a reordered packet, beyond the delay, ns. */
  public static final long REORDER_NS_MAX = 1_000_000;

  public Faults {
    probability("loss", loss);
    probability("duplicate", duplicate);
    probability("reorder", reorder);
    probability("corrupt", corrupt);
    if (delayNs < 0 || jitterNs < 0) {
      throw new IllegalArgumentException(
          "delayNs=" + delayNs + ", jitterNs=" + jitterNs + ", valid: at least 0");
    }
  }

  /** Returns faults with loss only. */
  public static Faults loss(double loss) {
    return new Faults(loss, 0, 0, 0, 0, 0);
  }

  boolean isNone() {
    return loss == 0
        && duplicate == 0
        && reorder == 0
        && corrupt == 0
        && delayNs == 0
        && jitterNs == 0;
  }

  private static void probability(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + "=" + value + ", valid: 0..1");
    }
  }
}
