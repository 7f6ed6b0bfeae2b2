package io.rtransport.simulator;

/** A world broke a rule. Thrown where it is seen, so that the trace ends there. */
public final class InvariantViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Invariant invariant;

  InvariantViolation(Invariant invariant, String message) {
    super(invariant + ": " + message);
    this.invariant = invariant;
  }

  /** Which rule. */
  public Invariant invariant() {
    return invariant;
  }

  /**
   * A violation to be thrown, where asking with {@link #require} would make garbage at every
   * packet.
   */
  static InvariantViolation of(Invariant invariant, String format, Object... arguments) {
    return new InvariantViolation(invariant, String.format(format, arguments));
  }

  /** Throws unless {@code holds}; the message is a format string, filled only on failure. */
  static void require(boolean holds, Invariant invariant, String format, Object... arguments) {
    if (!holds) {
      throw new InvariantViolation(invariant, String.format(format, arguments));
    }
  }
}
