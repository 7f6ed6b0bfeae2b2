package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Real runs, short ones: two processes, real sockets, every key of the report. */
class ShortRunTest {
  private static final List<String> KEYS =
      List.of(
          "transport io op sizeBytes mtu gso connections inFlightBytes ratePerSecond seed warmupSeconds durationSeconds"
              .split(" "));
  private static final List<String> MORE_KEYS =
      List.of(
          ("messages messagesPerSecond megabytesPerSecond latencyMicros maxGapMicros sent completed failed lost duplicated"
                  + " corrupted outOfOrder retransmits spuriousRetransmits datagramsSent datagramsReceived socketCalls"
                  + " cpuSeconds wakeups pipelineEventsPerMessage allocatedBytesPerMessage heapUsedBytes directBytes rails"
                  + " intervals impairment java host")
              .split(" "));

  @TempDir private Path directory;

  private JsonNode run(int status, String arguments) throws Exception {
    Path json = directory.resolve("report.json");
    List<String> all = new ArrayList<>(List.of(arguments.split(" ")));
    all.addAll(List.of("--json", json.toString()));
    StringWriter out = new StringWriter();
    CommandLine command = LoadCommand.commandLine();
    command.setOut(new PrintWriter(out, true));
    command.setErr(new PrintWriter(out, true));
    assertThat(command.execute(all.toArray(String[]::new))).as(out.toString()).isEqualTo(status);
    return new ObjectMapper().readTree(json.toFile());
  }

  /** More are done than could be if each waited for its round trip, and none is lost for it. */
  @ParameterizedTest
  @ValueSource(strings = {"received", "sent"})
  void shouldCompleteWritesEarlierAndStillLoseNothing(String completion) throws Exception {
    JsonNode report =
        run(
            0,
            "load --transport rt --op push --sizes 64,20k --warmup 0s --duration 1s --io nio --completion "
                + completion);
    assertThat(report.get("completed").asLong()).isPositive();
    for (String key : List.of("failed", "lost", "duplicated", "corrupted", "outOfOrder")) {
      assertThat(report.get(key).asLong()).as(key).isZero();
    }
  }

  private static void assertKeys(JsonNode report) {
    List<String> names = new ArrayList<>();
    report.fieldNames().forEachRemaining(names::add);
    assertThat(names).containsAll(KEYS).containsAll(MORE_KEYS);
    assertThat(fields(report.get("latencyMicros")))
        .containsExactly("min", "p50", "p90", "p99", "p999", "max", "mean");
    assertThat(fields(report.get("retransmits")))
        .containsExactly("early", "probe", "timeout", "moved");
    assertThat(fields(report.get("maxGapMicros"))).containsExactly("send", "receive");
    for (String key :
        List.of(
            "socketCalls", "cpuSeconds", "wakeups", "pipelineEventsPerMessage", "heapUsedBytes")) {
      assertThat(fields(report.get(key))).containsExactly("client", "server");
    }
    assertThat(fields(report.get("host"))).containsExactly("cores", "kernel");
  }

  private static List<String> fields(JsonNode node) {
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }

  /** Whatever a slow machine did not come to send is told as such; all that was sent arrived. */
  private static void assertNothingWrong(JsonNode report) {
    for (String key : List.of("failed", "duplicated", "corrupted", "outOfOrder")) {
      assertThat(report.get(key).asLong()).as(key).isZero();
    }
    assertThat(report.get("lost")).isEqualTo(report.get("neverSent"));
    assertThat(report.get("completed")).isEqualTo(report.get("sent"));
  }

  private static void assertDue(JsonNode report, long messages) {
    long sent = report.get("sent").asLong();
    assertThat(sent + report.get("neverSent").asLong()).isEqualTo(messages);
  }

  @Test
  void shouldFindNothingWrongWithWhatOvertakesWithoutOrder() throws Exception {
    JsonNode report =
        run(
            0,
            "load --transport rt --unordered --op push --in-flight 256 --size 300 --loss 0.05 --impair receiver"
                + " --warmup 500ms --duration 1500ms");
    assertKeys(report);
    for (String key : List.of("failed", "duplicated", "corrupted")) {
      assertThat(report.get(key).asLong()).as(key).isZero();
    }
    assertThat(report.get("lost")).isEqualTo(report.get("neverSent"));
    assertThat(report.get("outOfOrder").asLong()).as("a lost packet delays its own").isPositive();
  }

  /** Within six standard deviations of what {@code probability} gives for some number of messages between the two. */
  private static void assertShare(long count, double probability, long least, long most) {
    double low = least * probability - 6 * Math.sqrt(least * probability);
    double high = most * probability + 6 * Math.sqrt(most * probability);
    assertThat((double) count).isBetween(low, high);
  }

  @ParameterizedTest
  @CsvSource({
    "rt, epoll",
    "rt, nio",
    "tcp, epoll",
    "tcp:packed, epoll",
    "udp, epoll",
    "udp:gso, epoll",
    "tcp, nio",
    "udp, nio",
  })
  void shouldEchoAtAnOpenLoopRateWithNothingWrong(String transport, String io) throws Exception {
    JsonNode report =
        run(
            0,
            "load --transport %s --io %s --rate 500 --warmup 500ms --duration 1s"
                .formatted(transport, io));
    assertKeys(report);
    assertNothingWrong(report);
    assertDue(report, 500);
    assertThat(report.get("ratePerSecond").asLong()).isEqualTo(500);
    assertThat(report.get("latencyMicros").get("p50").asDouble()).isPositive();
    assertThat(report.get("intervals")).hasSize(1);
    assertThat(report.get("socketCalls").get("server").isIntegralNumber()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "rt, push, 64",
    "rt, push, 1m",
    "rt, pull, 100k",
    "rt, echo, 100k",
    "tcp, push, 64",
    "tcp:packed, push, 64",
    "tcp, pull, 100k",
    "tcp, echo, 100k",
    "udp, push, 100k",
    "udp, pull, 64",
    "udp:gso, push, 100k",
    "udp:gso, pull, 100k",
  })
  void shouldCarryEveryOperation(String transport, String op, String size) throws Exception {
    JsonNode report =
        run(
            0,
            "load --transport %s --op %s --size %s --rate 100 --warmup 500ms --duration 500ms"
                .formatted(transport, op, size));
    assertNothingWrong(report);
    assertDue(report, 50);
  }

  @Test
  void shouldCarryMixedSizesOverSeveralConnectionsAndThreads() throws Exception {
    for (String transport : List.of("rt", "tcp", "udp")) {
      JsonNode report =
          run(
              0,
              "load --transport %s --sizes 16,1k,20k --connections 4 --threads 2 --in-flight 3 --warmup 500ms --duration 500ms"
                  .formatted(transport));
      assertNothingWrong(report);
      assertThat(report.get("sizeBytes").isNull()).isTrue();
      assertThat(report.get("sizesBytes")).hasSize(3);
      assertThat(report.get("connections").asInt()).isEqualTo(4);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"proxy", "receiver"})
  void shouldLoseNothingOverRtWhateverTheNetworkDoes(String impair) throws Exception {
    JsonNode report =
        run(
            0,
            "load --profile lossy --rate 500 --warmup 500ms --duration 1s --loss 0.05 --duplicate 0.02 --corrupt 0.02 --reorder 0.02 --impair "
                + impair);
    assertNothingWrong(report);
    assertThat(report.get("impairment").get("by").asText()).isEqualTo(impair);
    JsonNode counts = report.get("impairment").get("counts");
    assertThat(counts.get("datagrams").asLong()).isGreaterThan(counts.get("dropped").asLong());
    for (String key : List.of("dropped", "duplicated", "corrupted", "reordered")) {
      assertThat(counts.get(key).asLong()).as(key).isPositive();
    }
    JsonNode retransmits = report.get("retransmits");
    long resent = 0;
    for (String kind : List.of("early", "probe", "timeout")) {
      resent += retransmits.get(kind).asLong();
    }
    assertThat(resent).isPositive();
  }

  @Test
  void shouldTellWhatOnlyRtCounts() throws Exception {
    JsonNode report = run(0, "load --op push --rate 1000 --warmup 500ms --duration 1s --mtu 1408");
    assertThat(report.get("mtu").asInt()).isEqualTo(1_408);
    assertThat(report.get("pipelineEventsPerMessage").get("server").asDouble()).isPositive();
    assertThat(report.get("datagramsSent").asLong()).isPositive();
    assertThat(report.get("retransmits").get("moved").asLong()).isZero();
  }

  @Test
  void shouldCountWhatTheProxyLoses() throws Exception {
    JsonNode report =
        run(
            0,
            "load --transport udp --op push --rate 2000 --warmup 500ms --duration 1s --loss 0.1 --seed 3");
    assertDue(report, 2_000);
    long sent = report.get("sent").asLong();
    long lost = report.get("lost").asLong() - report.get("neverSent").asLong();
    assertShare(lost, 0.1, sent, sent);
    JsonNode impairment = report.get("impairment");
    assertThat(impairment.get("by").asText()).isEqualTo("proxy");
    assertThat(impairment.get("proxyDatagramsPerSecondMax").isIntegralNumber()).isTrue();
    assertThat(impairment.get("counts").get("dropped").asLong()).isGreaterThanOrEqualTo(lost);
  }

  @Test
  void shouldCountWhatTheProxyDamagesDoublesAndReorders() throws Exception {
    JsonNode report =
        run(
            0,
            "load --transport udp --op push --rate 2000 --warmup 500ms --duration 1s"
                + " --duplicate 0.05 --corrupt 0.05 --reorder 0.05");
    long sent = report.get("sent").asLong();
    assertShare(
        report.get("duplicated").asLong(), 0.05, 9 * sent / 10, sent); // the rest is damaged
    assertShare(report.get("corrupted").asLong(), 0.05, sent, 3_100); // and the warm-up's
    // A datagram held back for 1 ms is overtaken only if the machine sends others meanwhile.
    assertThat(report.get("impairment").get("counts").get("reordered").asLong()).isPositive();
  }

  @Test
  void shouldStandIdle() throws Exception {
    JsonNode report =
        run(0, "load --transport tcp --op idle --connections 3 --warmup 100ms --duration 500ms");
    assertKeys(report);
    assertThat(report.get("sent").asLong()).isZero();
    assertThat(report.get("wakeups").get("client").asLong()).isLessThan(10);
    assertThat(report.get("latencyMicros").get("p50").isNull()).isTrue();
  }

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
        "compare --transports rt,tcp --rounds 1 --rate 200 --warmup 200ms --duration 500ms --html "
            + page);
    assertThat(Files.readString(page)).contains("<h1>rt compare</h1>", "<td>tcp</td>");
  }
}
