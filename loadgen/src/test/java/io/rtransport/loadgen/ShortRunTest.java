package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.rtransport.command.SocketKind;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real runs, short ones: two processes, real sockets, every key of the report. */
class ShortRunTest extends ShortRuns {
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
    String reason = SocketKind.valueOf(io.toUpperCase(Locale.ROOT)).reasonAgainst();
    assumeTrue(reason == null, () -> "no " + io + " here: " + reason);
    JsonNode report =
        run(
            0,
            "load --transport %s --io %s --rate 1000 --warmup 200ms --duration 500ms"
                .formatted(transport, io));
    assertKeys(report);
    assertNothingWrong(report);
    assertDue(report, 500);
    assertThat(report.get("io").asText()).isEqualTo(io);
    assertThat(report.get("ratePerSecond").asLong()).isEqualTo(1_000);
    assertThat(report.get("latencyMicros").get("p50").asDouble()).isPositive();
    assertThat(report.get("intervals")).hasSize(1);
    assertThat(report.get("socketCalls").get("server").isIntegralNumber()).isTrue();
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
