package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The swarm: some seeds at every change, more in the profile {@code proof}; {@code ./rt sim
 * --scenario swarm} runs any.
 */
class SwarmTest {
  private static final int SEEDS = 30;
  private static final int PROOF_SEEDS = 1_000;
  private static final int REPEATED_SEEDS = 3;
  private static final int MEDIAN_PACKETS_MIN = 5_000;

  /** Too rare for a few seeds: the proof has them. */
  private static final Set<String> RARE =
      Set.of("connectTimeouts", "deathsIdle", "deathsToldByPeer", "wrapsSsn", "pathsMoved");

  private final SimRunner runner = new SimRunner();
  private final List<Long> packets = new ArrayList<>();

  private Map<String, Long> run(int count) {
    SimRunner.Summary summary =
        runner.runAll(
            1,
            count,
            WorldPlan.Scenario.SWARM,
            1,
            false,
            result -> packets.add(result.totals().packets));
    String failures =
        summary.failures().stream()
            .limit(10)
            .map(f -> f.headline() + "\n  replay: " + f.replay())
            .collect(Collectors.joining("\n"));
    assertThat(summary.failures()).as(failures).isEmpty();
    System.out.printf("swarm of seeds 1..%d%n%s", count, summary.totals());
    return summary.totals().columns();
  }

  @Test
  void shouldHoldEveryInvariant() {
    Map<String, Long> columns = run(SEEDS);
    columns.keySet().removeAll(RARE);
    columns.forEach((name, value) -> assertThat(value).as(name).isPositive());
  }

  @Test
  @Tag("proof")
  void shouldHoldEveryInvariantInManyWorldsAndLeaveNoColumnAtZero() {
    run(PROOF_SEEDS).forEach((name, value) -> assertThat(value).as(name).isPositive());
    packets.sort(Comparator.naturalOrder());
    assertThat(packets.get(packets.size() / 2)).isGreaterThanOrEqualTo(MEDIAN_PACKETS_MIN);
  }

  @Test
  void shouldGiveTheSameTraceForTheSameSeed() {
    for (long seed = 1; seed <= REPEATED_SEEDS; seed++) {
      SimResult first = runner.run(SwarmPlan.of(seed), null);
      SimResult second = runner.run(SwarmPlan.of(seed), null);
      assertThat(second.traceHash()).as(first.replay()).isEqualTo(first.traceHash());
      assertThat(second.totals().columns()).isEqualTo(first.totals().columns());
    }
    SimResult other = runner.run(SwarmPlan.of(REPEATED_SEEDS + 1), null);
    SimResult last = runner.run(SwarmPlan.of(REPEATED_SEEDS), null);
    assertThat(other.traceHash()).isNotEqualTo(last.traceHash());
  }

  @Test
  void shouldRunThePartOfAWorldThatACommandNames() {
    SwarmPlan whole = SwarmPlan.of(1);
    SwarmPlan part =
        whole.keep(
            new SwarmPlan.Part(SwarmPlan.Part.indexes("none"), SwarmPlan.Part.indexes("0"), 3));
    assertThat(whole.selection()).isEmpty();
    assertThat(part.selection()).isEqualTo(" --faults none --links 0 --transactions 3");
    SimResult result = runner.run(part, null);
    assertThat(result.failure()).isNull();
    Map<String, Long> columns = result.totals().columns();
    assertThat(columns.get("links")).isEqualTo(1);
    assertThat(columns.get("dropped") + columns.get("replayed") + columns.get("crashes")).isZero();
    assertThat(columns.get("transactions")).isBetween(1L, 40L);
  }

  /** What fails is one fault, on one link, from its fifth transaction on: nothing else is left. */
  @Test
  void shouldShrinkAFailingWorldToWhatItTakes() {
    SwarmPlan whole = SwarmPlan.of(1);
    BitSet link = SwarmPlan.Part.indexes("0");
    SwarmPlan linked = whole.keep(null, link, SwarmPlan.ALL);
    int fault =
        whole.keptFaults.stream()
            .filter(i -> linked.isInForce(whole.faults.get(i)))
            .findFirst()
            .orElseThrow();
    Function<SimPlan, SimResult> runs =
        plan -> {
          SwarmPlan part = (SwarmPlan) plan;
          boolean isFailed =
              part.keptFaults.get(fault) && part.keptLinks.get(0) && part.keptTransactions >= 5;
          InvariantViolation failure = new InvariantViolation(Invariant.NO_LOSS, "made up");
          return new SimResult(
              plan, new SimTotals(), new SimTrace(null), isFailed ? failure : null);
        };
    SwarmPlan least = (SwarmPlan) new SimMinimiser(runs).minimise(runs.apply(whole)).plan();
    assertThat(least.keptFaults.stream()).containsExactly(fault);
    assertThat(least.keptLinks).isEqualTo(link);
    assertThat(least.keptTransactions).isEqualTo(5);
  }

  /** docs/reference/simulator.md lists the rules a world is held to, by name. */
  @Test
  void shouldHaveEveryInvariantInTheDocument() throws Exception {
    Path document = Path.of("").toAbsolutePath().getParent().resolve("docs/reference/simulator.md");
    Matcher row =
        Pattern.compile("^\\| ([A-Z_]+(?:, [A-Z_]+)*) \\|", Pattern.MULTILINE)
            .matcher(Files.readString(document));
    Set<String> listed = new TreeSet<>();
    while (row.find()) {
      listed.addAll(List.of(row.group(1).split(", ")));
    }
    Set<String> inCode =
        Arrays.stream(Invariant.values()).map(Enum::name).collect(Collectors.toSet());
    assertThat(listed).containsExactlyInAnyOrderElementsOf(inCode);
  }

  /** Worlds that once failed. */
  @ParameterizedTest
  @ValueSource(longs = {336, 684, 808, 836, 1_355, 1_879, 3_848, 4_057})
  void shouldStayMended(long seed) {
    SimResult result = runner.run(SwarmPlan.of(seed), null);
    assertThat(result.isFailed()).as(String.valueOf(result.failure())).isFalse();
  }
}
