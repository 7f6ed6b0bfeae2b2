package io.rtransport.simulator;

/** Violation of a rule in a world. It is thrown where it is seen, so that the trace ends there. */
public final class InvariantViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Invariant invariant;

  InvariantViolation(Invariant invariant, String message) {
    super(invariant + ": " + message);
    this.invariant = invariant;
  }

  /** Returns the violated rule. */
  public Invariant invariant() {
    return invariant;
  }

  /**
   * Creates a violation to be thrown, where calling {@link #require} would allocate for every
   * packet.
   */
  static InvariantViolation of(Invariant invariant, String format, Object... arguments) {
    return new InvariantViolation(invariant, String.format(format, arguments));
  }

  /** Throws unless {@code holds}. The message is a format string, filled only on failure. */
  static void require(boolean holds, Invariant invariant, String format, Object... arguments) {
    if (!holds) {
      throw new InvariantViolation(invariant, String.format(format, arguments));
    }
  }
}
