package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TransmissionRingTest {
  @Test
  void shouldGrowFromTheSmallestWindowToItsBoundAndThenDropTheOldest() {
    TransmissionRing ring = new TransmissionRing(-10, 256);
    for (int i = 0; i < 256; i++) {
      assertThat(ring.add(i, 1_000 + i)).isEqualTo(-10 + i);
    }
    assertThat(ring.isLive(-10)).isTrue();
    ring.add(256, 2_000);
    assertThat(ring.isKept(-10)).isFalse();
    assertThat(ring.isLive(-9)).isTrue();
    assertThat(ring.tail()).isEqualTo(-9);
    for (int i = 1; i < 257; i++) {
      assertThat(ring.slot(-10 + i)).isEqualTo(i);
    }
    assertThat(ring.sentNs(-10 + 255)).isEqualTo(1_255);
  }

  @Test
  void shouldNotGrowWhileTheOldOnesAreDecided() {
    TransmissionRing ring = new TransmissionRing(0, 1 << 16);
    for (int i = 0; i < 1_000; i++) {
      ring.acknowledge(ring.add(i, i));
    }
    assertThat(ring.isKept(1_000 - 64)).isTrue();
    assertThat(ring.isKept(1_000 - 65)).isFalse();
  }

  @Test
  void shouldExpandA24BitSequenceToTheLastOneSent() {
    TransmissionRing ring = new TransmissionRing(0xFF_FFF0, 64);
    for (int i = 0; i < 32; i++) {
      ring.add(i, i);
    }
    assertThat(ring.head()).isEqualTo(0x100_0010);
    assertThat(ring.expand(0xF)).isEqualTo(0x100_000F);
    assertThat(ring.expand(0xFF_FFF0)).isEqualTo(0xFF_FFF0);
    assertThat(ring.isKept(ring.expand(0xFF_FFF0))).isTrue();
    assertThat(ring.isKept(ring.expand(0xFF_FFEF))).isFalse();
    assertThat(ring.isKept(ring.expand(0x10))).isFalse();
  }

  @Test
  void shouldCountWhatArrivedAboveTheTail() {
    TransmissionRing ring = new TransmissionRing(0, 64);
    for (int i = 0; i < 6; i++) {
      ring.add(i, i);
    }
    ring.acknowledge(2);
    ring.acknowledge(2);
    ring.acknowledge(4);
    ring.kill(3);
    ring.acknowledge(3);
    ring.trim();
    assertThat(ring.tail()).isZero();
    assertThat(ring.acknowledgedFromTail()).isEqualTo(2);
    assertThat(ring.highestAcknowledged()).isEqualTo(4);
    ring.kill(0);
    ring.acknowledge(1);
    ring.trim();
    assertThat(ring.tail()).isEqualTo(5);
    assertThat(ring.acknowledgedFromTail()).isZero();
    assertThat(ring.hasUndecidedBelowHighest()).isFalse();
    assertThat(ring.newestSlot()).isEqualTo(5);
    ring.kill(5);
    assertThat(ring.newestSlot()).isEqualTo(RetransmissionEngine.NONE);
  }

  @Test
  void shouldTellNothingOfAnEmptyRing() {
    TransmissionRing ring = new TransmissionRing(5, 64);
    assertThat(ring.isKept(ring.expand(4))).isFalse();
    assertThat(ring.isKept(ring.expand(5))).isFalse();
    assertThat(ring.newestSlot()).isEqualTo(RetransmissionEngine.NONE);
  }
}
