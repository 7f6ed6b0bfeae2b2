package io.rtransport.core.stats;

/**
 * Time for which each {@link Bound} has held a connection. The bound is set at the end of a turn
 * and applies until the next. Confined to the connection's event loop; no call allocates.
 */
public final class BoundTimes {
  private static final Bound[] BOUNDS = Bound.values();

  private final long[] sumsNs = new long[BOUNDS.length];

  /** A number, because a turn may change it: a reference stored into an old object is expensive. */
  private int current = Bound.NONE.ordinal();

  private long sinceNs;

  /** Sets the bound that holds the connection from {@code nowNs} on. */
  public void onTurn(Bound bound, long nowNs) {
    if (bound.ordinal() != current) {
      if (current != Bound.NONE.ordinal()) {
        sumsNs[current] += nowNs - sinceNs;
      }
      current = bound.ordinal();
      sinceNs = nowNs;
    }
  }

  /** Returns the bound that holds the connection now. */
  public Bound current() {
    return BOUNDS[current];
  }

  /**
   * Returns how long {@code bound} has held the connection until {@code nowNs}, in ns. {@link
   * Bound#NONE} is not counted: 0.
   */
  public long ns(Bound bound, long nowNs) {
    long sumNs = sumsNs[bound.ordinal()];
    return bound.ordinal() == current && bound != Bound.NONE ? sumNs + nowNs - sinceNs : sumNs;
  }
}
