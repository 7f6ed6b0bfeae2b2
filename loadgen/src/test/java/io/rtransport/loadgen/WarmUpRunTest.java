package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A run with the warm-up that nobody gave a length: among the proofs, for it takes 5 s to 30 s. */
@Tag("proof")
class WarmUpRunTest extends ShortRuns {
  private static final double LEAST_SECONDS = 5;
  private static final double MOST_SECONDS = 30;

  /** The client looks once a second, and perhaps late on a busy machine. */
  private static final double LATE_SECONDS = 3;

  @Test
  void shouldMeasureOnlyWhatFollowsIt() throws Exception {
    JsonNode report = run(0, "load --op push --size 64 --warmup auto --duration 2s");
    double warmup = report.get("warmupSeconds").asDouble();
    assertThat(warmup).isBetween(LEAST_SECONDS, MOST_SECONDS + LATE_SECONDS);
    if (!report.get("warmupSteady").asBoolean()) {
      assertThat(warmup).as("given up").isGreaterThanOrEqualTo(MOST_SECONDS - 1);
    }
    assertThat(report.get("durationSeconds").asDouble()).isBetween(2.0, 2.0 + LATE_SECONDS);
    assertThat(report.get("messagesBySecond")).hasSizeGreaterThanOrEqualTo(2);
    assertThat(report.get("messages").asLong()).isPositive();
  }

  @Test
  void shouldNotAskForSteadinessWhereTheLengthIsGiven() throws Exception {
    JsonNode report = run(0, "load --op push --size 64 --warmup 1s --duration 1s");
    assertThat(report.get("warmupSeconds").asDouble()).isEqualTo(1);
    assertThat(report.get("warmupSteady").isNull()).isTrue();
  }
}
