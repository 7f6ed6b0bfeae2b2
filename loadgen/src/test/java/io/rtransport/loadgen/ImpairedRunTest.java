package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real runs, short ones, over a network that loses, doubles, damages and reorders. */
class ImpairedRunTest extends ShortRuns {
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

  /**
   * Within six standard deviations of what {@code probability} gives for some number of messages
   * between the two.
   */
  private static void assertShare(long count, double probability, long least, long most) {
    double low = least * probability - 6 * Math.sqrt(least * probability);
    double high = most * probability + 6 * Math.sqrt(most * probability);
    assertThat((double) count).isBetween(low, high);
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
}
