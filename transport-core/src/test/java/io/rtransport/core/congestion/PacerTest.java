package io.rtransport.core.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PacerTest {
  private static final long RTT_NS = 20_000_000;
  private static final long WINDOW = 16 << 20;
  private static final int PACKET = 1_000;

  private final Pacer pacer = new Pacer();
  private long nowNs = -5;

  /** Sends until it is held back; the bytes. */
  private long burst(long windowBytes) {
    long bytes = 0;
    while (bytes < 2 * windowBytes && pacer.isOpen(windowBytes, RTT_NS, RTT_NS, nowNs)) {
      pacer.onSent(PACKET);
      bytes += PACKET;
    }
    return bytes;
  }

  @Test
  void shouldNotPaceAFastPathNorAWindowThatIsABurst() {
    for (int i = 0; i < 100_000; i++) {
      assertThat(pacer.isOpen(WINDOW, 400_000, PathRoom.FAST_PATH_NS, nowNs)).isTrue();
      pacer.onSent(PACKET);
      assertThat(pacer.isOpen(WINDOW, 0, 0, nowNs)).as("no sample").isTrue();
    }
    assertThat(pacer.opensNs()).isEqualTo(Long.MAX_VALUE);
    assertThat(burst(Pacer.BURST_BYTES)).isGreaterThanOrEqualTo(2 * Pacer.BURST_BYTES);
  }

  @Test
  void shouldLetGoABurstAndThenWaitForHalfOfOne() {
    assertThat(burst(WINDOW)).isBetween((long) Pacer.BURST_BYTES, Pacer.BURST_BYTES + 2L * PACKET);
    long opensNs = pacer.opensNs();
    double perNs = Pacer.LARGE_GAIN * WINDOW / RTT_NS;
    assertThat(opensNs - nowNs).isBetween(Pacer.BURST_NS / 2, Pacer.BURST_NS / 2 + 2_000);
    nowNs = opensNs;
    assertThat(burst(WINDOW))
        .isBetween((long) (perNs * Pacer.BURST_NS / 2) - PACKET, (long) (perNs * Pacer.BURST_NS));
  }

  @Test
  void shouldLetGoMoreThanAWindowARoundTripAndTwiceASmallOne() {
    for (long window : new long[] {2 << 20, WINDOW}) {
      burst(window);
      long startNs = nowNs;
      long bytes = 0;
      while (nowNs - startNs < RTT_NS) {
        nowNs = Math.max(nowNs + 1, pacer.opensNs());
        bytes += burst(window);
      }
      double gain = window == WINDOW ? Pacer.LARGE_GAIN : Pacer.SMALL_GAIN;
      assertThat((double) bytes / window).isBetween(gain, gain * 1.1);
    }
  }

  @Test
  void shouldSaveUpTwoMillisecondsAtTheMost() {
    burst(WINDOW);
    nowNs += 1_000_000_000;
    long most = (long) (Pacer.LARGE_GAIN * WINDOW / RTT_NS * Pacer.BURST_NS);
    assertThat(burst(WINDOW)).isBetween(most, most + 2L * PACKET);
  }
}
