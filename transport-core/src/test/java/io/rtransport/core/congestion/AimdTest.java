package io.rtransport.core.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class AimdTest {
  private static final int PACKET = 1_000;
  private static final long RTT_NS = 100_000;

  private final Aimd aimd = new Aimd(PACKET, 1_000 * PACKET);
  private long nowNs = 1_000_000;

  /** Fills the window, and a round trip later everything is acknowledged. */
  private void roundTrip() {
    long packets = aimd.windowBytes() / PACKET;
    for (long i = 0; i < packets; i++) {
      aimd.onSent(PACKET, nowNs);
    }
    nowNs += RTT_NS;
    for (long i = 0; i < packets; i++) {
      aimd.onAcknowledged(PACKET, RTT_NS, nowNs);
    }
  }

  private void loseOne(long sentAtNs) {
    aimd.onSent(PACKET, sentAtNs);
    aimd.onLost(PACKET, sentAtNs, nowNs);
  }

  @Test
  void shouldStartWithSixtyFourPackets() {
    assertThat(aimd.windowBytes()).isEqualTo(64 * PACKET);
    assertThat(new Aimd(PACKET, 10 * PACKET).windowBytes()).isEqualTo(10 * PACKET);
    assertThat(new Aimd(PACKET, 1).windowBytes()).isEqualTo(4 * PACKET);
    assertThat(new Aimd(1_408).windowBytes()).isEqualTo(90_112);
  }

  @Test
  void shouldDoubleEachRoundTripInSlowStartUpToTheMaximum() {
    roundTrip();
    assertThat(aimd.windowBytes()).isBetween(96L * PACKET, 128L * PACKET);
    for (int i = 0; i < 10; i++) {
      roundTrip();
    }
    assertThat(aimd.windowBytes()).isEqualTo(1_000 * PACKET);
    roundTrip();
    assertThat(aimd.windowBytes()).isEqualTo(1_000 * PACKET);
  }

  @Test
  void shouldCutToSevenTenthsAtALoss() {
    nowNs += RTT_NS;
    loseOne(nowNs - RTT_NS);
    assertThat(aimd.windowBytes()).isEqualTo(44_800);
    assertThat(aimd.isSlowStart()).isFalse();
  }

  @Test
  void shouldCutOnceARoundTrip() {
    long firstFlightNs = nowNs;
    nowNs += RTT_NS;
    loseOne(firstFlightNs);
    long cutAtNs = nowNs;
    long afterOne = aimd.windowBytes();
    nowNs += 10;
    loseOne(firstFlightNs + 5);
    loseOne(cutAtNs);
    assertThat(aimd.windowBytes()).as("sent at or before the cut").isEqualTo(afterOne);
    loseOne(cutAtNs + 1);
    assertThat(aimd.windowBytes()).as("sent after the cut").isEqualTo(afterOne / 10 * 7);
  }

  @Test
  void shouldGrowByOnePacketARoundTripAfterACut() {
    nowNs += RTT_NS;
    loseOne(nowNs - RTT_NS);
    nowNs += 1;
    long before = aimd.windowBytes();
    // In whole packets the flight is a little less than the window: ten round trips give nine to
    // ten packets.
    for (int i = 0; i < 10; i++) {
      roundTrip();
    }
    assertThat(aimd.windowBytes() - before).isBetween(8L * PACKET, 10L * PACKET);
  }

  @Test
  void shouldNotGrowByAcknowledgementsOfPacketsSentBeforeTheCut() {
    for (int i = 0; i < 64; i++) {
      aimd.onSent(PACKET, nowNs);
    }
    long sentAtNs = nowNs;
    nowNs += RTT_NS;
    aimd.onLost(PACKET, sentAtNs, nowNs);
    long after = aimd.windowBytes();
    for (int i = 0; i < 63; i++) {
      aimd.onAcknowledged(PACKET, nowNs - sentAtNs, nowNs);
    }
    assertThat(aimd.windowBytes()).isEqualTo(after);
  }

  @Test
  void shouldNotGrowWhileLessThanHalfOfTheWindowIsUsed() {
    for (int i = 0; i < 31; i++) {
      aimd.onSent(PACKET, nowNs);
    }
    aimd.onAcknowledged(PACKET, RTT_NS, nowNs);
    assertThat(aimd.windowBytes()).isEqualTo(64 * PACKET);
    aimd.onSent(PACKET, nowNs);
    aimd.onSent(PACKET, nowNs);
    aimd.onAcknowledged(PACKET, RTT_NS, nowNs);
    assertThat(aimd.windowBytes()).isEqualTo(65 * PACKET);
  }

  @Test
  void shouldGoToTheMinimumAtAnExpiryAndStartSlowlyUpToSevenTenths() {
    aimd.onTimeout(nowNs);
    assertThat(aimd.windowBytes()).isEqualTo(4 * PACKET);
    assertThat(aimd.isSlowStart()).isTrue();
    nowNs += 1;
    int roundTrips = 0;
    while (aimd.isSlowStart()) {
      roundTrip();
      roundTrips++;
    }
    assertThat(aimd.windowBytes()).isBetween(44_800L, 44_800L + PACKET);
    assertThat(roundTrips).isBetween(4, 8);
  }

  @Test
  void shouldKeepTheThresholdThroughARowOfExpiries() {
    for (int i = 0; i < 10; i++) {
      aimd.onTimeout(nowNs);
      nowNs += RTT_NS;
    }
    assertThat(aimd.windowBytes()).isEqualTo(4 * PACKET);
    nowNs += 1;
    while (aimd.isSlowStart()) {
      roundTrip();
    }
    assertThat(aimd.windowBytes()).isGreaterThanOrEqualTo(44_800L);
  }

  @Test
  void shouldGiveBackWhatANeedlessExpiryTook() {
    roundTrip();
    final long before = aimd.windowBytes();
    nowNs += RTT_NS;
    aimd.onTimeout(nowNs);
    nowNs += RTT_NS;
    aimd.onTimeout(nowNs);
    aimd.onTimeoutSpurious(nowNs);
    assertThat(aimd.windowBytes()).isEqualTo(before);
    assertThat(aimd.isSlowStart()).isTrue();
    loseOne(nowNs - 2 * RTT_NS);
    assertThat(aimd.windowBytes()).as("sent before the expiry").isEqualTo(before / 10 * 7);
    aimd.onTimeoutSpurious(nowNs);
    assertThat(aimd.windowBytes()).as("twice").isEqualTo(before / 10 * 7);
  }

  @Test
  void shouldGiveNothingBackOnceSomethingWasLostAfterTheExpiry() {
    roundTrip();
    aimd.onTimeout(nowNs);
    long sentNs = ++nowNs;
    aimd.onAcknowledged(PACKET, 1, nowNs);
    loseOne(sentNs);
    aimd.onTimeoutSpurious(nowNs);
    assertThat(aimd.windowBytes()).isEqualTo(4 * PACKET);
  }

  @Test
  void shouldGiveNothingBackWhereSomethingSentBeforeTheExpiryWasLost() {
    roundTrip();
    long sentNs = nowNs;
    aimd.onTimeout(++nowNs);
    loseOne(sentNs);
    aimd.onTimeoutSpurious(nowNs);
    assertThat(aimd.windowBytes()).isEqualTo(4 * PACKET);
  }

  @Test
  void shouldNeverFallBelowFourPackets() {
    for (int i = 0; i < 50; i++) {
      nowNs += RTT_NS;
      loseOne(nowNs - 1);
    }
    assertThat(aimd.windowBytes()).isEqualTo(4 * PACKET);
  }

  @Test
  void shouldKeepAFixedWindowFixed() {
    FixedWindow fixed = new FixedWindow(12_345);
    fixed.onSent(1, 0);
    fixed.onAcknowledged(1, 1, 0);
    fixed.onLost(1, 0, 0);
    fixed.onTimeout(0);
    assertThat(fixed.windowBytes()).isEqualTo(12_345);
  }

  @Test
  void shouldRefuseSizesOutOfRange() {
    assertThatThrownBy(() -> new FixedWindow(0)).hasMessageContaining("windowBytes=0");
    assertThatThrownBy(() -> new Aimd(0)).hasMessageContaining("packetBytes=0");
    assertThatThrownBy(() -> new Aimd(65_508)).hasMessageContaining("packetBytes=65508");
    assertThatThrownBy(() -> new Aimd(1_408, 0)).hasMessageContaining("maximumBytes=0");
  }

  @Test
  void shouldTakeNoLossOfWhatWentToAnOldAddressForCongestion() {
    roundTrip();
    long grown = aimd.windowBytes();
    long sentNs = nowNs;
    nowNs += RTT_NS;
    aimd.onMoved(false, nowNs);
    loseOne(sentNs);
    assertThat(aimd.windowBytes()).isEqualTo(grown);
    loseOne(nowNs + 1);
    assertThat(aimd.windowBytes()).isLessThan(grown);
  }

  @Test
  void shouldStartAnewBehindAnotherHostsAddress() {
    loseOne(nowNs);
    assertThat(aimd.isSlowStart()).isFalse();
    aimd.onMoved(true, nowNs + RTT_NS);
    assertThat(aimd.windowBytes()).isEqualTo(64 * PACKET);
    assertThat(aimd.isSlowStart()).isTrue();
  }
}
