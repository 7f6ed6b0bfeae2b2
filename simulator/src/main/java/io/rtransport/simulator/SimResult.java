package io.rtransport.simulator;

import java.util.Locale;

/**
 * Result of one world.
 *
 * @param plan the plan that was run
 * @param totals counts, as far as the world got
 * @param trace hashes of the events
 * @param failure the failure, or null
 */
public record SimResult(SimPlan plan, SimTotals totals, SimTrace trace, Throwable failure) {
  /** Returns the hash of all events. */
  public long traceHash() {
    return trace.hash();
  }

  public boolean isFailed() {
    return failure != null;
  }

  /**
   * Returns the broken rule. An exception from the product breaks {@link Invariant#NO_EXCEPTION}.
   */
  public Invariant invariant() {
    if (failure == null) {
      return null;
    }
    return failure instanceof InvariantViolation violation
        ? violation.invariant()
        : Invariant.NO_EXCEPTION;
  }

  /** Returns one line: the broken rule, and where an exception came from. */
  public String headline() {
    String message = String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
    if (failure instanceof InvariantViolation) {
      return message;
    }
    StackTraceElement[] stack = failure.getStackTrace();
    String at = stack.length == 0 ? "" : " at " + stack[0];
    return Invariant.NO_EXCEPTION + ": " + failure.getClass().getSimpleName() + " " + message + at;
  }

  /** Returns the command that replays the world and writes its events. */
  public String replay() {
    String scenario =
        plan.scenario() == WorldPlan.Scenario.DEFAULT
            ? ""
            : " --scenario " + plan.scenario().name().toLowerCase(Locale.ROOT);
    return "./rt sim --seeds " + plan.seed() + scenario + plan.selection() + " --trace FILE";
  }
}
