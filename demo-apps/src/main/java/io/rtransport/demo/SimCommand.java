package io.rtransport.demo;

import io.rtransport.command.OutputFile;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.simulator.NamedScenario;
import io.rtransport.simulator.SimMain;
import io.rtransport.simulator.SwarmPlan;
import io.rtransport.simulator.WorldPlan;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rt sim}: seeded simulations. This class reads the options; {@link SimMain} runs them. */
@Command(
    name = "sim",
    description = "Simulates hosts over a faulty network, a world a seed.",
    footer = {
      "",
      "Example: rt sim --seeds 1..2000",
      "         rt sim --seeds 7..7 --trace seven.txt",
      "         rt sim --seeds 1..500 --scenario swarm --minimise",
      "         rt sim --seeds 1..10 --scenario loss-ladder"
    })
final class SimCommand implements Callable<Integer> {
  private static final Pattern SEEDS = Pattern.compile("(-?\\d{1,19})(?:\\.\\.(-?\\d{1,19}))?");
  private static final long SEED_COUNT_MAX = 100_000_000;
  private static final int TRACED_SEEDS_MAX = 100;

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Option(
      names = "--seeds",
      paramLabel = "A..B",
      defaultValue = "1..100",
      description = "Seeds, both ends included (default: ${DEFAULT-VALUE}).")
  private String seeds;

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      defaultValue = "default",
      description =
          "default, clean, harsh, narrow, blackhole, abort, rebind, channel or swarm, or a named one with a bound of"
              + " docs/reference/simulator.md, such as incast-32 (default: ${DEFAULT-VALUE}).")
  private String scenario;

  @Option(
      names = "--faults",
      paramLabel = "LIST",
      description = "Of a swarm: the faults kept, as numbers 1,2 or none (default: all).")
  private String faults;

  @Option(
      names = "--links",
      paramLabel = "LIST",
      description = "Of a swarm: the links kept, alike (default: all).")
  private String links;

  @Option(
      names = "--transactions",
      paramLabel = "N",
      description = "Of a swarm: transactions kept of each connection (default: all).")
  private Integer transactions;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "Writes what happens, a line an event; at most 100 seeds.")
  private Path trace;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Writes totals and failures as JSON.")
  private Path json;

  @Option(
      names = "--minimise",
      description = "Shrinks failing worlds: fewer kinds of fault, fewer transactions.")
  private boolean isMinimised;

  /** Checked options. A named scenario needs only its seeds. */
  record Request(NamedScenario named, SimMain.Options options) {}

  @Override
  public Integer call() throws IOException {
    Request request = request();
    SimMain.Options options = request.options();
    PrintWriter out = spec.commandLine().getOut();
    return request.named() == null
        ? SimMain.run(options, out)
        : request.named().runAll(options.first(), options.last(), out, json);
  }

  Request request() {
    Matcher range = SEEDS.matcher(seeds);
    String valid = "A..B with 64-bit A <= B, at most " + SEED_COUNT_MAX + " seeds";
    if (!range.matches()) {
      throw new InvalidValueException("--seeds", seeds, valid);
    }
    long first = seed(range.group(1), valid);
    long last = range.group(2) == null ? first : seed(range.group(2), valid);
    if (last < first || last - first < 0 || last - first >= SEED_COUNT_MAX) {
      throw new InvalidValueException("--seeds", seeds, valid);
    }
    if (trace != null && last - first >= TRACED_SEEDS_MAX) {
      throw new InvalidValueException("--seeds", seeds, "at most 100 seeds with --trace");
    }
    OutputFile.of("--trace", trace);
    OutputFile.of("--json", json);
    NamedScenario named = NamedScenario.find(scenario);
    if (named != null) {
      refuseParts();
    }
    SimMain.Options options =
        new SimMain.Options(
            first,
            last,
            named == null ? scenario() : null,
            part(),
            trace,
            json,
            isMinimised,
            false,
            Runtime.getRuntime().availableProcessors());
    return new Request(named, options);
  }

  private void refuseParts() {
    if (trace != null || isMinimised || faults != null || links != null || transactions != null) {
      throw new InvalidValueException(
          "--scenario",
          scenario,
          "one that is drawn, with --trace, --minimise, --faults, --links or --transactions: "
              + scenario
              + " is always the same");
    }
  }

  private long seed(String text, String valid) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new InvalidValueException("--seeds", seeds, valid);
    }
  }

  private WorldPlan.Scenario scenario() {
    try {
      return WorldPlan.Scenario.valueOf(scenario.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new InvalidValueException(
          "--scenario",
          scenario,
          "one of default, clean, harsh, narrow, blackhole, abort, rebind, channel, swarm, "
              + Stream.of(NamedScenario.values())
                  .map(NamedScenario::id)
                  .collect(Collectors.joining(", ")));
    }
  }

  private SwarmPlan.Part part() {
    if (transactions != null && transactions < 0) {
      throw new InvalidValueException("--transactions", transactions.toString(), "0 or more");
    }
    return new SwarmPlan.Part(
        indexes("--faults", faults),
        indexes("--links", links),
        transactions == null ? Integer.MAX_VALUE : transactions);
  }

  private static BitSet indexes(String name, String text) {
    try {
      return SwarmPlan.Part.indexes(text);
    } catch (NumberFormatException e) {
      throw new InvalidValueException(name, text, "numbers with commas between them, or none");
    }
  }
}
