package io.rtransport.simulator;

import java.util.Locale;

/**
 * How one world went.
 *
 * @param plan what was run
 * @param totals what it went through, as far as it got
 * @param trace hashes of what happened
 * @param failure what went wrong, or null
 */
public record SimResult(SimPlan plan, SimTotals totals, SimTrace trace, Throwable failure) {
  /** The hash of everything that happened. */
  public long traceHash() {
    return trace.hash();
  }

  public boolean isFailed() {
    return failure != null;
  }

  /**
   * The rule that was broken; an exception out of the product breaks {@link
   * Invariant#NO_EXCEPTION}.
   */
  public Invariant invariant() {
    if (failure == null) {
      return null;
    }
    return failure instanceof InvariantViolation violation
        ? violation.invariant()
        : Invariant.NO_EXCEPTION;
  }

  /** One line: what broke, and where an exception came from. */
  public String headline() {
    String message = String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
    if (failure instanceof InvariantViolation) {
      return message;
    }
    StackTraceElement[] stack = failure.getStackTrace();
    String at = stack.length == 0 ? "" : " at " + stack[0];
    return Invariant.NO_EXCEPTION + ": " + failure.getClass().getSimpleName() + " " + message + at;
  }

  /** The command that replays it and writes what happened. */
  public String replay() {
    String scenario =
        plan.scenario() == WorldPlan.Scenario.DEFAULT
            ? ""
            : " --scenario " + plan.scenario().name().toLowerCase(Locale.ROOT);
    return "./rt sim --seeds " + plan.seed() + scenario + plan.selection() + " --trace FILE";
  }
}
