package io.rtransport.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.loadgen.workload.LatencyRecorder;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadReportTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long START_NS = 7 * SECOND_NS + 300;

  /**
   * A recorder with these completions: each a count and when, from the start of the measured time.
   */
  private static LatencyRecorder recorder(long measuredNs, long... countsAndTimes) {
    LatencyRecorder recorder = new LatencyRecorder();
    recorder.start(START_NS, START_NS + measuredNs);
    for (int i = 0; i < countsAndTimes.length; i += 2) {
      recorder.onCompleted(countsAndTimes[i], START_NS + countsAndTimes[i + 1]);
    }
    recorder.finish(START_NS + measuredNs);
    return recorder;
  }

  private static List<Long> bySecond(long measuredNs, LatencyRecorder... recorders) {
    return LoadReport.messagesBySecond(List.of(recorders), measuredNs);
  }

  @Test
  void shouldCountEachMessageInTheSecondInWhichItCompleted() {
    long measuredNs = 3 * SECOND_NS;
    LatencyRecorder recorder =
        recorder(measuredNs, 100, -1, 1, 0, 2, SECOND_NS - 1, 4, SECOND_NS, 8, measuredNs - 1);
    assertThat(bySecond(measuredNs, recorder)).containsExactly(3L, 4L, 8L);
  }

  @Test
  void shouldLeaveOutWhatCompletedAfterTheEnd() {
    LatencyRecorder recorder = recorder(SECOND_NS, 1, SECOND_NS - 1, 2, SECOND_NS);
    assertThat(bySecond(SECOND_NS, recorder)).containsExactly(1L);
  }

  @Test
  void shouldAddTheEventLoops() {
    long measuredNs = 2 * SECOND_NS;
    assertThat(
            bySecond(
                measuredNs,
                recorder(measuredNs, 1, 10, 2, SECOND_NS + 10),
                recorder(measuredNs, 10, SECOND_NS + 20)))
        .containsExactly(1L, 12L);
  }

  @Test
  void shouldLeaveOutASecondThatIsCutShort() {
    long measuredNs = 2 * SECOND_NS - 1;
    assertThat(bySecond(measuredNs, recorder(measuredNs, 1, 0, 2, SECOND_NS))).containsExactly(1L);
    assertThat(bySecond(2 * SECOND_NS, recorder(2 * SECOND_NS, 1, 0, 2, SECOND_NS)))
        .containsExactly(1L, 2L);
    assertThat(bySecond(SECOND_NS / 2, recorder(SECOND_NS / 2, 1, 0))).isEmpty();
  }

  @Test
  void shouldCountNothingInSecondsWithoutCompletions() {
    assertThat(bySecond(3 * SECOND_NS, recorder(3 * SECOND_NS))).containsExactly(0L, 0L, 0L);
  }
}
