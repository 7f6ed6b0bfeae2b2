package io.rtransport.simulator;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Behaviour of the worlds of many seeds, as hashes in a file. It is recorded before a change that
 * should not alter behaviour, and compared after it. A line covers a range of seeds of one
 * scenario. It has the hash of every event with its time, the hash of what the applications saw,
 * and sums of datagrams, resends and virtual time. {@code .ci/hashes} runs it.
 */
public final class SimHashes {
  private static final int SEEDS_PER_ROW = 20;

  /** Seeds of scenarios with fewer of them. A swarm has many hosts. */
  private static final Map<WorldPlan.Scenario, Integer> SEEDS =
      Map.of(WorldPlan.Scenario.SWARM, 100);

  private static final int SEEDS_OF_A_PAIR = 500;

  /** Largest change of the sums of datagrams and of resends in a comparison: one hundredth. */
  private static final double SUM_CHANGE_MAX = 0.01;

  /** Behaviour of the worlds of some seeds. */
  record Row(
      String scenario,
      long first,
      long last,
      long trace,
      long application,
      long datagrams,
      long resends,
      long endNs) {
    String key() {
      return scenario + " " + first + ".." + last;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s %016x %016x %d %d %d",
          key(),
          trace,
          application,
          datagrams,
          resends,
          endNs);
    }

    static Row parse(String line) {
      String[] fields = line.split("[ .]+");
      return new Row(
          fields[0],
          Long.parseLong(fields[1]),
          Long.parseLong(fields[2]),
          Long.parseUnsignedLong(fields[3], 16),
          Long.parseUnsignedLong(fields[4], 16),
          Long.parseLong(fields[5]),
          Long.parseLong(fields[6]),
          Long.parseLong(fields[7]));
    }
  }

  private SimHashes() {}

  /**
   * Runs every scenario that is drawn from a seed.
   *
   * @param share of the seeds, above 0 up to 1
   * @param seedsPerRow seeds in a row
   */
  static List<Row> run(double share, int seedsPerRow) {
    List<Row> rows = new ArrayList<>();
    for (WorldPlan.Scenario scenario : WorldPlan.Scenario.values()) {
      int count = SEEDS.getOrDefault(scenario, SEEDS_OF_A_PAIR);
      rows.addAll(run(scenario, Math.max(seedsPerRow, (int) (count * share)), seedsPerRow));
    }
    return rows;
  }

  /** Runs seeds 1 to {@code count}, rounded down to whole rows. */
  static List<Row> run(WorldPlan.Scenario scenario, int count, int seedsPerRow) {
    Map<Long, SimResult> results = new TreeMap<>();
    int threadCount = Runtime.getRuntime().availableProcessors();
    new SimRunner()
        .runAll(
            1,
            count / seedsPerRow * seedsPerRow,
            scenario,
            threadCount,
            false,
            result -> results.put(result.plan().seed(), result));
    List<Row> rows = new ArrayList<>();
    List<SimResult> some = new ArrayList<>();
    for (SimResult result : results.values()) {
      some.add(result);
      if (some.size() == seedsPerRow) {
        rows.add(row(scenario, some));
        some.clear();
      }
    }
    return rows;
  }

  private static Row row(WorldPlan.Scenario scenario, List<SimResult> results) {
    long trace = 0;
    long application = 0;
    long datagrams = 0;
    long resends = 0;
    long endNs = 0;
    for (SimResult result : results) {
      SimTotals totals = result.totals();
      long failure = result.isFailed() ? 1 : 0;
      trace = SimRandom.mix(trace * 31 + result.traceHash() + failure);
      application = SimRandom.mix(application * 31 + result.trace().applicationHash() + failure);
      datagrams += totals.packets;
      resends += totals.early + totals.probe + totals.timeout;
      endNs += result.trace().lastNs();
    }
    return new Row(
        scenario.name().toLowerCase(Locale.ROOT),
        results.get(0).plan().seed(),
        results.get(results.size() - 1).plan().seed(),
        trace,
        application,
        datagrams,
        resends,
        endNs);
  }

  /**
   * Compares two recordings and prints one line for each scenario: rows with equal hashes, and
   * changes of the sums.
   *
   * @param isWhole whether every recorded row must be in {@code after}. Each row of {@code after}
   *     must be recorded in any case
   * @return whether the rows are there, every application hash equal, and no scenario's sum of
   *     datagrams or resends changed by more than 1 %
   */
  static boolean compare(List<Row> before, List<Row> after, boolean isWhole, PrintStream out) {
    Map<String, Row> recorded = new TreeMap<>();
    before.forEach(row -> recorded.put(row.key(), row));
    Map<String, Difference> differences = new TreeMap<>();
    boolean isAlike = true;
    for (Row row : after) {
      Row old = recorded.remove(row.key());
      if (old == null) {
        out.printf("%s is not recorded%n", row.key());
        isAlike = false;
      } else {
        differences.computeIfAbsent(row.scenario, name -> new Difference()).add(old, row);
      }
    }
    if (isWhole && !recorded.isEmpty()) {
      out.printf("not run: %s%n", recorded.keySet());
      isAlike = false;
    }
    for (Map.Entry<String, Difference> entry : differences.entrySet()) {
      out.printf("%-10s %s%n", entry.getKey(), entry.getValue());
      isAlike &= entry.getValue().isSmall();
    }
    return isAlike && !after.isEmpty();
  }

  /** Differences of the rows of one scenario. */
  private static final class Difference {
    private int rows;
    private int equalTraces;
    private int equalApplications;
    private final long[] before = new long[3];
    private final long[] after = new long[3];
    private final StringBuilder unequal = new StringBuilder();

    void add(Row old, Row now) {
      rows++;
      equalTraces += old.trace == now.trace ? 1 : 0;
      if (old.application == now.application) {
        equalApplications++;
      } else {
        unequal.append(' ').append(now.first).append("..").append(now.last);
      }
      add(before, old);
      add(after, now);
    }

    private static void add(long[] sums, Row row) {
      sums[0] += row.datagrams;
      sums[1] += row.resends;
      sums[2] += row.endNs;
    }

    private double change(int i) {
      return before[i] == after[i] ? 0 : (double) (after[i] - before[i]) / Math.max(1, before[i]);
    }

    boolean isSmall() {
      return equalApplications == rows
          && Math.abs(change(0)) <= SUM_CHANGE_MAX
          && Math.abs(change(1)) <= SUM_CHANGE_MAX;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "of %d rows %d traces and %d applications equal; datagrams %+.3f %%, resends %+.3f %%,"
              + " time %+.3f %%%s",
          rows,
          equalTraces,
          equalApplications,
          100 * change(0),
          100 * change(1),
          100 * change(2),
          unequal.length() == 0 ? "" : "; applications differ in" + unequal);
    }
  }

  /**
   * Records or compares: {@code record|compare FILE [--share S] [--seeds-per-row N]}. {@code
   * record} writes the file, {@code compare} exits with 1 where behaviour differs.
   */
  public static void main(String[] arguments) throws IOException {
    double share = 1;
    int seedsPerRow = SEEDS_PER_ROW;
    for (int i = 2; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--share" -> share = Double.parseDouble(arguments[++i]);
        case "--seeds-per-row" -> seedsPerRow = Integer.parseInt(arguments[++i]);
        default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
      }
    }
    Path file = Path.of(arguments[1]);
    switch (arguments[0]) {
      case "record" -> write(file, run(share, seedsPerRow));
      case "compare" ->
          System.exit(compare(read(file), run(share, seedsPerRow), share == 1, System.out) ? 0 : 1);
      default -> throw new IllegalArgumentException("neither record nor compare: " + arguments[0]);
    }
  }

  static void write(Path file, List<Row> rows) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(
        "# scenario seeds trace-hash application-hash datagrams resends end-ns; see SimHashes\n");
    rows.forEach(row -> text.append(row).append('\n'));
    Files.writeString(file, text);
  }

  static List<Row> read(Path file) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      if (!line.startsWith("#")) {
        rows.add(Row.parse(line));
      }
    }
    return rows;
  }
}
