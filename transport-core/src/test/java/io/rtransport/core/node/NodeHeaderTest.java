package io.rtransport.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class NodeHeaderTest {
  private static final NodeHeader HEADER =
      new NodeHeader(MessageKind.PUT_ACK, true, 8, 0x0102030405060708L, 300, 299, -1);

  @Test
  void shouldHaveTheLayoutOfItsPicture() {
    byte[] bytes = HEADER.before(new byte[] {42});
    assertThat(bytes)
        .containsExactly(
            1, 2, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 1, 44, 0, 0, 0, 0, 0, 0, 1, 43,
            -1, -1, -1, -1, -1, -1, -1, -1, 42);
    assertThat(NodeHeader.read(bytes)).isEqualTo(HEADER);
  }

  @Test
  void shouldReadEveryKind() {
    for (MessageKind kind : MessageKind.values()) {
      NodeHeader header = new NodeHeader(kind, false, 0, 1, 1, 1, 0);
      assertThat(NodeHeader.read(header.before(new byte[0]))).isEqualTo(header);
    }
  }

  @Test
  void shouldRefuseWhatItHasNotWritten() {
    byte[] valid = HEADER.before(new byte[0]);
    assertThat(NodeHeader.read(Arrays.copyOf(valid, NodeHeader.LENGTH - 1))).isNull();
    assertThat(NodeHeader.read(new byte[0])).isNull();
    assertThat(NodeHeader.read(with(valid, 0, 2))).as("version").isNull();
    assertThat(NodeHeader.read(with(valid, 1, 0))).as("kind").isNull();
    assertThat(NodeHeader.read(with(valid, 1, 5))).as("kind").isNull();
    assertThat(NodeHeader.read(with(valid, 2, 4))).as("flags").isNull();
    assertThat(NodeHeader.read(with(valid, 2, 255))).as("flags").isNull();
    assertThat(NodeHeader.read(with(valid, 27, 45))).as("ended below 301 of 300").isNull();
    assertThat(NodeHeader.read(with(with(valid, 27, 0), 26, 0))).as("ended below 0").isNull();
    assertThat(NodeHeader.read(new NodeHeader(MessageKind.PUT, false, 0, 0, 1, 1, 0).before(valid)))
        .as("no origin")
        .isNull();
  }

  private static byte[] with(byte[] bytes, int index, int value) {
    byte[] changed = bytes.clone();
    changed[index] = (byte) value;
    return changed;
  }

  @Test
  void shouldNeverThrowOverBytesOfAPeer() {
    SplittableRandom random = new SplittableRandom(1);
    int valid = 0;
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = HEADER.before(new byte[random.nextInt(5)]);
      for (int j = random.nextInt(4); j > 0; j--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      byte[] cut = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
      NodeHeader read = NodeHeader.read(cut);
      if (read != null) {
        valid++;
        byte[] rest = Arrays.copyOfRange(cut, NodeHeader.LENGTH, cut.length);
        assertThat(read.before(rest)).isEqualTo(cut);
      }
    }
    assertThat(valid).isPositive();
  }
}
