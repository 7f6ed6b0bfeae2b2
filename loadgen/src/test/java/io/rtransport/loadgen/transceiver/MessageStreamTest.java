package io.rtransport.loadgen.transceiver;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageVerifier;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageStreamTest {
  private final MessageContents contents = new MessageContents(1, 2_000);
  private final MessageVerifier verifier = new MessageVerifier();
  private final List<Long> taken = new ArrayList<>();
  private final MessageStream stream =
      new MessageStream(verifier, 2_000, () -> taken.add(verifier.sequence()));

  private ByteBuf messages() {
    ByteBuf bytes = Unpooled.buffer();
    int[] lengths = {16, 64, 17, 2_000, 16, 1_000};
    for (int i = 0; i < lengths.length; i++) {
      contents.writeMessage(bytes, i, lengths[i], true);
    }
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 16, 100, 5_000})
  void shouldFindMessagesHoweverTheStreamIsCut(int pieceBytes) {
    ByteBuf bytes = messages();
    for (int i = 0; i < bytes.writerIndex(); i += pieceBytes) {
      assertThat(stream.feed(bytes, i, Math.min(bytes.writerIndex(), i + pieceBytes))).isTrue();
    }
    assertThat(taken).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
  }

  @Test
  void shouldEndAtALengthOutOfRange() {
    ByteBuf tooShort = messages().setInt(12, 15);
    assertThat(stream.feed(tooShort, 0, tooShort.writerIndex())).isFalse();
    assertThat(stream.feed(messages(), 0, 100)).isFalse();
    ByteBuf tooLong = messages().setInt(12, 2_001);
    assertThat(new MessageStream(verifier, 2_000, () -> {}).feed(tooLong, 0, 100)).isFalse();
    assertThat(taken).isEmpty();
  }
}
