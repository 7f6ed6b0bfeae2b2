package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Real runs, short ones, and what is written of them: counters, comparison, histogram, page. */
class ReportedRunTest extends ShortRuns {
  @Test
  void shouldCompareTransportsRoundByRound() throws Exception {
    JsonNode comparison =
        run(
            0,
            "compare --transports tcp,udp --rounds 2 --rate 200 --warmup 100ms --duration 300ms");
    assertThat(comparison.get("results")).hasSize(2);
    assertKeys(comparison.get("results").get(1).get("median"));
    assertThat(comparison.get("results").get(1).get("transport").asText()).isEqualTo("udp");
    assertThat(comparison.get("ratios").get("tcp/udp").get("p50").asDouble()).isPositive();
  }

  @Test
  void shouldWriteTheHistogram() throws Exception {
    Path hdr = directory.resolve("latency.hdr");
    run(0, "load --transport tcp --rate 200 --warmup 100ms --duration 300ms --hdr " + hdr);
    assertThat(Files.readString(hdr)).contains("Value").contains("Percentile");
  }

  @Test
  void shouldWriteAPageOfARunAndOfAComparison() throws Exception {
    Path page = directory.resolve("page.html");
    JsonNode report =
        run(
            0,
            "load --rate 500 --warmup 300ms --duration 1200ms --loss 0.05 --impair receiver --html "
                + page);
    assertThat(report.get("percentiles").size()).isBetween(10, 60);
    assertThat(report.get("percentiles").get(0).get("micros"))
        .isEqualTo(report.get("latencyMicros").get("min"));
    assertThat(Files.readString(page))
        .startsWith("<!DOCTYPE html>")
        .contains("Latency by percentile", "Latency over time", "Throughput over time")
        .contains("Retransmitted packets", "</html>");
    run(
        0,
        "compare --transports rt,tcp --profile lossy --completion received --rounds 1 --rate 200 --op push"
            + " --warmup 200ms --duration 500ms --html "
            + page);
    assertThat(Files.readString(page)).contains("<h1>rt compare</h1>", "<td>tcp</td>");
  }

  @Test
  void shouldTellWhatOnlyRtCounts() throws Exception {
    JsonNode report = run(0, "load --op push --rate 1000 --warmup 500ms --duration 1s --mtu 1408");
    assertThat(report.get("mtu").asInt()).isEqualTo(1_408);
    assertThat(report.get("pipelineEventsPerMessage").get("server").asDouble()).isPositive();
    assertThat(report.get("datagramsSent").asLong()).isPositive();
    assertThat(report.get("retransmits").get("moved").asLong()).isZero();
  }
}
