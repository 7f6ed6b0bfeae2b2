package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.window.RetransmissionEngine.Resend;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LossDetectorTest {
  private static final long RTT_NS = 1_000_000;
  private static final long WINDOW_NS = RTT_NS / 4;

  private final RttEstimator rtt = new RttEstimator();
  private final TransmissionRing ring = new TransmissionRing(-4, 1_024);
  private final LossDetector loss = new LossDetector(ring, rtt);
  private final List<Integer> lost = new ArrayList<>();

  private void sample() {
    rtt.onSample(RTT_NS, 0, 0);
  }

  /**
   * Sends {@code count} packets, slot = order, all at {@code timeNs}. Returns the first's sequence.
   */
  private int send(int count, long timeNs) {
    int first = ring.head();
    for (int i = 0; i < count; i++) {
      ring.add(ring.head() + 4, timeNs);
    }
    return first;
  }

  private void detect(long nowNs) {
    loss.detect((slot, now) -> lost.add(slot), nowNs);
  }

  @Test
  void shouldResendOnlyTheHoleBelowTheReorderThreshold() {
    sample();
    int first = send(6, 0);
    ring.acknowledge(first);
    ring.acknowledge(first + 3);
    ring.acknowledge(first + 4);
    detect(RTT_NS);
    assertThat(lost).isEmpty();
    ring.acknowledge(first + 5);
    detect(RTT_NS);
    assertThat(lost).containsExactly(1, 2);
    detect(RTT_NS);
    assertThat(lost).hasSize(2);
    assertThat(loss.deadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldNeverJudgeWhatWasSentAfterTheNewestArrival() {
    sample();
    int first = send(10, 0);
    for (int i = 0; i < 5; i++) {
      ring.acknowledge(first + i);
    }
    detect(100 * RTT_NS);
    assertThat(lost).isEmpty();
    assertThat(loss.deadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldJudgeByTheReorderWindowBothSides() {
    sample();
    send(1, 0);
    int second = send(1, WINDOW_NS);
    ring.acknowledge(second);
    detect(RTT_NS + WINDOW_NS - 1);
    assertThat(lost).isEmpty();
    int third = send(1, WINDOW_NS + 1);
    ring.acknowledge(third);
    detect(RTT_NS + WINDOW_NS - 1);
    assertThat(lost).containsExactly(0);
  }

  @Test
  void shouldJudgeByAgeAtTheDeadlineAndNotBefore() {
    sample();
    int first = send(2, 5);
    ring.acknowledge(first + 1);
    detect(RTT_NS);
    assertThat(loss.deadlineNs()).isEqualTo(5 + RTT_NS + WINDOW_NS);
    detect(loss.deadlineNs() - 1);
    assertThat(lost).isEmpty();
    detect(loss.deadlineNs());
    assertThat(lost).containsExactly(0);
  }

  @Test
  void shouldNotJudgeAPacketTwiceInARoundTrip() {
    sample();
    int first = send(4, 0);
    for (int i = 1; i < 4; i++) {
      ring.acknowledge(first + i);
    }
    detect(RTT_NS - 1);
    assertThat(lost).isEmpty();
    assertThat(loss.deadlineNs()).isEqualTo(RTT_NS);
    detect(RTT_NS);
    assertThat(lost).containsExactly(0);
  }

  @Test
  void shouldWidenOncePerRoundTripUpToTheBoundsAndNarrowAfterSixteenCleanOnes() {
    sample();
    long now = 10 * RTT_NS;
    loss.onSpurious(true, 0, now);
    loss.onSpurious(true, 0, now + RTT_NS - 1);
    assertThat(loss.threshold()).isEqualTo(6);
    assertThat(loss.reorderWindowNs()).isEqualTo(2 * WINDOW_NS);
    for (int i = 1; i < 10; i++) {
      loss.onSpurious(true, 0, now + i * RTT_NS);
    }
    assertThat(loss.threshold()).isEqualTo(LossDetector.NO_THRESHOLD);
    assertThat(loss.reorderWindowNs()).as("SRTT + 4 RTTVAR").isEqualTo(3 * RTT_NS);
    long last = now + 9 * RTT_NS;
    loss.onProgress(last + 16 * RTT_NS - 1);
    assertThat(loss.threshold()).isEqualTo(LossDetector.NO_THRESHOLD);
    loss.onProgress(last + 16 * RTT_NS);
    assertThat(loss.threshold()).isEqualTo(64);
    for (int i = 2; i < 10; i++) {
      loss.onProgress(last + i * 16 * RTT_NS);
    }
    assertThat(loss.threshold()).isEqualTo(3);
    assertThat(loss.reorderWindowNs()).isEqualTo(WINDOW_NS);
  }

  @Test
  void shouldWidenByHowLateAPacketWasEachTimeAndNotBeyondItsBound() {
    sample();
    long now = 10 * RTT_NS;
    loss.onSpurious(true, 0, now);
    loss.onSpurious(true, RTT_NS + 3 * WINDOW_NS, now + 1);
    assertThat(loss.reorderWindowNs()).isEqualTo(3 * WINDOW_NS);
    assertThat(loss.threshold()).as("once a round trip").isEqualTo(6);
    loss.onSpurious(true, RTT_NS + 2 * WINDOW_NS, now + 2);
    assertThat(loss.reorderWindowNs()).as("never back").isEqualTo(3 * WINDOW_NS);
    loss.onSpurious(true, 1_000 * RTT_NS, now + 3);
    assertThat(loss.reorderWindowNs()).isEqualTo(3 * RTT_NS);
  }

  @Test
  void shouldJudgeByTimeAloneWhereSixtyFourLaterPacketsWereNoProof() {
    sample();
    for (int i = 0; i < 7; i++) {
      loss.onSpurious(true, 0, (10 + i) * RTT_NS);
    }
    int first = send(1_000, 0);
    for (int i = 1; i < 1_000; i++) {
      ring.acknowledge(first + i);
    }
    long windowNs = loss.reorderWindowNs();
    detect(RTT_NS + windowNs - 1);
    assertThat(lost).isEmpty();
    detect(RTT_NS + windowNs);
    assertThat(lost).containsExactly(0);
  }

  @Test
  void shouldNotWidenForAProbeThatWasNotNeeded() {
    sample();
    loss.onSpurious(false, 0, RTT_NS);
    assertThat(loss.threshold()).isEqualTo(3);
  }

  @Test
  void shouldLayDuplicatesToProbesFirstAndBelieveNoMoreThanWasResent() {
    sample();
    loss.onResent(Resend.PROBE, 0);
    loss.onResent(Resend.EARLY, 0);
    assertThat(loss.onDuplicates(1, RTT_NS)).isZero();
    assertThat(loss.takeNeedlessOthers()).isEqualTo(1);
    assertThat(loss.takeNeedlessOthers()).isZero();
    assertThat(loss.threshold()).isEqualTo(3);
    assertThat(loss.onDuplicates(1_000_000, RTT_NS)).isEqualTo(1);
    assertThat(loss.takeNeedlessOthers()).isZero();
    assertThat(loss.threshold()).isEqualTo(6);
    assertThat(loss.onDuplicates(2_000_000, 3 * RTT_NS)).isZero();
    assertThat(loss.onDuplicates(5, 3 * RTT_NS)).isZero();
    assertThat(loss.threshold()).isEqualTo(6);
  }

  @Test
  void shouldLayDuplicatesToMovedPacketsFirstAndLearnNothingFromThem() {
    sample();
    loss.onResent(Resend.MOVED, 0);
    loss.onResent(Resend.EARLY, 0);
    assertThat(loss.onDuplicates(1, RTT_NS)).isZero();
    assertThat(loss.threshold()).isEqualTo(3);
    assertThat(loss.onDuplicates(2, RTT_NS)).isEqualTo(1);
    assertThat(loss.threshold()).isEqualTo(6);
  }

  @Test
  void shouldNotLayADuplicateToAResendOfLongAgo() {
    sample();
    loss.onResent(Resend.EARLY, 0);
    assertThat(loss.onDuplicates(1, 4 * RTT_NS + 1)).isZero();
    assertThat(loss.threshold()).isEqualTo(3);
  }
}
