package io.rtransport.netty.handler;

/**
 * What befalls packets in one direction. Probabilities are a packet's, 0..1.
 *
 * @param loss it is lost
 * @param duplicate it comes twice
 * @param reorder it is held for up to {@link #REORDER_NS_MAX}, so that later ones overtake it
 * @param corrupt one of its bits is flipped
 * @param delayNs all are held this long
 * @param jitterNs and up to this much longer, at random
 */
public record Faults(
    double loss, double duplicate, double reorder, double corrupt, long delayNs, long jitterNs) {
  /** No faults. */
  public static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0);

  /** The longest that a reordered packet is held beyond the delay, ns. */
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

  /** Loss alone. */
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
