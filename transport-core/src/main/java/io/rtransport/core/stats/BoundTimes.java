package io.rtransport.core.stats;

/**
 * How long each {@link Bound} has held a connection. It is told at the end of a turn, and what is
 * told holds until the next. Confined to the connection's loop; no call allocates.
 */
public final class BoundTimes {
  private static final Bound[] BOUNDS = Bound.values();

  private final long[] sumsNs = new long[BOUNDS.length];

  /** A number: a turn may change it, and to store a reference into an old object is dear. */
  private int current = Bound.NONE.ordinal();

  private long sinceNs;

  /** From {@code nowNs} on, {@code bound} holds the connection. */
  public void onTurn(Bound bound, long nowNs) {
    if (bound.ordinal() != current) {
      if (current != Bound.NONE.ordinal()) {
        sumsNs[current] += nowNs - sinceNs;
      }
      current = bound.ordinal();
      sinceNs = nowNs;
    }
  }

  /** What holds the connection now. */
  public Bound current() {
    return BOUNDS[current];
  }

  /**
   * How long {@code bound} has held it until {@code nowNs}, in ns. {@link Bound#NONE} is not
   * counted: 0.
   */
  public long ns(Bound bound, long nowNs) {
    long sumNs = sumsNs[bound.ordinal()];
    return bound.ordinal() == current && bound != Bound.NONE ? sumNs + nowNs - sinceNs : sumNs;
  }
}
