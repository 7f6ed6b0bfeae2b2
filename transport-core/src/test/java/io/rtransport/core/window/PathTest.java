package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpTimer;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.congestion.SwiftWindow;
import org.junit.jupiter.api.Test;

/** What a path lets go while its congestion window is a packet or less. */
class PathTest {
  private static final int PACKET = 1_000;
  private static final long RTT_NS = 1_000_000;

  private final SwiftWindow swift = new SwiftWindow(PACKET, 100 * PACKET, RTT_NS);
  private long nowNs = 1_000 * RTT_NS;

  private Path path(AdpParameters parameters) {
    Path path = new Path(1, new AdpTimer(BuiltInProfiles.LAN, parameters, 10), swift, 1_024);
    swift.onRoundTrip(RTT_NS, nowNs - RTT_NS, nowNs);
    nowNs += RTT_NS;
    swift.onRoundTrip(RTT_NS, nowNs - RTT_NS, nowNs);
    return path;
  }

  private void shrinkTo(int bytes) {
    while (swift.windowBytes() > bytes) {
      swift.onTimeout(nowNs);
    }
    assertThat(swift.windowBytes()).isEqualTo(bytes);
  }

  @Test
  void shouldBeLosingForARoundTripAfterALoss() {
    Path path = path(AdpParameters.DEFAULT);
    path.onRttSample(RTT_NS, nowNs);
    path.onSent(0, PACKET, false, nowNs);
    assertThat(path.isLosing(nowNs)).isFalse();
    path.onLost(PACKET, nowNs, nowNs);
    assertThat(path.isLosing(nowNs)).isTrue();
    assertThat(path.isLosing(nowNs + RTT_NS - 1)).isTrue();
    assertThat(path.isLosing(nowNs + RTT_NS)).isFalse();
  }

  @Test
  void shouldHaveRoomForWhatTheWindowHasMoreThanIsInFlight() {
    Path path = path(AdpParameters.DEFAULT);
    shrinkTo(PACKET);
    path.onSent(0, PACKET - 1, false, nowNs);
    assertThat(path.room().bytes()).isEqualTo(1);
    path.onSent(1, PACKET, false, nowNs);
    assertThat(path.room().bytes()).isZero();
  }

  @Test
  void shouldLetAnotherGoBesideShortOnesUpToHalfOfTheWindow() {
    Path path = path(AdpParameters.DEFAULT);
    shrinkTo(PACKET);
    for (int bytes = 0; bytes < 500; bytes += 250) {
      assertThat(path.room().isOpen(PACKET, nowNs)).as(bytes + " in flight").isTrue();
      path.onSent(bytes, 250, false, nowNs);
    }
    assertThat(path.room().isOpen(PACKET, nowNs)).as("half of the window").isTrue();
    path.onSent(2, 1, false, nowNs);
    assertThat(path.room().isOpen(PACKET, nowNs)).as("a byte more").isFalse();
    assertThat(path.room().isOpen(499, nowNs)).isTrue();
    assertThat(path.room().isOpen(500, nowNs)).isFalse();
  }

  @Test
  void shouldKeepAGapBehindEachPacketByItsLength() {
    Path path = path(AdpParameters.DEFAULT);
    shrinkTo(PACKET / 4);
    path.onSent(0, PACKET / 2, false, nowNs);
    path.onLost(PACKET / 2, nowNs, nowNs);
    long gapNs = swift.sendGapNs(PACKET / 2);
    assertThat(swift.sendGapNs(PACKET)).isEqualTo(2 * gapNs).isPositive();
    assertThat(path.room().nextSendNs()).isEqualTo(nowNs + gapNs);
    assertThat(path.room().isOpen(PACKET, nowNs + gapNs - 1)).isFalse();
    assertThat(path.room().isOpen(PACKET, nowNs + gapNs)).isTrue();
  }

  @Test
  void shouldKeepAGapBehindAllThatLeftAtOneMoment() {
    Path path = path(AdpParameters.DEFAULT);
    shrinkTo(PACKET / 4);
    path.onSent(0, PACKET, true, nowNs);
    path.onSent(1, PACKET / 10, true, nowNs);
    path.onLost(PACKET, nowNs, nowNs);
    path.onLost(PACKET / 10, nowNs, nowNs);
    assertThat(path.room().nextSendNs()).isEqualTo(nowNs + swift.sendGapNs(PACKET + PACKET / 10));
    path.onTransmitted(2, PACKET / 10, nowNs + RTT_NS);
    assertThat(path.room().nextSendNs()).isEqualTo(nowNs + RTT_NS + swift.sendGapNs(PACKET / 10));
  }

  @Test
  void shouldKeepNoGapWhereTheTimerIsTheProfilesAlone() {
    Path path = path(AdpParameters.DEFAULT.withStrictProfile(true));
    shrinkTo(PACKET / 4);
    path.onSent(0, PACKET, false, nowNs);
    assertThat(path.room().isOpen(PACKET, nowNs)).as("one at a time").isFalse();
    path.onLost(PACKET, nowNs, nowNs);
    assertThat(path.room().isOpen(PACKET, nowNs)).isTrue();
  }

  @Test
  void shouldTakeAnotherAddressForProgressOfTheTimer() {
    Path path = path(AdpParameters.DEFAULT).mtu(PathMtuSearch.fixed(PACKET));
    path.onSent(0, PACKET, true, nowNs);
    long firstNs = path.timeoutNs();
    for (int i = 0; i < 6; i++) {
      path.onAdpTimeout(1, nowNs);
    }
    long sixthNs = path.timeoutNs();
    assertThat(sixthNs).isGreaterThan(2 * firstNs);
    path.onMoved(false, RTT_NS, nowNs);
    assertThat(path.timeoutNs()).isLessThan(sixthNs / 2);
  }
}
