package io.rtransport.demo.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalTest {
  private static final long SECOND_NS = 1_000_000_000;

  @ParameterizedTest
  @CsvSource({
    "0,0 B",
    "1023,1023 B",
    "1024,1.0 KiB",
    "1536,1.5 KiB",
    "1048575,1024.0 KiB",
    "1048576,1.0 MiB",
    "1073741824,1.0 GiB",
    "9223372036854775807,8388608.0 TiB"
  })
  void shouldWriteBytesAsPeopleReadThem(long bytes, String text) {
    assertThat(Units.bytes(bytes)).isEqualTo(text);
  }

  @Test
  void shouldAlignATable() {
    StringWriter out = new StringWriter();
    new TextTable("name", ">size", "")
        .row("a", "10", "")
        .row("bcdef", "9", "why")
        .print(new PrintWriter(out));
    assertThat(out.toString().lines())
        .containsExactly("name   size", "a        10", "bcdef     9  why");
    assertThatThrownBy(() -> new TextTable("a").row("b", "c")).hasMessageContaining("cells=2");
  }

  @Test
  void shouldSayHowFarHowFastAndHowLongYet() {
    Progress progress = new Progress("push", 4 << 20, 0);
    assertThat(progress.line(SECOND_NS)).isEqualTo("push 0 %  0 B of 4.0 MiB  0.0 MB/s");
    progress.add(1 << 20);
    assertThat(progress.line(SECOND_NS))
        .isEqualTo("push 25 %  1.0 MiB of 4.0 MiB  1.0 MB/s  3 s left");
    progress.add(4 << 20);
    assertThat(progress.line(2 * SECOND_NS)).isEqualTo("push 100 %  4.0 MiB of 4.0 MiB  2.1 MB/s");
    assertThat(new Progress("push", 0, 0).line(1)).startsWith("push 100 %");
  }

  @Test
  void shouldDrawNothingWhereThereIsNoTerminal() {
    StringWriter out = new StringWriter();
    try (Progress progress = Progress.of(new PrintWriter(out), "push", 10)) {
      progress.add(10);
    }
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void shouldSummariseLatencies() {
    LatencySummary summary = new LatencySummary();
    assertThat(summary.micros()).isNull();
    for (int i = 1_000; i >= 1; i--) {
      summary.add(i * 1_000L);
    }
    assertThat(summary.micros())
        .containsExactly(
            Map.entry("min", 1.0),
            Map.entry("p50", 500.0),
            Map.entry("p90", 900.0),
            Map.entry("p99", 990.0),
            Map.entry("p999", 999.0),
            Map.entry("max", 1_000.0),
            Map.entry("mean", 500.5));
    assertThat(summary.asPing()).isEqualTo("0.001/0.501/1.000/0.289 ms");
  }

  @Test
  void shouldKnowThePeakMemoryOfAProcessThatIsThere() {
    Long own = ProcessFigures.peakRssBytes(ProcessHandle.current().pid());
    if (Files.exists(Path.of("/proc/self/status"))) {
      assertThat(own).isGreaterThan(1 << 20);
    }
    assertThat(ProcessFigures.peakRssBytes(-1)).isNull();
  }
}
