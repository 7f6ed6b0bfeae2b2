package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Real runs through queues on both sides, short ones. */
class QueueRunTest extends ShortRuns {
  private static final List<String> COUNTS =
      List.of("wakeUps", "interruptsDue", "suppressed", "refused");

  private static void assertQueue(JsonNode report, double delayMicros, boolean isAtOnce) {
    assertThat(report.get("api").asText()).isEqualTo("queue");
    JsonNode queue = report.get("queue");
    assertThat(queue.get("delayMicros").asDouble()).isEqualTo(delayMicros);
    assertThat(queue.get("wakeAtOnce").asBoolean()).isEqualTo(isAtOnce);
    for (String count : COUNTS) {
      assertThat(queue.get(count).get("client").isIntegralNumber()).as(count).isTrue();
      assertThat(queue.get(count).get("server").isIntegralNumber()).as(count).isTrue();
    }
  }

  /** The server's consumer sleeps, for nothing else wakes it than the messages. */
  @Test
  void shouldEchoAndWakeTheConsumerNoMoreThanOnceADelay() throws Exception {
    JsonNode report =
        run(
            0,
            "load --api queue --moderation 20ms --wake delay --io nio --rate 1000"
                + " --warmup 100ms --duration 500ms");
    assertKeys(report);
    assertNothingWrong(report);
    assertDue(report, 500);
    assertThat(report.get("transport").asText()).isEqualTo("rt");
    assertQueue(report, 20_000, false);
    double seconds = report.get("durationSeconds").asDouble();
    long most = Math.round((seconds + 5) / 0.02); // the drain lasts 5 s at the most
    assertThat(report.get("queue").get("wakeUps").get("server").asLong()).isBetween(1L, most);
  }

  @Test
  void shouldTuneTheDelayOnBothSides() throws Exception {
    JsonNode report =
        run(0, "load --api queue --moderation auto --rate 2000 --warmup 100ms --duration 300ms");
    assertNothingWrong(report);
    assertDue(report, 600);
    assertThat(report.get("queue").get("delayMicros").isNull()).isTrue();
    assertThat(report.get("queue").get("selfTuning").asBoolean()).isTrue();
    assertThat(report.get("queue").get("wakeUps").get("server").asLong()).isPositive();
  }

  /** More is posted than there is room for, and nothing is lost for it. */
  @Test
  void shouldPushAsFastAsBackPressureAllows() throws Exception {
    JsonNode report =
        runUntil(
            each ->
                each.get("completed").asLong() > 0
                    && each.get("queue").get("refused").get("client").asLong() > 0,
            "load --transport rt:queue --op push --rate 0 --warmup 0s",
            "500ms",
            "3s",
            "15s");
    assertNothingWrong(report);
    assertThat(report.get("transport").asText()).isEqualTo("rt:queue");
    assertQueue(report, 100, true);
    assertThat(report.get("completed").asLong()).isPositive();
    assertThat(report.get("queue").get("refused").get("client").asLong()).isPositive();
    assertThat(report.get("limitedBy").isNull()).isFalse();
    assertThat(report.get("datagramsSent").asLong()).isPositive();
  }

  /** Short ones are copied and long ones lent; echoes without room wait. */
  @Test
  void shouldEchoMixedSizesOverSeveralConnectionsAndLoops() throws Exception {
    JsonNode report =
        runUntil(
            each -> each.get("completed").asLong() > 0,
            "load --transport rt:queue --sizes 16,5k,20k,300k --connections 4 --threads 2"
                + " --in-flight 40 --warmup 100ms",
            "500ms",
            "3s",
            "15s");
    assertNothingWrong(report);
    assertThat(report.get("completed").asLong()).isPositive();
  }

  @Test
  void shouldPullThroughReceiversThatLosePackets() throws Exception {
    JsonNode report =
        run(
            0,
            "load --transport rt:queue --op pull --size 100k --rate 100 --loss 0.02"
                + " --impair receiver --warmup 100ms --duration 500ms");
    assertNothingWrong(report);
    assertDue(report, 50);
    assertThat(report.get("impairment").get("counts").get("datagrams").asLong()).isPositive();
  }
}
