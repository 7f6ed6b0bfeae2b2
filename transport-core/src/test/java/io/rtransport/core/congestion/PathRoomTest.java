package io.rtransport.core.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PathRoomTest {
  private static final long FAST_BYTES = 3L << 19;
  private static final long LONG_BYTES = 16L << 20;
  private static final int PACKET = 1_408;

  @Test
  void shouldFollowTheLengthOfThePathWithinTheBudget() {
    assertThat(PathRoom.bytes(FAST_BYTES, LONG_BYTES, 0)).isEqualTo(FAST_BYTES);
    assertThat(PathRoom.bytes(FAST_BYTES, LONG_BYTES, 500_000)).isEqualTo(FAST_BYTES);
    assertThat(PathRoom.bytes(FAST_BYTES, LONG_BYTES, 1_000_000)).isEqualTo(2 * FAST_BYTES);
    assertThat(PathRoom.bytes(FAST_BYTES, LONG_BYTES, 100_000_000)).isEqualTo(LONG_BYTES);
  }

  /** Where no queue ever stands and nothing is lost. */
  private static long windowAfterASecond(CongestionControl control, long rttNs) {
    for (long nowNs = 0; nowNs < 1_000_000_000; nowNs += rttNs) {
      int packets = (int) (control.windowBytes() / PACKET);
      for (int i = 0; i < packets; i++) {
        control.onSent(PACKET, nowNs);
      }
      control.onRoundTrip(rttNs, nowNs, nowNs + rttNs);
      for (int i = 0; i < packets; i++) {
        control.onAcknowledged(PACKET, rttNs, nowNs + rttNs);
      }
    }
    return control.windowBytes();
  }

  @Test
  void shouldLetAWindowGrowAsFarAsThePathIsLong() {
    SwiftWindow swift = new SwiftWindow(PACKET, FAST_BYTES, LONG_BYTES, SwiftWindow.TARGET_NS_MIN);
    assertThat(windowAfterASecond(swift, 20_000_000)).isEqualTo(LONG_BYTES);
    assertThat(windowAfterASecond(new Aimd(PACKET, FAST_BYTES, LONG_BYTES), 20_000_000))
        .isEqualTo(LONG_BYTES);
  }

  @Test
  void shouldKeepAWindowSmallOnAFastPath() {
    SwiftWindow swift = new SwiftWindow(PACKET, FAST_BYTES, LONG_BYTES, SwiftWindow.TARGET_NS_MIN);
    assertThat(windowAfterASecond(swift, 200_000)).isEqualTo(FAST_BYTES);
    assertThat(windowAfterASecond(new Aimd(PACKET, FAST_BYTES, LONG_BYTES), 200_000))
        .isEqualTo(FAST_BYTES);
  }

  @Test
  void shouldComeBackFromALongPathToAFastOne() {
    SwiftWindow swift = new SwiftWindow(PACKET, FAST_BYTES, LONG_BYTES, SwiftWindow.TARGET_NS_MIN);
    windowAfterASecond(swift, 20_000_000);
    assertThat(windowAfterASecond(swift, 200_000)).isEqualTo(FAST_BYTES);
  }

  @Test
  void shouldCountPacketsAsBytes() {
    assertThat(PathRoom.packets(1_024, 16_384, 0)).isEqualTo(1_024);
    assertThat(PathRoom.packets(1_024, 16_384, PathRoom.FAST_PATH_NS)).isEqualTo(1_024);
    assertThat(PathRoom.packets(1_024, 16_384, 3 * PathRoom.FAST_PATH_NS)).isEqualTo(3_072);
    assertThat(PathRoom.packets(1_024, 16_384, 100 * PathRoom.FAST_PATH_NS)).isEqualTo(16_384);
  }
}
