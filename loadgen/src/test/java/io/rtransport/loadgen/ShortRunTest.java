package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.rtransport.loadgen.transceiver.Sockets;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Io;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real runs, short ones: two processes, real sockets, every key of the report. */
class ShortRunTest extends ShortRuns {
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

  @ParameterizedTest
  @CsvSource({
    "rt, epoll",
    "rt, nio",
    "rt, io_uring",
    "rt --poll-for 50us, epoll",
    "tcp, epoll",
    "tcp:packed, epoll",
    "udp, epoll",
    "udp:gso, epoll",
    "tcp, nio",
    "udp, nio",
  })
  void shouldEchoAtAnOpenLoopRateWithNothingWrong(String transport, String io) throws Exception {
    String reason = Sockets.reasonAgainst(Io.valueOf(io.toUpperCase(Locale.ROOT)));
    assumeTrue(reason == null, () -> "no " + io + " here: " + reason);
    JsonNode report =
        run(
            0,
            "load --transport %s --io %s --rate 500 --warmup 500ms --duration 1s"
                .formatted(transport, io));
    assertKeys(report);
    assertNothingWrong(report);
    assertDue(report, 500);
    assertThat(report.get("io").asText()).isEqualTo(io);
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

  /** Who spins is not woken. */
  @ParameterizedTest
  @CsvSource({"rt:busy, epoll", "rt:busy, nio", "tcp --busy-poll, epoll"})
  void shouldEchoWithoutWakeUpsWhereLoopsNeverSleep(String transport, String io) throws Exception {
    JsonNode report =
        run(
            0,
            "load --transport %s --io %s --rate 2000 --warmup 500ms --duration 1s"
                .formatted(transport, io));
    assertKeys(report);
    assertNothingWrong(report);
    assertDue(report, 2_000);
    assertThat(report.get("busyPoll").asBoolean()).isTrue();
    for (String side : List.of("client", "server")) {
      assertThat(report.get("wakeups").get(side).asLong()).as(side).isLessThan(200);
    }
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
}
