package io.rtransport.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static Map<String, Object> report(String name, double perSecond, Double p50) {
    Map<String, Object> latency = new LinkedHashMap<>();
    latency.put("p50", p50);
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("transport", name);
    report.put("messagesPerSecond", perSecond);
    report.put("latencyMicros", latency);
    report.put("rails", null);
    return report;
  }

  @Test
  void shouldTakeMediansExtremesAndRatiosOfMedians() {
    Map<String, List<Map<String, Object>>> reports = new LinkedHashMap<>();
    reports.put(
        "rt", List.of(report("rt", 1, 10.0), report("rt", 100, 30.0), report("rt", 20, 20.0)));
    reports.put("tcp", List.of(report("tcp", 10, 40.0), report("tcp", 30, 40.0)));
    Map<String, Object> comparison = Comparison.of(reports);

    Map<String, Object> rt = Comparison.object(((List<?>) comparison.get("results")).get(0));
    assertThat(rt.keySet()).containsExactly("transport", "median", "min", "max");
    assertThat(Comparison.object(rt.get("median")))
        .containsEntry("messagesPerSecond", 20.0)
        .containsEntry("transport", "rt")
        .containsEntry("rails", null)
        .containsEntry("latencyMicros", Map.of("p50", 20.0));
    assertThat(Comparison.object(rt.get("min"))).containsEntry("messagesPerSecond", 1.0);
    assertThat(Comparison.object(rt.get("max"))).containsEntry("messagesPerSecond", 100.0);
    Map<String, Object> ratios = Comparison.object(comparison.get("ratios"));
    assertThat(ratios.keySet()).containsExactly("rt/tcp", "tcp/rt");
    Map<String, Object> ratio = Comparison.object(ratios.get("rt/tcp"));
    assertThat(ratio.keySet())
        .containsExactlyElementsOf(
            Arrays.asList("messagesPerSecond", "megabytesPerSecond", "p50", "p90", "p99", "p999"));
    assertThat(ratio)
        .containsEntry("messagesPerSecond", 1.0)
        .containsEntry("p50", 0.5)
        .containsEntry("p99", null);
    assertThat(ReportText.comparison(comparison)).contains("rt/tcp").contains("1.00");
  }
}
