package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real runs of every operation and of mixed sizes, short ones: what is sent arrives, once and
 * whole.
 */
class OperationRunTest extends ShortRuns {
  /** More are done than could be if each waited for its round trip, and none is lost for it. */
  @ParameterizedTest
  @ValueSource(strings = {"received", "sent"})
  void shouldCompleteWritesEarlierAndStillLoseNothing(String completion) throws Exception {
    JsonNode report =
        runUntil(
            each -> each.get("completed").asLong() > 0,
            "load --transport rt --op push --sizes 64,20k --warmup 1s --io nio --completion "
                + completion,
            "1s",
            "15s");
    assertThat(report.get("completed").asLong()).isPositive();
    for (String key : List.of("failed", "lost", "duplicated", "corrupted", "outOfOrder")) {
      assertThat(report.get(key).asLong()).as(key).isZero();
    }
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
            "load --transport %s --op %s --size %s --rate 100 --warmup 200ms --duration 500ms"
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
              "load --transport %s --sizes 16,1k,20k --connections 4 --threads 2 --in-flight 3 --warmup 200ms --duration 500ms"
                  .formatted(transport));
      assertNothingWrong(report);
      assertThat(report.get("sizeBytes").isNull()).isTrue();
      assertThat(report.get("sizesBytes")).hasSize(3);
      assertThat(report.get("connections").asInt()).isEqualTo(4);
    }
  }
}
