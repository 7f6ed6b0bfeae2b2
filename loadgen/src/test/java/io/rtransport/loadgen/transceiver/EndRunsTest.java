package io.rtransport.loadgen.transceiver;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.loadgen.workload.Session;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each end is told once, and what is told together has ended. */
class EndRunsTest {
  private final List<String> told = new ArrayList<>();
  private final Session.Listener listener =
      new Session.Listener() {
        @Override
        public void onCompleted(long sequence) {
          told.add("completed " + sequence);
        }

        @Override
        public void onCompletedThrough(long sequence) {
          told.add("through " + sequence);
        }

        @Override
        public void onFailed(long sequence) {
          told.add("failed " + sequence);
        }

        @Override
        public void onBatchEnd() {}

        @Override
        public void onRoom() {}

        @Override
        public void onClosed(String reason) {}
      };

  private void ends(boolean isOrdered, int... sequences) {
    EndRuns runs = new EndRuns(listener, isOrdered);
    for (int sequence : sequences) {
      runs.onEnd(Math.abs(sequence), sequence >= 0);
    }
    runs.tell();
    runs.tell();
  }

  @Test
  void shouldTellARunInOrderOnce() {
    ends(true, 0, 1, 2, 3);
    assertThat(told).containsExactly("through 3");
  }

  @Test
  void shouldTellEachOfAnUnorderedConnection() {
    ends(false, 0, 1);
    assertThat(told).containsExactly("completed 0", "completed 1");
  }

  @Test
  void shouldTellAFailureAfterTheRunBeforeIt() {
    ends(true, 0, 1, -2, 3, 4);
    assertThat(told).containsExactly("through 1", "failed 2", "through 4");
  }

  @Test
  void shouldTellNothingThroughANumberThatIsMissing() {
    ends(true, 0, 2, 3, 1, 4, 5);
    assertThat(told)
        .containsExactly("through 0", "completed 2", "completed 3", "completed 1", "through 5");
  }

  @Test
  void shouldWaitForEveryMissingNumber() {
    ends(true, 3, 0, 1, 4, 2, 5);
    assertThat(told)
        .containsExactly(
            "completed 3", "completed 0", "completed 1", "completed 4", "completed 2", "through 5");
  }
}
