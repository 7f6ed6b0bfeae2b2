package io.rtransport.simulator;

import io.rtransport.core.json.Json;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Simulations from the command line. Prints one line for each failing seed with its replay command,
 * then the totals. {@code ./rt sim} parses the options. {@link #main} accepts the same options, for
 * use with only the simulator's jar.
 */
public final class SimMain {
  /**
   * Options of a run.
   *
   * @param first seed, with {@code last} inclusive
   * @param part kept part of each world of a swarm
   * @param trace file for the events of each world, or null; useful only with few seeds
   * @param json file for totals and failures, or null
   * @param isMinimised whether failing worlds are shrunk
   * @param isStoppedByFailure whether the first failing world is the last
   * @param threadCount worlds at a time
   */
  public record Options(
      long first,
      long last,
      WorldPlan.Scenario scenario,
      SwarmPlan.Part part,
      Path trace,
      Path json,
      boolean isMinimised,
      boolean isStoppedByFailure,
      int threadCount) {}

  private SimMain() {}

  /**
   * Runs the worlds and prints to {@code out}.
   *
   * @return 0 if no seed failed, else 1
   * @throws IOException if a file cannot be written
   */
  public static int run(Options options, PrintWriter out) throws IOException {
    SimRunner runner = new SimRunner();
    ScheduledExecutorService watch =
        runner
            .watchdog()
            .start(
                text -> {
                  out.print(text);
                  out.flush();
                  Runtime.getRuntime().halt(1); // nothing else ends a spinning thread
                });
    try {
      return run(runner, options, out);
    } finally {
      watch.shutdownNow();
    }
  }

  private static int run(SimRunner runner, Options options, PrintWriter out) throws IOException {
    List<Long> packets = new ArrayList<>();
    SimRunner.Summary summary =
        options.trace() == null
            ? runner.runAll(
                options.first(),
                options.last(),
                options.scenario(),
                options.part(),
                options.threadCount(),
                options.isStoppedByFailure(),
                result -> {
                  packets.add(result.totals().packets);
                  report(result, out);
                })
            : runTraced(runner, options, out);
    packets.sort(null);
    if (options.isMinimised()) {
      for (SimResult failure : summary.failures()) {
        minimise(runner, failure, out);
      }
    }
    out.printf("totals%n%s", summary.totals());
    if (!packets.isEmpty()) {
      out.printf("  %-26s %,15d%n", "medianPackets", packets.get(packets.size() / 2));
    }
    out.printf("%d of %d seeds failed%n", summary.failures().size(), seedCount(options));
    out.flush();
    if (options.json() != null) {
      Files.writeString(options.json(), Json.writeIndented(json(options, summary)));
    }
    return summary.failures().isEmpty() ? 0 : 1;
  }

  private static long seedCount(Options options) {
    return options.last() - options.first() + 1;
  }

  private static void report(SimResult result, PrintWriter out) {
    if (result.isFailed()) {
      out.printf("seed %d: %s%n", result.plan().seed(), result.headline());
      out.printf("  replay: %s%n", result.replay());
      out.flush();
    }
  }

  private static SimRunner.Summary runTraced(SimRunner runner, Options options, PrintWriter out)
      throws IOException {
    SimTotals totals = new SimTotals();
    List<SimResult> failures = new ArrayList<>();
    try (BufferedWriter trace = Files.newBufferedWriter(options.trace())) {
      for (long seed = options.first(); seed <= options.last(); seed++) {
        SimPlan plan = SimRunner.planOf(seed, options.scenario(), options.part());
        trace.append(plan.toString()).append('\n');
        SimResult result = runner.run(plan, trace);
        trace.append(String.format("trace hash %016x%n", result.traceHash()));
        totals.add(result.totals());
        if (result.isFailed()) {
          failures.add(result);
          trace.append(stack(result.failure()));
        }
        report(result, out);
      }
    }
    return new SimRunner.Summary(totals, failures);
  }

  private static String stack(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  private static void minimise(SimRunner runner, SimResult failure, PrintWriter out) {
    SimResult least = new SimMinimiser(runner).minimise(failure);
    out.printf("seed %d fails alike in this smaller world:%n", failure.plan().seed());
    out.printf("%s%n  %s%n", least.plan(), least.headline());
    out.printf("  replay: %s%n", least.replay());
    out.flush();
  }

  private static Map<String, Object> json(Options options, SimRunner.Summary summary) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("firstSeed", options.first());
    json.put("lastSeed", options.last());
    json.put("scenario", options.scenario().name().toLowerCase(Locale.ROOT));
    json.put("totals", summary.totals().columns());
    List<Map<String, Object>> failures = new ArrayList<>();
    for (SimResult result : summary.failures()) {
      Map<String, Object> failure = new LinkedHashMap<>();
      failure.put("seed", result.plan().seed());
      failure.put("invariant", result.invariant().name());
      failure.put("message", result.headline());
      failure.put("replay", result.replay());
      failures.add(failure);
    }
    json.put("failures", failures);
    return json;
  }

  /**
   * Runs with {@code --seeds A..B [--scenario NAME] [--faults LIST] [--links LIST] [--transactions
   * N] [--trace FILE] [--json FILE] [--minimise] [--stop] [--threads N]}.
   */
  public static void main(String[] arguments) throws IOException {
    long first = 1;
    long last = 100;
    WorldPlan.Scenario scenario = WorldPlan.Scenario.DEFAULT;
    BitSet faults = null;
    BitSet links = null;
    int transactions = SwarmPlan.ALL;
    Path trace = null;
    Path json = null;
    boolean isMinimised = false;
    boolean isStopped = false;
    int threadCount = Runtime.getRuntime().availableProcessors();
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--seeds" -> {
          String[] ends = arguments[++i].split("\\.\\.", 2);
          first = Long.parseLong(ends[0]);
          last = Long.parseLong(ends[ends.length - 1]);
        }
        case "--scenario" ->
            scenario = WorldPlan.Scenario.valueOf(arguments[++i].toUpperCase(Locale.ROOT));
        case "--faults" -> faults = SwarmPlan.Part.indexes(arguments[++i]);
        case "--links" -> links = SwarmPlan.Part.indexes(arguments[++i]);
        case "--transactions" -> transactions = Integer.parseInt(arguments[++i]);
        case "--trace" -> trace = Path.of(arguments[++i]);
        case "--json" -> json = Path.of(arguments[++i]);
        case "--threads" -> threadCount = Integer.parseInt(arguments[++i]);
        case "--stop" -> isStopped = true;
        case "--minimise" -> isMinimised = true;
        default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
      }
    }
    Options options =
        new Options(
            first,
            last,
            scenario,
            new SwarmPlan.Part(faults, links, transactions),
            trace,
            json,
            isMinimised,
            isStopped,
            threadCount);
    System.exit(run(options, new PrintWriter(System.out)));
  }
}
