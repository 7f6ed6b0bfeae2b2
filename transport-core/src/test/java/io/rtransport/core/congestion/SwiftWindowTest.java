package io.rtransport.core.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class SwiftWindowTest {
  private static final int PACKET = 1_000;
  private static final long BASE_NS = 100_000;
  private static final long TARGET_NS = 512_000;
  private static final long LATE_NS = 900_000;

  private final SwiftWindow swift = new SwiftWindow(PACKET, 1_000 * PACKET, TARGET_NS);
  private long nowNs = -50_000_000; // through zero, as a clock may

  /** Fills the window; {@code rttNs} later everything is acknowledged, which is a round. */
  private void round(long rttNs) {
    long sentNs = nowNs;
    long packets = Math.max(1, swift.windowBytes() / PACKET);
    for (long i = 0; i < packets; i++) {
      swift.onSent(PACKET, nowNs);
    }
    nowNs += rttNs;
    swift.onRoundTrip(rttNs, sentNs, nowNs);
    for (long i = 0; i < packets; i++) {
      swift.onAcknowledged(PACKET, rttNs, nowNs);
    }
  }

  private void rounds(int count, long rttNs) {
    for (int i = 0; i < count; i++) {
      round(rttNs);
    }
  }

  private void lose(long sentAtNs) {
    swift.onSent(PACKET, sentAtNs);
    swift.onLost(PACKET, sentAtNs, nowNs);
  }

  private double packets() {
    return (double) swift.windowBytes() / PACKET;
  }

  @Test
  void shouldStartWithSixtyFourPacketsAndDoubleWhileTheQueueIsShort() {
    assertThat(packets()).isEqualTo(64);
    round(BASE_NS);
    assertThat(packets()).isEqualTo(128);
    rounds(5, BASE_NS);
    assertThat(packets()).isEqualTo(1_000);
  }

  @Test
  void shouldAimAtTheTargetOnAShortPathAndAboveTheBaseOnALongOne() {
    rounds(6, BASE_NS);
    assertThat(swift.pathTargetNs()).isEqualTo(TARGET_NS);
    SwiftWindow longer = new SwiftWindow(PACKET, 100 * PACKET, TARGET_NS);
    longer.onRoundTrip(800_000, 0, 800_000);
    assertThat(longer.pathTargetNs()).isBetween(800_000 + TARGET_NS / 2, 1_070_000L);
    SwiftWindow far = new SwiftWindow(PACKET, 100 * PACKET, TARGET_NS);
    far.onRoundTrip(200_000_000, 0, 200_000_000);
    assertThat(far.pathTargetNs())
        .isBetween(300_000_000L - 3 * TARGET_NS, 300_010_000L - 3 * TARGET_NS);
  }

  @Test
  void shouldAimHigherWithTheSmallerOfTwoWindowsOnALongPathHoweverLargeBothAre() {
    long baseNs = 20_000_000;
    long[] targetsNs = new long[3];
    for (int i = 0; i < 3; i++) {
      int bytes = (200 << 2 * i) * PACKET;
      SwiftWindow window = new SwiftWindow(PACKET, bytes, TARGET_NS);
      window.onRoundTrip(baseNs, 0, baseNs);
      while (window.windowBytes() < bytes) {
        int full = (int) window.windowBytes();
        window.onSent(full, baseNs);
        window.onAcknowledged(full, 0, baseNs);
      }
      targetsNs[i] = window.pathTargetNs();
    }
    assertThat(targetsNs[0] - baseNs).isLessThanOrEqualTo(baseNs / 2);
    assertThat(targetsNs[1]).isLessThan(targetsNs[0] - baseNs / 100);
    assertThat(targetsNs[2]).isBetween(baseNs + baseNs / 4, targetsNs[1] - baseNs / 100);
  }

  @Test
  void shouldNeverPassItsMaximumHoweverShortThePeerSaysThePathIs() {
    for (int i = 0; i < 200; i++) {
      round(1);
      assertThat(packets()).isLessThanOrEqualTo(1_000);
    }
    for (int i = 0; i < 1_000; i++) { // a third is lost
      round(1);
      lose(nowNs);
      for (long lost = swift.windowBytes() / PACKET / 2; lost > 0; lost--) {
        lose(nowNs);
      }
    }
    assertThat(packets()).as("by losses alone").isLessThan(500);
  }

  @Test
  void shouldGiveTheWindowBackAfterExpiriesThatProveNeedless() {
    rounds(3, BASE_NS);
    double before = packets();
    swift.onTimeout(nowNs);
    swift.onTimeout(nowNs);
    assertThat(packets()).isEqualTo(0.5);
    swift.onTimeoutSpurious(nowNs);
    assertThat(packets()).isEqualTo(before);
    round(BASE_NS);
    assertThat(packets()).as("still in slow start").isGreaterThan(1.5 * before);
    swift.onTimeout(nowNs);
    swift.onMoved(false, nowNs);
    swift.onTimeoutSpurious(nowNs);
    assertThat(packets()).as("of a path that has moved").isEqualTo(1);
  }

  @Test
  void shouldGiveNothingBackOnceThereWasAQueueOrALossAfterTheExpiry() {
    rounds(3, BASE_NS);
    swift.onTimeout(nowNs);
    rounds(4, BASE_NS);
    rounds(3, LATE_NS);
    double cut = packets();
    swift.onTimeoutSpurious(nowNs);
    assertThat(packets()).isEqualTo(cut);
  }

  @Test
  void shouldAimHigherWithASmallerWindowUpToHalfATargetMore() {
    round(BASE_NS);
    long atMany = swift.pathTargetNs();
    swift.onTimeout(nowNs);
    long atOne = swift.pathTargetNs();
    for (int i = 0; i < 10; i++) {
      swift.onTimeout(nowNs);
    }
    assertThat(atMany).isLessThan(atOne);
    assertThat(swift.pathTargetNs()).isEqualTo(TARGET_NS + TARGET_NS / 2);
  }

  @Test
  void shouldCutInProportionToTheExcessOnceARoundFromTheSecondLateOne() {
    rounds(6, BASE_NS);
    round(TARGET_NS + 20_000);
    assertThat(packets()).as("one late round may be a pause").isEqualTo(1_000);
    round(LATE_NS);
    round(LATE_NS);
    double once = packets();
    round(LATE_NS);
    double excess = (double) (LATE_NS - swift.pathTargetNs()) / LATE_NS;
    assertThat(packets() / once).isCloseTo(1 - 0.8 * excess, Offset.offset(0.02));
    double before = packets();
    round(50_000_000);
    assertThat(packets() / before).as("never more than half").isCloseTo(0.5, Offset.offset(0.01));
  }

  @Test
  void shouldLoseNothingByOnePause() {
    rounds(6, BASE_NS);
    round(50_000_000);
    assertThat(packets()).isEqualTo(1_000);
    rounds(1, BASE_NS);
    assertThat(packets()).isEqualTo(1_000);
  }

  @Test
  void shouldAimHigherWhereRoundsAreFarApartAndNotWhereAQueueStands() {
    rounds(100, BASE_NS);
    for (int i = 0; i < 100; i++) {
      rounds(2, BASE_NS);
      rounds(2, LATE_NS);
    }
    assertThat(swift.pathTargetNs()).as("busy hosts").isGreaterThan(LATE_NS);
    assertThat(packets()).as("which cost nothing").isGreaterThan(900);
    rounds(50, LATE_NS);
    assertThat(swift.pathTargetNs()).as("a queue").isLessThan(LATE_NS);
    assertThat(packets()).isLessThan(100);
  }

  @Test
  void shouldLeaveRoomForJitterOnlyUpToThreeTargets() {
    round(BASE_NS);
    for (int i = 0; i < 200; i++) {
      round(1_000_000_000);
      round(BASE_NS);
    }
    assertThat(swift.pathTargetNs())
        .isBetween(BASE_NS + 3 * TARGET_NS, BASE_NS + 3 * TARGET_NS + TARGET_NS / 2);
    swift.onMoved(true, nowNs);
    rounds(2, BASE_NS);
    assertThat(swift.pathTargetNs()).as("of another host").isLessThan(2 * TARGET_NS);
  }

  @Test
  void shouldNotTakeALossInOneLateRoundForCongestion() {
    rounds(6, BASE_NS);
    round(LATE_NS);
    lose(nowNs);
    assertThat(packets()).isEqualTo(1_000);
    rounds(2, LATE_NS);
    double before = packets();
    swift.onRoundTrip(BASE_NS, nowNs - 1_000_000, nowNs); // the queue has gone
    nowNs += 1;
    lose(nowNs);
    assertThat(packets()).as("after two, in a round that is not").isEqualTo(before);
    rounds(3, LATE_NS);
    before = packets();
    nowNs += 1;
    lose(nowNs);
    assertThat(packets()).as("two in a row").isCloseTo(before / 2, Offset.offset(1.0));
  }

  @Test
  void shouldGrowByHalfAPacketARoundAtTheTargetAndFasterWhereTheQueueStaysShort() {
    rounds(6, BASE_NS);
    rounds(4, LATE_NS);
    double before = packets();
    rounds(4, TARGET_NS - 10_000);
    assertThat(packets() - before).isCloseTo(2, Offset.offset(0.3));
    rounds(20, BASE_NS);
    assertThat(packets()).isEqualTo(1_000);
  }

  @Test
  void shouldNotTakeALossForCongestionWhileThePathIsEmpty() {
    rounds(6, BASE_NS);
    for (int i = 0; i < 5_000; i++) {
      nowNs += 1_000;
      swift.onSent(PACKET, nowNs);
      swift.onAcknowledged(PACKET, BASE_NS, nowNs);
      if (i % 9 == 0) {
        lose(nowNs);
      }
    }
    assertThat(packets()).isEqualTo(1_000);
  }

  @Test
  void shouldHalveOnceARoundTripAtALossThatComesLate() {
    rounds(6, BASE_NS);
    round(LATE_NS);
    swift.onRoundTrip(LATE_NS, nowNs - LATE_NS, nowNs);
    double before = packets();
    nowNs += 1_000;
    lose(nowNs);
    lose(nowNs);
    assertThat(packets() / before).isCloseTo(0.5, Offset.offset(0.01));
    nowNs += LATE_NS;
    lose(nowNs);
    assertThat(packets() / before).isCloseTo(0.25, Offset.offset(0.01));
  }

  @Test
  void shouldTakeMoreThanASixthLostForCongestionHoweverShortTheQueue() {
    rounds(6, BASE_NS);
    for (int i = 0; i < 400; i++) {
      nowNs += 1_000;
      swift.onSent(PACKET, nowNs);
      swift.onAcknowledged(PACKET, BASE_NS, nowNs);
      lose(nowNs);
    }
    assertThat(packets()).isBetween(4.0, 500.0);
    for (int i = 0; i < 10_000; i++) {
      nowNs += 1_000;
      lose(nowNs);
    }
    assertThat(packets()).isEqualTo(4);
  }

  @Test
  void shouldGoBelowOnePacketAndSpaceTheSends() {
    rounds(2, BASE_NS);
    swift.onTimeout(nowNs);
    assertThat(packets()).isEqualTo(1);
    assertThat(swift.sendGapNs(PACKET)).isZero();
    swift.onTimeout(nowNs);
    assertThat(packets()).isEqualTo(0.5);
    assertThat(swift.sendGapNs(PACKET)).isEqualTo(2 * BASE_NS);
    assertThat(swift.sendGapNs(PACKET / 2)).isEqualTo(BASE_NS);
    for (int i = 0; i < 10; i++) {
      swift.onTimeout(nowNs);
    }
    assertThat(packets()).isCloseTo(SwiftWindow.MINIMUM_PACKETS, Offset.offset(0.001));
    assertThat(swift.sendGapNs(PACKET)).isEqualTo(32 * BASE_NS);
    assertThat(swift.sendGapNs(PACKET / 16)).isEqualTo(2 * BASE_NS);
    assertThat(swift.sendGapNs(1)).as("a short one is not free").isEqualTo(2 * BASE_NS);
    rounds(20, BASE_NS);
    assertThat(packets()).as("slow start to half of what it was, and on").isGreaterThan(64);
  }

  @Test
  void shouldBeginWithOnePacketWhereTheFirstAnswerIsLate() {
    swift.onRoundTrip(BASE_NS, nowNs - BASE_NS, nowNs); // of the handshake
    swift.onSent(100, nowNs);
    nowNs += LATE_NS;
    swift.onRoundTrip(LATE_NS, nowNs - LATE_NS, nowNs);
    assertThat(packets()).isEqualTo(1);
  }

  /** One short message after the other, each answered after {@code rttNs}. */
  private void shortMessages(int count, long rttNs) {
    for (int i = 0; i < count; i++) {
      long sentNs = nowNs;
      swift.onSent(PACKET / 10, nowNs);
      nowNs += rttNs;
      swift.onRoundTrip(rttNs, sentNs, nowNs);
      swift.onAcknowledged(PACKET / 10, rttNs, nowNs);
    }
  }

  @Test
  void shouldComeBackToEightPacketsThoughNothingFillsThem() {
    rounds(3, BASE_NS);
    for (int i = 0; i < 20; i++) {
      swift.onTimeout(nowNs);
    }
    assertThat(packets()).isLessThan(0.1);
    shortMessages(10, LATE_NS);
    assertThat(packets()).as("while answers are late").isLessThan(0.1);
    shortMessages(1_000, BASE_NS);
    assertThat(packets()).isBetween(8.0, 8.1);
    shortMessages(10_000, BASE_NS);
    assertThat(packets()).as("and no further").isBetween(8.0, 8.1);
    rounds(10, BASE_NS);
    assertThat(packets()).as("but where it is filled").isGreaterThan(9);
    swift.onTimeout(nowNs);
    swift.onPacketLength(40 * PACKET);
    shortMessages(10_000, BASE_NS);
    assertThat(packets()).as("of short packets what it began with").isBetween(64.0, 70.0);
  }

  @Test
  void shouldFallBackToItsStartAfterASecondOfSilenceAndNotBefore() {
    rounds(6, BASE_NS);
    nowNs += SwiftWindow.IDLE_NS - 1;
    swift.onSent(PACKET, nowNs);
    swift.onAcknowledged(PACKET, BASE_NS, nowNs);
    assertThat(packets()).isEqualTo(1_000);
    nowNs += SwiftWindow.IDLE_NS;
    swift.onSent(PACKET, nowNs);
    assertThat(packets()).isEqualTo(64);
  }

  /**
   * Its first send is long ago, and it was sent again meanwhile, of which the window is not told.
   */
  @Test
  void shouldNotTakeAWaitForAnAnswerForIdleness() {
    rounds(6, BASE_NS);
    swift.onSent(PACKET, nowNs);
    nowNs += 2 * SwiftWindow.IDLE_NS;
    swift.onAcknowledged(PACKET, BASE_NS, nowNs);
    double packets = packets();
    swift.onSent(PACKET, nowNs + 1);
    assertThat(packets()).isEqualTo(packets).isGreaterThan(64);
  }

  @Test
  void shouldTakeALastingDelayAtOnePacketForALongerPath() {
    rounds(6, BASE_NS);
    long longer = 5_000_000;
    rounds(60, longer);
    assertThat(swift.pathBaseNs()).isEqualTo(longer);
    rounds(20, longer);
    assertThat(packets()).isGreaterThan(64);
    round(BASE_NS);
    assertThat(swift.pathBaseNs()).isEqualTo(BASE_NS);
  }

  /**
   * Rounds with a queue until the path is drained for the second time, which they must be told of
   * within a period.
   */
  private void standUntilDrained(long standingNs) {
    long begun = nowNs;
    standUntilDrained(standingNs, begun, PathBase.FIRST_PERIOD_NS);
    rounds(2, standingNs);
    assertThat(packets()).as("after a first drain").isGreaterThanOrEqualTo(64);
    assertThat(swift.pathBaseNs()).as("which made it no longer").isEqualTo(BASE_NS);
    standUntilDrained(standingNs, begun, PathBase.PERIOD_NS);
  }

  private void standUntilDrained(long standingNs, long begunNs, long periodNs) {
    while (packets() > PathBase.DRAIN_PACKETS) {
      assertThat(nowNs - begunNs).isLessThan(periodNs + 5_000_000L);
      round(standingNs);
    }
    assertThat(nowNs - begunNs).isGreaterThan(periodNs - 5_000_000L);
  }

  @Test
  void shouldLearnSoonHowLongThePathIsWhereAQueueStoodThereBefore() {
    rounds(6, BASE_NS + 80_000);
    standUntilDrained(TARGET_NS - 1, nowNs, PathBase.FIRST_PERIOD_NS);
    round(BASE_NS);
    assertThat(swift.pathBaseNs()).isEqualTo(BASE_NS);
    assertThat(packets()).isGreaterThanOrEqualTo(64);
  }

  @Test
  void shouldDrainAPathThatIsNeverAsShortAgainAndComeBackBySlowStart() {
    rounds(6, BASE_NS);
    standUntilDrained(TARGET_NS - 1);
    assertThat(swift.pathBaseNs()).as("until it is measured").isEqualTo(BASE_NS);
    long withoutQueue = BASE_NS + 20_000;
    rounds(2, withoutQueue);
    assertThat(swift.pathBaseNs()).as("two round trips").isEqualTo(withoutQueue);
    assertThat(packets()).as("no burst of a thousand").isBetween(64.0, 68.0);
    rounds(5, withoutQueue);
    assertThat(packets()).isEqualTo(1_000);
  }

  @Test
  void shouldMeasureADrainedPathByWhatWasSentWhenItWas() {
    rounds(6, BASE_NS);
    standUntilDrained(TARGET_NS - 1);
    long oldSentNs = nowNs;
    swift.onSent(10 * PACKET, nowNs); // more than a drained path has in flight
    nowNs += 150_000;
    swift.onRoundTrip(150_000, oldSentNs, nowNs);
    swift.onAcknowledged(10 * PACKET, 150_000, nowNs);
    nowNs += 1;
    swift.onSent(PACKET, nowNs);
    long sentNs = nowNs;
    nowNs += 130_000;
    for (int i = 0; i < 10; i++) {
      swift.onRoundTrip(120_000, oldSentNs, nowNs);
    }
    assertThat(swift.pathBaseNs()).as("of what was sent before").isEqualTo(BASE_NS);
    for (int i = 1; i < PathBase.DRAIN_SAMPLES; i++) {
      swift.onRoundTrip(130_000 + i, sentNs, nowNs);
      assertThat(swift.pathBaseNs()).isEqualTo(BASE_NS);
    }
    swift.onRoundTrip(140_000, sentNs, nowNs);
    assertThat(swift.pathBaseNs()).as("the least of four").isEqualTo(130_001);
  }

  @Test
  void shouldNotDrainAPathThatStoodIdle() {
    rounds(6, BASE_NS);
    nowNs += 2 * PathBase.PERIOD_NS;
    rounds(20, BASE_NS + 20_000);
    assertThat(packets()).isEqualTo(1_000);
    standUntilDrained(TARGET_NS - 1);
    nowNs += SwiftWindow.IDLE_NS;
    swift.onSent(PACKET, nowNs);
    assertThat(packets()).as("a drain that idleness ends").isEqualTo(64);
  }

  @Test
  void shouldNotDrainAPathThatIsSeenWithoutAQueueNowAndThen() {
    rounds(6, BASE_NS);
    for (int i = 0; i < 60_000; i++) {
      round(i % 1_000 == 0 ? BASE_NS : TARGET_NS - 1);
      assertThat(packets()).isEqualTo(1_000);
    }
  }

  @Test
  void shouldKeepTheWindowBehindAnotherPortAndForgetItBehindAnotherHost() {
    rounds(6, BASE_NS);
    swift.onMoved(false, nowNs);
    assertThat(packets()).isEqualTo(1_000);
    swift.onMoved(true, nowNs);
    assertThat(packets()).isEqualTo(64);
    assertThat(swift.pathBaseNs()).isZero();
  }

  @Test
  void shouldDeriveTheTargetFromTheTimerWithinItsBounds() {
    assertThat(SwiftWindow.targetNs(4_096_000)).isEqualTo(512_000);
    assertThat(SwiftWindow.targetNs(131_072_000)).isEqualTo(16_384_000);
    assertThat(SwiftWindow.targetNs(1)).isEqualTo(500_000);
    assertThat(SwiftWindow.targetNs(Long.MAX_VALUE)).isEqualTo(100_000_000);
  }

  @Test
  void shouldRefuseImpossibleParameters() {
    assertThatThrownBy(() -> new SwiftWindow(0, 1, TARGET_NS)).hasMessageContaining("packetBytes");
    assertThatThrownBy(() -> new SwiftWindow(1, 0, TARGET_NS)).hasMessageContaining("maximumBytes");
    assertThatThrownBy(() -> new SwiftWindow(1, 1, 499_999))
        .hasMessageContaining("targetNs=499999");
    assertThatThrownBy(() -> new SwiftWindow(1, 1, 100_000_001)).hasMessageContaining("targetNs");
  }
}
