package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What short runs have in common: the run itself, and what holds of every report. */
abstract class ShortRuns {
  private static final List<String> KEYS =
      List.of(
          "transport io op sizeBytes mtu gso connections inFlightBytes ratePerSecond seed warmupSeconds warmupSteady durationSeconds"
              .split(" "));
  private static final List<String> MORE_KEYS =
      List.of(
          ("messages messagesPerSecond messagesBySecond megabytesPerSecond latencyMicros maxGapMicros sent completed failed lost duplicated"
                  + " corrupted outOfOrder retransmits spuriousRetransmits datagramsSent datagramsReceived socketCalls"
                  + " cpuSeconds countersLateSeconds wakeups pipelineEventsPerMessage allocatedBytesPerMessage heapUsedBytes"
                  + " directBytes rails railProxies railEvents latencyCourse"
                  + " intervals impairment java host")
              .split(" "));

  @TempDir Path directory;

  final JsonNode run(int status, String arguments) throws Exception {
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

  /**
   * Runs, and again while a busy machine came to too little in that time to tell anything.
   *
   * @param tells whether a run tells something
   * @param durations of the first run and of those after it
   */
  final JsonNode runUntil(Predicate<JsonNode> tells, String arguments, String... durations)
      throws Exception {
    JsonNode report = null;
    for (String duration : durations) {
      report = run(0, arguments + " --duration " + duration);
      if (tells.test(report)) {
        return report;
      }
    }
    return report;
  }

  static void assertKeys(JsonNode report) {
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
            "socketCalls",
            "cpuSeconds",
            "countersLateSeconds",
            "wakeups",
            "pipelineEventsPerMessage",
            "heapUsedBytes")) {
      assertThat(fields(report.get(key))).containsExactly("client", "server");
    }
    assertThat(fields(report.get("host"))).containsExactly("cores", "kernel");
    assertWholeSeconds(report);
  }

  /** Each whole second has its count; where none is cut short, they add up to all messages. */
  private static void assertWholeSeconds(JsonNode report) {
    double seconds = report.get("durationSeconds").asDouble();
    JsonNode counts = report.get("messagesBySecond");
    assertThat(counts).hasSize((int) seconds);
    long sum = 0;
    for (JsonNode count : counts) {
      sum += count.asLong();
    }
    assertThat(sum).isLessThanOrEqualTo(report.get("messages").asLong());
    if (seconds == Math.rint(seconds)) {
      assertThat(sum).isEqualTo(report.get("messages").asLong());
    }
  }

  private static List<String> fields(JsonNode node) {
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }

  /** Whatever a slow machine did not come to send is told as such; all that was sent arrived. */
  static void assertNothingWrong(JsonNode report) {
    for (String key : List.of("failed", "duplicated", "corrupted", "outOfOrder")) {
      assertThat(report.get(key).asLong()).as(key).isZero();
    }
    assertThat(report.get("lost")).isEqualTo(report.get("neverSent"));
    assertThat(report.get("completed")).isEqualTo(report.get("sent"));
  }

  static void assertDue(JsonNode report, long messages) {
    long sent = report.get("sent").asLong();
    assertThat(sent + report.get("neverSent").asLong()).isEqualTo(messages);
  }
}
