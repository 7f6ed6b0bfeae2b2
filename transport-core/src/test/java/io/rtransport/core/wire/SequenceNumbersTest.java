package io.rtransport.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceNumbersTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 5, -1, -5, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void shouldOrderNeighboursAnywhereOnTheCircle(int a) {
    int b = a + 1;
    assertThat(SequenceNumbers.isBefore(a, b)).isTrue();
    assertThat(SequenceNumbers.isBefore(b, a)).isFalse();
    assertThat(SequenceNumbers.isBefore(a, a)).isFalse();
    assertThat(SequenceNumbers.isAfter(b, a)).isTrue();
    assertThat(SequenceNumbers.isAfter(a, b)).isFalse();
    assertThat(SequenceNumbers.isAfter(a, a)).isFalse();
    assertThat(SequenceNumbers.compare(b, a)).isEqualTo(1);
    assertThat(SequenceNumbers.compare(a, b)).isEqualTo(-1);
    assertThat(SequenceNumbers.max(a, b)).isEqualTo(b);
    assertThat(SequenceNumbers.max(b, a)).isEqualTo(b);
    assertThat(SequenceNumbers.min(a, b)).isEqualTo(a);
    assertThat(SequenceNumbers.min(b, a)).isEqualTo(a);
    assertThat(SequenceNumbers.distance(a, b)).isEqualTo(1);
    assertThat(SequenceNumbers.distance(b, a)).isEqualTo(0xFFFF_FFFFL);
    assertThat(SequenceNumbers.distance(a, a)).isZero();
  }

  @Test
  void shouldOrderTransmissionSequencesAcrossTheirOwnWrap() {
    assertThat(SequenceNumbers.compareTransmission(0, 0xFF_FFFF)).isEqualTo(1);
    assertThat(SequenceNumbers.compareTransmission(0xFF_FFFF, 0)).isEqualTo(-1);
    assertThat(SequenceNumbers.compareTransmission(9, 9)).isZero();
    assertThat(SequenceNumbers.compareTransmission(0x7F_FFFF, 0)).isEqualTo(0x7F_FFFF);
    assertThat(SequenceNumbers.compareTransmission(0x80_0000, 0)).isEqualTo(-0x80_0000);
  }
}
