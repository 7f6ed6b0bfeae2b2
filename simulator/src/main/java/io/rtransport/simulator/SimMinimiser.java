package io.rtransport.simulator;

import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;

/**
 * Shrinks a failing world while it breaks the same rule. It removes faults, then transactions from
 * the end, and in a swarm also whole links. A swarm's faults are a list. Halves of it are removed
 * first, then quarters, and finally single faults.
 */
public final class SimMinimiser {
  private final Function<SimPlan, SimResult> runs;

  public SimMinimiser(SimRunner runner) {
    this(plan -> runner.run(plan, null));
  }

  SimMinimiser(Function<SimPlan, SimResult> runs) {
    this.runs = runs;
  }

  /**
   * Returns the smallest failing world found by shrinking {@code failing}, or {@code failing}
   * itself.
   */
  public SimResult minimise(SimResult failing) {
    return failing.plan() instanceof SwarmPlan ? minimiseSwarm(failing) : minimisePair(failing);
  }

  private SimResult minimisePair(SimResult failing) {
    SimResult best = failing;
    Set<FaultKind> kinds = EnumSet.allOf(FaultKind.class);
    for (FaultKind kind : kinds) {
      WorldPlan plan = (WorldPlan) best.plan();
      boolean isThere =
          plan.faults[0].kinds().contains(kind) || plan.faults[1].kinds().contains(kind);
      if (isThere) {
        best = better(best, plan.without(kind));
      }
    }
    WorldPlan plan = (WorldPlan) best.plan();
    int most = Math.min(plan.transactionCount, plan.keptTransactions);
    return fewest(best, most, plan::withTransactions);
  }

  private SimResult minimiseSwarm(SimResult failing) {
    SimResult best = failing;
    long size;
    do {
      SwarmPlan whole = (SwarmPlan) best.plan();
      size = sizeOf(whole);
      best = without(best, whole.keptLinks, kept -> whole.keep(null, kept, whole.keptTransactions));
      SwarmPlan linked = (SwarmPlan) best.plan();
      BitSet felt = new BitSet();
      linked.keptFaults.stream()
          .filter(i -> linked.isInForce(linked.faults.get(i)))
          .forEach(felt::set);
      best = better(best, linked.keep(felt, null, linked.keptTransactions));
      best = without(best, felt, kept -> linked.keep(kept, null, linked.keptTransactions));
      SwarmPlan quiet = (SwarmPlan) best.plan();
      int most = Math.min(quiet.keptTransactions, 200);
      best = fewest(best, most, count -> quiet.keep(null, null, count));
    } while (sizeOf((SwarmPlan) best.plan()) < size);
    return best;
  }

  private static long sizeOf(SwarmPlan plan) {
    return (long) plan.keptLinks.cardinality()
        + plan.keptFaults.cardinality()
        + plan.keptTransactions;
  }

  /**
   * Removes elements of {@code all}, in ever smaller pieces, as long as the rest breaks the same
   * rule.
   */
  private SimResult without(SimResult failing, BitSet all, Function<BitSet, SimPlan> planOf) {
    SimResult best = failing;
    BitSet kept = (BitSet) all.clone();
    for (int piece = (kept.cardinality() + 1) / 2; piece >= 1; piece /= 2) {
      int[] elements = kept.stream().toArray();
      for (int from = 0; from < elements.length; from += piece) {
        BitSet fewer = (BitSet) kept.clone();
        for (int i = from; i < Math.min(elements.length, from + piece); i++) {
          fewer.clear(elements[i]);
        }
        SimResult tried = better(best, planOf.apply(fewer));
        if (tried != best) {
          best = tried;
          kept = fewer;
        }
      }
    }
    return best;
  }

  /** Finds by halving the least count up to {@code most} that breaks the same rule. */
  private SimResult fewest(SimResult failing, int most, Function<Integer, SimPlan> planOf) {
    SimResult best = failing;
    int least = 0;
    int failingCount = most;
    while (least + 1 < failingCount) {
      int middle = (least + failingCount) >>> 1;
      SimResult tried = better(best, planOf.apply(middle));
      if (tried == best) {
        least = middle;
      } else {
        best = tried;
        failingCount = middle;
      }
    }
    return best;
  }

  private SimResult better(SimResult best, SimPlan plan) {
    SimResult tried = runs.apply(plan);
    return tried.isFailed() && tried.invariant() == best.invariant() ? tried : best;
  }
}
