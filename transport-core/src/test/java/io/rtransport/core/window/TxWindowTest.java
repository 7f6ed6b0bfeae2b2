package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TxWindowTest {
  @Test
  void shouldHaveRoomUpToTheSmallerOfBothWindows() {
    TxWindow window = new TxWindow(-2, 128, 100);
    for (int i = 0; i < 100; i++) {
      assertThat(window.hasRoom()).isTrue();
      assertThat(window.take()).isEqualTo(-2 + i);
    }
    assertThat(window.hasRoom()).isFalse();
    TxWindow smaller = sent(0, 64);
    assertThat(smaller.hasRoom()).isFalse();
  }

  private static TxWindow sent(int first, int count) {
    TxWindow window = new TxWindow(first, 64, 10_000);
    for (int i = 0; i < count; i++) {
      window.take();
    }
    return window;
  }

  @Test
  void shouldRetireEachPacketOnceByWordAndBase() {
    TxWindow window = sent(60, 10);
    assertThat(window.acknowledge(64, 0b1010)).isEqualTo(0b1010);
    assertThat(window.acknowledge(64, 0b1011)).isEqualTo(0b0001);
    assertThat(window.bsn()).isEqualTo(60);
    assertThat(window.isAcknowledged(65)).isTrue();
    assertThat(window.isAcknowledged(66)).isFalse();
    assertThat(window.acknowledgeBelow(0, 66)).isEqualTo(0xFL << 60);
    assertThat(window.acknowledgeBelow(64, 66)).isZero();
    window.advance();
    assertThat(window.bsn()).isEqualTo(66);
    assertThat(window.unacknowledgedCount()).isEqualTo(3);
    assertThat(window.isAcknowledged(59)).isTrue();
  }

  @Test
  void shouldTakeNoMoreThanItsLimitAndNeverMoreThanBothSidesHold() {
    TxWindow window = new TxWindow(0, 16_384, 4_096);
    window.limit(1_024);
    for (int i = 0; i < 1_024; i++) {
      assertThat(window.hasRoom()).isTrue();
      window.take();
    }
    assertThat(window.hasRoom()).isFalse();
    window.limit(16_384);
    for (int i = 1_024; i < 4_096; i++) {
      assertThat(window.hasRoom()).isTrue();
      window.take();
    }
    assertThat(window.hasRoom()).isFalse();
    assertThat(window.acknowledge(4_032, -1L)).isEqualTo(-1L);
    assertThat(window.isAcknowledged(4_031)).isFalse();
    assertThat(window.isAcknowledged(4_095)).isTrue();
  }

  @Test
  void shouldKnowWhatWasNeverSent() {
    TxWindow window = sent(-5, 10);
    assertThat(window.nsn()).isEqualTo(5);
    assertThat(window.isBeyondSent(5)).isFalse();
    assertThat(window.isBeyondSent(6)).isTrue();
    assertThat(window.isBeyondSent(0, 0b11111)).isFalse();
    assertThat(window.isBeyondSent(0, 0b100000)).isTrue();
    assertThat(window.isBeyondSent(-64, -1L)).isFalse();
    assertThat(window.isBeyondSent(64, 0)).isFalse();
    assertThat(window.isBeyondSent(64, 1)).isTrue();
    assertThat(window.isBeyondSent(64 * 65_535, 1L << 63)).isTrue();
  }

  @Test
  void shouldCallABaseBehindItsOwnStale() {
    TxWindow window = sent(Integer.MAX_VALUE, 3);
    window.acknowledgeBelow(Integer.MAX_VALUE & ~63, Integer.MIN_VALUE);
    window.advance();
    assertThat(window.bsn()).isEqualTo(Integer.MIN_VALUE);
    assertThat(window.isStaleBase(Integer.MAX_VALUE)).isTrue();
    assertThat(window.isStaleBase(Integer.MIN_VALUE)).isFalse();
  }

  @Test
  void shouldNotTakeBitsBelowBsnForOtherPackets() {
    TxWindow window = sent(70, 64);
    // All of 64..127 named: 64..69 are below BSN, and share their places with 128..133.
    assertThat(window.acknowledge(64, -1L)).isEqualTo(-1L << 6);
    window.advance();
    assertThat(window.bsn()).isEqualTo(128);
    assertThat(window.unacknowledgedCount()).isEqualTo(6);
    assertThat(window.isAcknowledged(128)).isFalse();
    assertThat(window.isAcknowledged(133)).isFalse();
    assertThat(window.isAcknowledged(134)).isFalse();
  }
}
