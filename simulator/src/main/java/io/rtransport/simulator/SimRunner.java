package io.rtransport.simulator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Runs worlds: one, or a range of seeds on several threads. A world is confined to its thread, so
 * its outcome does not depend on the number of threads.
 */
public final class SimRunner {
  private final PairHarness.HostFactory factory;
  private final SimWatchdog watchdog = new SimWatchdog();

  /** Runs worlds of hosts over direct links. */
  public SimRunner() {
    this(SimRunner::hostOf);
  }

  private static SimHost hostOf(int host, PairHarness harness) {
    boolean isChannelLike = harness.plan().scenario == WorldPlan.Scenario.CHANNEL;
    return isChannelLike ? new TurnHost(host, harness) : new DirectHost(host, harness);
  }

  public SimRunner(PairHarness.HostFactory factory) {
    this.factory = factory;
  }

  /**
   * Runs one world to its end.
   *
   * @param traceOut receives one line for each event, or null
   */
  public SimResult run(SimPlan plan, Appendable traceOut) {
    SimTotals totals = new SimTotals();
    SimTrace trace = new SimTrace(traceOut);
    Throwable failure = null;
    watchdog.begin(plan.seed(), System.nanoTime());
    try {
      if (plan instanceof SwarmPlan swarm) {
        new SwarmWorld(swarm, totals, trace).run();
      } else {
        new PairHarness((WorldPlan) plan, totals, trace, factory).run();
      }
    } catch (RuntimeException | Error e) {
      failure = e; // any, so that a failing thread's world is counted
    } finally {
      watchdog.end();
    }
    return new SimResult(plan, totals, trace, failure);
  }

  /** Returns the watchdog, which notices a world that does not end. */
  SimWatchdog watchdog() {
    return watchdog;
  }

  /** Returns the plan of {@code seed} in {@code scenario}; for a swarm, the given part of it. */
  static SimPlan planOf(long seed, WorldPlan.Scenario scenario, SwarmPlan.Part part) {
    return scenario == WorldPlan.Scenario.SWARM
        ? SwarmPlan.of(seed).keep(part)
        : WorldPlan.of(seed, scenario);
  }

  /** Result of many worlds. */
  public record Summary(SimTotals totals, List<SimResult> failures) {}

  /**
   * Runs the worlds of seeds {@code first..last}.
   *
   * @param isStoppedByFailure whether no further world is started after a failure
   * @param onResult receives the result of each world as it ends, in any order, one call at a time
   */
  public Summary runAll(
      long first,
      long last,
      WorldPlan.Scenario scenario,
      int threadCount,
      boolean isStoppedByFailure,
      Consumer<SimResult> onResult) {
    return runAll(
        first, last, scenario, SwarmPlan.Part.WHOLE, threadCount, isStoppedByFailure, onResult);
  }

  /** Runs the worlds as above, with {@code part} of each swarm. */
  Summary runAll(
      long first,
      long last,
      WorldPlan.Scenario scenario,
      SwarmPlan.Part part,
      int threadCount,
      boolean isStoppedByFailure,
      Consumer<SimResult> onResult) {
    SimTotals totals = new SimTotals();
    List<SimResult> failures = new ArrayList<>();
    AtomicLong next = new AtomicLong(first);
    Object lock = new Object();
    Runnable work =
        () -> {
          for (long seed = next.getAndIncrement(); seed <= last; seed = next.getAndIncrement()) {
            SimResult result = run(planOf(seed, scenario, part), null);
            synchronized (lock) {
              totals.add(result.totals());
              if (result.isFailed()) {
                failures.add(result);
                if (isStoppedByFailure) {
                  next.set(last + 1);
                }
              }
              onResult.accept(result);
            }
          }
        };
    onThreads(threadCount, work);
    failures.sort(Comparator.comparingLong(result -> result.plan().seed()));
    return new Summary(totals, failures);
  }

  private static void onThreads(int count, Runnable work) {
    List<Thread> threads = new ArrayList<>();
    for (int i = 1; i < count; i++) {
      Thread thread = new Thread(work, "sim-" + i);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    work.run();
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
