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

  private static Map<String, Object> counted(long serverReceived, long clientReceived) {
    return Comparison.object(
        Json.parse(
            """
            {"connections": 1,
             "counters": {"client": {"DATAGRAMS_RECEIVED": %d},
                          "server": {"DATAGRAMS_RECEIVED": %d}},
             "railProxies": [
               {"forwardedWhileDark": 0, "out": {"forwarded": 70}, "back": {"forwarded": 300}},
               {"forwardedWhileDark": 0, "out": {"forwarded": 50}, "back": {"forwarded": 0}}]}
            """
                .formatted(clientReceived, serverReceived)));
  }

  /** 80 more may be those of set-up and of the end. */
  @Test
  void shouldSayInALineThatDatagramsPassedBesideTheRails() {
    assertThat(RailReport.faults(counted(200, 380))).isEmpty();
    assertThat(RailReport.faults(counted(0, 0))).as("the system drops some").isEmpty();
    assertThat(RailReport.faults(counted(201, 381)))
        .containsExactly(
            "the server received 201 datagrams, and the rails forwarded 120 to it",
            "the client received 381 datagrams, and the rails forwarded 300 to it");
  }
}
