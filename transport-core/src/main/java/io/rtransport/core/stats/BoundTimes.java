package io.rtransport.core.stats;

/**
 * How long each {@link Bound} has held a connection. It is told at the end of a turn, and what is told holds until the next. Confined to the
 * connection's loop; no call allocates.
 */
public final class BoundTimes {
  private static final Bound[] BOUNDS = Bound.values();

  private final long[] sumsNs = new long[BOUNDS.length];
  private Bound current = Bound.NONE;
  private long sinceNs;

  /** From {@code nowNs} on, {@code bound} holds the connection. */
  public void onTurn(Bound bound, long nowNs) {
    if (bound != current) {
      if (current != Bound.NONE) {
        sumsNs[current.ordinal()] += nowNs - sinceNs;
      }
      current = bound;
      sinceNs = nowNs;
    }
  }

  /** What holds the connection now. */
  public Bound current() {
    return current;
  }

  /** How long {@code bound} has held it until {@code nowNs}, in ns. {@link Bound#NONE} is not counted: 0. */
  public long ns(Bound bound, long nowNs) {
    long sumNs = sumsNs[bound.ordinal()];
    return bound == current && bound != Bound.NONE ? sumNs + nowNs - sinceNs : sumNs;
  }
}
