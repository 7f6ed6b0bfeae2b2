package io.rtransport.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageVerifierTest {
  private final MessageContents contents = new MessageContents(42, 10_000);
  private final MessageVerifier verifier = new MessageVerifier();

  private ByteBuf message(long sequence, int lengthBytes, boolean measured) {
    ByteBuf message = Unpooled.buffer(lengthBytes);
    contents.writeMessage(message, sequence, lengthBytes, measured);
    assertThat(message.readableBytes()).isEqualTo(lengthBytes);
    return message;
  }

  private IntegrityCounts.Counts counts() {
    IntegrityCounts sum = new IntegrityCounts();
    verifier.addTo(sum);
    return sum.counts();
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 17, 64, 1_000, 10_000})
  void shouldTakeAnIntactMessage(int lengthBytes) {
    assertThat(verifier.onMessage(message(0, lengthBytes, true), 0, lengthBytes)).isTrue();
    assertThat(verifier.onMessage(message(1, lengthBytes, false), 0, lengthBytes)).isTrue();
    assertThat(counts()).isEqualTo(new IntegrityCounts.Counts(1, lengthBytes, 0, 0, 0));
  }

  @Test
  void shouldNoticeEveryBitFlipped() {
    for (int bit = 0; bit < 64 * 8; bit++) {
      ByteBuf message = message(bit, 64, true);
      message.setByte(bit / 8, message.getByte(bit / 8) ^ 1 << bit % 8);
      assertThat(verifier.onMessage(message, 0, 64)).as("bit %d", bit).isFalse();
    }
    assertThat(counts().corrupted()).isEqualTo(64 * 8);
    assertThat(verifier.messages()).isZero();
  }

  @Test
  void shouldNoticeABodyUnderAnotherMessagesHeader() {
    ByteBuf first = message(1, 64, true);
    ByteBuf second = message(2, 64, true);
    first.setBytes(MessageHeader.LENGTH, second, MessageHeader.LENGTH, 48);
    assertThat(verifier.onMessage(first, 0, 64)).isFalse();
    assertThat(counts().corrupted()).isEqualTo(1);
  }

  @Test
  void shouldNoticeAMessageCutShortOrTooLong() {
    assertThat(verifier.onMessage(message(0, 64, true), 0, 63)).isFalse();
    assertThat(verifier.onMessage(message(0, 64, true).writeByte(0), 0, 65)).isFalse();
    assertThat(verifier.onMessage(message(0, 64, true), 0, 15)).isFalse();
    assertThat(counts().corrupted()).isEqualTo(3);
  }

  @Test
  void shouldTakeAMessageInPieces() {
    ByteBuf message = message(5, 1_000, true);
    verifier.begin(message, 0);
    for (int i = MessageHeader.LENGTH; i < 1_000; i += 123) {
      verifier.body(message, i, Math.min(123, 1_000 - i));
    }
    assertThat(verifier.bodyLeftBytes()).isZero();
    assertThat(verifier.end()).isTrue();
    assertThat(verifier.sequence()).isEqualTo(5);
  }

  @Test
  void shouldCountDuplicatesAndLateOnes() {
    for (long sequence : new long[] {0, 2, 1, 2}) {
      verifier.onMessage(message(sequence, 64, true), 0, 64);
    }
    assertThat(counts()).isEqualTo(new IntegrityCounts.Counts(3, 192, 1, 0, 1));
    for (long sequence : new long[] {5, 4, 5}) { // what is wrong is wrong in the warm-up too
      verifier.onMessage(message(sequence, 64, false), 0, 64);
    }
    assertThat(counts()).isEqualTo(new IntegrityCounts.Counts(3, 192, 2, 0, 2));
  }
}
