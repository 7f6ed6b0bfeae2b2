package io.rtransport.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.json.Json;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RailReportTest {
  private static Map<String, Object> report(long forwardedWhileDark, String failure) {
    return Comparison.object(
        Json.parse(
            """
            {"railProxies": [{"rail": 0, "forwardedWhileDark": 0},
                             {"rail": 1, "forwardedWhileDark": %d}],
             "railEvents": [{"rail": 0, "failure": null}, {"rail": 1, "failure": %s}]}
            """
                .formatted(forwardedWhileDark, failure)));
  }

  @Test
  void shouldFindNoFaultWhereTheDarkWasDark() {
    assertThat(RailReport.faults(report(0, "null"))).isEmpty();
    assertThat(RailReport.faults(Map.of())).isEmpty();
  }

  @Test
  void shouldSayInALineThatADarkRailForwarded() {
    assertThat(RailReport.faults(report(1, "null")))
        .containsExactly("rail 1 forwarded 1 datagrams while dark");
  }

  @Test
  void shouldSayInALineThatARailWasNotRestored() {
    assertThat(RailReport.faults(report(0, "\"cannot bind\"")))
        .containsExactly("rail 1: cannot bind");
  }
}
