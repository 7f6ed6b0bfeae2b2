package io.rtransport.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The curves by the delay show what the reports say, and are not there without several delays. */
class QueuePlotsTest {
  private static Map<String, Object> report(String delayMicros, long server, double p99) {
    return Comparison.object(
        Json.parse(
            """
            {"completed": 2000, "latencyMicros": {"p99": %s},
             "queue": {"delayMicros": %s, "wakeUps": {"client": 10, "server": %d}}}
            """
                .formatted(p99, delayMicros, server)));
  }

  private static final Map<String, Object> CHANNEL =
      Comparison.object(
          Json.parse("{\"completed\": 5, \"latencyMicros\": {\"p99\": 7}, \"queue\": null}"));

  @Test
  void shouldCountWakeUpsForAMillionCompletions() {
    assertThat(QueuePlots.Point.of("rt:queue@50us", report("50", 400, 90.5)))
        .isEqualTo(new QueuePlots.Point("rt:queue", 50, 5_000, 200_000, 90.5));
    assertThat(QueuePlots.Point.of("rt", CHANNEL)).isNull();
    Map<String, Object> nothing = report("50", 0, 0);
    nothing.put("completed", 0);
    assertThat(QueuePlots.Point.of("rt:queue", nothing)).isNull();
  }

  @Test
  void shouldDrawACurveThroughTheDelaysInTheirOrder() {
    Map<String, Map<String, Object>> reports = new LinkedHashMap<>();
    reports.put("rt:queue@200us", report("200", 4, 900));
    reports.put("rt", CHANNEL);
    reports.put("rt:queue@0", report("0", 400, 100));
    reports.put("rt:queue@1ms", report("1000", 2, 2_000));
    String plots = QueuePlots.byDelay(reports);
    assertThat(plots)
        .contains("Wake-ups of the consumers for a million completions", "p99 of the latency")
        .contains(">rt:queue client<", ">rt:queue server<", ">rt:queue<", ">200<", ">1000<")
        .doesNotContain(">rt<");
    // Three places on each of three lines: left, middle and right.
    assertThat(plots.split("<circle cx=\"70.0\"", -1)).hasSize(1 + 3);
    assertThat(plots.split("<circle cx=\"417.0\"", -1)).hasSize(1 + 3);
    assertThat(plots.split("<circle cx=\"764.0\"", -1)).hasSize(1 + 3);
    // p99 from 100 to 10,000: the lowest at the foot, and 2,000 at 0.65 of the height.
    assertThat(plots).contains("cx=\"70.0\" cy=\"260.0\"", "cx=\"764.0\" cy=\"113.0\"");
  }

  @Test
  void shouldDrawNothingForOneDelay() {
    assertThat(QueuePlots.byDelay(Map.of("rt:queue", report("100", 4, 9), "rt", CHANNEL)))
        .isEmpty();
  }
}
