package io.rtransport.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WireTextTest {
  private final ByteBuffer buffer = ByteBuffer.allocate(600);

  @Test
  void shouldWriteATextWholeUpToItsLimitAndCutItAbove() {
    assertThat(WireText.put(buffer, 1, 300, "a".repeat(256))).isEqualTo(256);
    assertThat(WireText.put(buffer, 1, 300, "a".repeat(257))).isEqualTo(256);
    assertThat(WireText.put(buffer, 1, 5, "abcdef")).isEqualTo(5);
    assertThat(WireText.put(buffer, 1, 6, "abcdef")).isEqualTo(6);
    assertThat(WireText.read(buffer, 1, 6)).isEqualTo("abcdef");
  }

  @Test
  void shouldCutBetweenCharactersOnly() {
    assertThat(WireText.put(buffer, 0, 3, "a\u20ac")).isEqualTo(1); // 1 + 3 bytes
    assertThat(WireText.put(buffer, 0, 4, "a\u20ac")).isEqualTo(4);
    assertThat(WireText.put(buffer, 0, 3, "\ud83d\ude00")).isZero(); // 4 bytes
    assertThat(WireText.put(buffer, 0, 3, "aé€")).isEqualTo(3);
    assertThat(WireText.read(buffer, 0, 3)).isEqualTo("aé");
  }

  @Test
  void shouldTakeNoTextForAnEmptyOne() {
    assertThat(WireText.put(buffer, 0, 10, null)).isZero();
    assertThat(WireText.put(buffer, 0, 10, "")).isZero();
    assertThat(WireText.read(buffer, 0, 0)).isEmpty();
  }

  @Test
  void shouldReadBytesThatAreNoTextWithoutThrowing() {
    buffer.put(0, new byte[] {(byte) 0xFF, (byte) 0xC3, 'x'});
    assertThat(WireText.read(buffer, 0, 3)).endsWith("x").contains("\ufffd");
  }

  @Test
  void shouldNotPassOnWhatWouldSteerATerminal() {
    byte[] hostile = "a\u001b]0;x\u0007\r\nb\t\u007f\u009b2Jc".getBytes(StandardCharsets.UTF_8);
    buffer.put(0, hostile);
    assertThat(WireText.read(buffer, 0, hostile.length)).isEqualTo("a?]0;x???b???2Jc");
  }

  @Test
  void shouldNotPassOnMarksOfDirectionAndOtherInvisibleOnes() {
    byte[] hostile =
        "a\u202eb\u2066c\u200fd\u2028e\ufefff\udb40\udc41g é€😀".getBytes(StandardCharsets.UTF_8);
    buffer.put(0, hostile);
    assertThat(WireText.read(buffer, 0, hostile.length)).isEqualTo("a?b?c?d?e?f?g é€😀");
  }
}
