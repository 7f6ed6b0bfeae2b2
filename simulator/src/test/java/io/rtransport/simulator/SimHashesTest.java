package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SimHashesTest {
  private static final SimHashes.Row ROW =
      new SimHashes.Row("clean", 1, 20, -1, 7, 1_000, 100, 5_000_000_000L);

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private boolean isAlike(SimHashes.Row now) {
    return SimHashes.compare(List.of(ROW), List.of(now), true, new PrintStream(out));
  }

  private static SimHashes.Row row(
      long trace, long application, long datagrams, long resends, long endNs) {
    return new SimHashes.Row("clean", 1, 20, trace, application, datagrams, resends, endNs);
  }

  @Test
  void shouldHashAlikeWhatIsRunTwice(@TempDir Path directory) throws IOException {
    List<SimHashes.Row> rows = SimHashes.run(WorldPlan.Scenario.HARSH, 10, 5);

    Path file = directory.resolve("hashes.txt");
    SimHashes.write(file, rows);

    assertThat(SimHashes.read(file))
        .isEqualTo(SimHashes.run(WorldPlan.Scenario.HARSH, 10, 5))
        .hasSize(2)
        .doesNotHaveDuplicates()
        .allMatch(row -> row.datagrams() > 0 && row.resends() > 0 && row.endNs() > 0);
  }

  @Test
  void shouldTellWhatDiffers() {
    assertThat(isAlike(row(2, 7, 1_010, 101, 9))).as("1 % more, another trace").isTrue();
    assertThat(isAlike(row(-1, 8, 1_000, 100, 5_000_000_000L))).as("application").isFalse();
    assertThat(isAlike(row(-1, 7, 1_011, 100, 5_000_000_000L))).as("datagrams").isFalse();
    assertThat(isAlike(row(-1, 7, 1_000, 98, 5_000_000_000L))).as("resends").isFalse();
    assertThat(out.toString())
        .contains("of 1 rows 0 traces and 1 applications equal; datagrams +1.000 %")
        .contains("applications differ in 1..20");
  }

  @Test
  void shouldNotTakeWhatIsNotRecordedForEqual() {
    assertThat(isAlike(new SimHashes.Row("clean", 21, 40, -1, 7, 1_000, 100, 1))).isFalse();
    assertThat(SimHashes.compare(List.of(ROW), List.of(), false, new PrintStream(out))).isFalse();
  }

  @Test
  void shouldMissARecordedRowUnlessOnlyAShareWasRun() {
    SimHashes.Row other = new SimHashes.Row("harsh", 1, 20, 1, 2, 3, 4, 5);

    assertThat(SimHashes.compare(List.of(ROW, other), List.of(ROW), false, new PrintStream(out)))
        .isTrue();
    assertThat(SimHashes.compare(List.of(ROW, other), List.of(ROW), true, new PrintStream(out)))
        .isFalse();
    assertThat(out.toString()).contains("not run: [harsh 1..20]");
  }

  @Test
  void shouldHashOnlyWhatApplicationsSee() {
    SimTrace one = new SimTrace(null);
    one.delivered(0, false, 1, true, 10);
    one.ended(0, 5, 0, 0, 20);
    SimTrace later = new SimTrace(null);
    later.ended(0, 5, 0, 0, 30);
    later.delivered(0, false, 1, true, 40);
    SimTrace other = new SimTrace(null);
    other.delivered(1, false, 1, true, 10);
    other.ended(0, 5, 0, 0, 20);

    assertThat(later.applicationHash()).isEqualTo(one.applicationHash());
    assertThat(later.hash()).isNotEqualTo(one.hash());
    assertThat(other.applicationHash()).isNotEqualTo(one.applicationHash());
  }

  @Test
  void shouldKeepTheOrderOfOneKindInTheHash() {
    SimTrace one = new SimTrace(null);
    one.delivered(0, false, 1, true, 10);
    one.delivered(0, false, 2, true, 10);
    SimTrace other = new SimTrace(null);
    other.delivered(0, false, 2, true, 10);
    other.delivered(0, false, 1, true, 10);

    assertThat(other.applicationHash()).isNotEqualTo(one.applicationHash());
  }
}
