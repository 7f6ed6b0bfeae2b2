package io.rtransport.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class IntegrityTest {
  private static final byte[] CHECK = "123456789".getBytes(StandardCharsets.US_ASCII);

  private final Integrity integrity = new Integrity();

  @Test
  void shouldComputeThePublishedCheckValueOfCrc32c() {
    for (ByteBuffer buffer : buffers()) {
      assertThat(integrity.checksum(buffer, 3, CHECK.length)).isEqualTo(0xE306_9283);
    }
  }

  @Test
  void shouldSealWhatItVerifiesAndNothingElse() {
    for (ByteBuffer buffer : buffers()) {
      if (buffer.isReadOnly()) {
        continue;
      }
      integrity.seal(buffer, 3, CHECK.length + 4);
      assertThat(buffer.getInt(3 + CHECK.length)).isEqualTo(0xE306_9283);
      assertThat(integrity.verify(buffer, 3, CHECK.length + 4)).isTrue();
      assertThat(integrity.verify(buffer, 3, CHECK.length + 3)).isFalse();
      assertThat(integrity.verify(buffer, 4, CHECK.length + 3)).isFalse();
      assertThat(integrity.verify(buffer, 3, 3)).isFalse();
      buffer.put(5, (byte) (buffer.get(5) ^ 1));
      assertThat(integrity.verify(buffer, 3, CHECK.length + 4)).isFalse();
    }
  }

  @Test
  void shouldLeavePositionAndLimitAsTheyWere() {
    for (ByteBuffer buffer : buffers()) {
      buffer.limit(20).position(11);
      integrity.checksum(buffer, 3, 9);
      assertThat(buffer.position()).isEqualTo(11);
      assertThat(buffer.limit()).isEqualTo(20);
      buffer.limit(2).position(1);
      integrity.checksum(buffer, 3, 9);
      assertThat(buffer.position()).isEqualTo(1);
      assertThat(buffer.limit()).isEqualTo(2);
    }
  }

  private static ByteBuffer[] buffers() {
    ByteBuffer heap = ByteBuffer.allocate(32).put(3, CHECK);
    ByteBuffer slice = ByteBuffer.allocate(40).slice(5, 32).put(3, CHECK);
    ByteBuffer direct = ByteBuffer.allocateDirect(32).put(3, CHECK);
    return new ByteBuffer[] {heap, slice, direct, direct.asReadOnlyBuffer().slice(0, 32)};
  }
}
