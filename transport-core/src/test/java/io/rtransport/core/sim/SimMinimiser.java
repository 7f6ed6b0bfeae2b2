package io.rtransport.core.sim;

import java.util.EnumSet;
import java.util.Set;

/** Shrinks a failing world while it breaks the same rule: first whole kinds of fault are taken away, then transactions from the end. */
public final class SimMinimiser {
  private final SimRunner runner;

  public SimMinimiser(SimRunner runner) {
    this.runner = runner;
  }

  /** The smallest failing world found on the way down from {@code failing}; at least that one. */
  public SimResult minimise(SimResult failing) {
    SimResult best = failing;
    Set<FaultKind> kinds = EnumSet.allOf(FaultKind.class);
    for (FaultKind kind : kinds) {
      boolean isThere =
          best.plan().faults[0].kinds().contains(kind)
              || best.plan().faults[1].kinds().contains(kind);
      if (isThere) {
        best = better(best, best.plan().without(kind));
      }
    }
    int least = 0;
    int most = Math.min(best.plan().transactionCount, best.plan().keptTransactions);
    while (least + 1 < most) {
      int middle = (least + most) >>> 1;
      SimResult tried = better(best, best.plan().withTransactions(middle));
      if (tried == best) {
        least = middle;
      } else {
        best = tried;
        most = middle;
      }
    }
    return best;
  }

  private SimResult better(SimResult best, WorldPlan plan) {
    SimResult tried = runner.run(plan, null);
    return tried.isFailed() && tried.invariant() == best.invariant() ? tried : best;
  }
}
