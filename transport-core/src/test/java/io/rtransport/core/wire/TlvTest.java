package io.rtransport.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.stats.Limits;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class TlvTest {
  private final ByteBuffer buffer = ByteBuffer.allocate(64);
  private final TlvWriter writer = new TlvWriter();
  private final TlvReader reader = new TlvReader();

  @Test
  void shouldReadBackWhatWasWritten() {
    writer
        .wrap(buffer, 2, 64)
        .putU8(ConnectionParameter.ORDERED.id(), 255)
        .putU16(ConnectionParameter.DATAGRAM_LENGTH.id(), 65_535)
        .putU32(ConnectionParameter.FIRST_RSN.id(), 0xFFFF_FFFFL)
        .putU64(ConnectionParameter.MESSAGE_LENGTH_MAX.id(), -2)
        .putBytes(TlvId.TOKEN, new byte[] {1, 2, 3})
        .putBytes(TlvId.VERSIONS, ByteBuffer.wrap(new byte[] {9, 1, 9}), 1, 1);
    assertThat(writer.length()).isEqualTo(6 * 4 + 1 + 2 + 4 + 8 + 3 + 1);

    reader.wrap(buffer, 2, writer.length());
    assertThat(reader.isWellFormed()).isTrue();
    assertThat(reader.find(ConnectionParameter.ORDERED.id())).isTrue();
    assertThat(reader.value()).isEqualTo(255);
    assertThat(reader.find(ConnectionParameter.DATAGRAM_LENGTH.id())).isTrue();
    assertThat(reader.value()).isEqualTo(65_535);
    assertThat(reader.find(ConnectionParameter.FIRST_RSN.id())).isTrue();
    assertThat(reader.value()).isEqualTo(0xFFFF_FFFFL);
    assertThat(reader.find(ConnectionParameter.MESSAGE_LENGTH_MAX.id())).isTrue();
    assertThat(reader.value()).isEqualTo(-2);
    assertThat(reader.find(TlvId.TOKEN)).isTrue();
    assertThat(reader.length()).isEqualTo(3);
    assertThat(buffer.get(reader.valueOffset() + 2)).isEqualTo((byte) 3);
    assertThat(reader.find(TlvId.VERSIONS)).isTrue();
    assertThat(reader.value()).isEqualTo(1);
    assertThat(reader.next()).isFalse();
    assertThat(reader.find(TlvId.NIDS)).isFalse();
  }

  @Test
  void shouldFillItsRoomExactlyAndNotPassIt() {
    writer.wrap(buffer, 0, 12).putU64(ConnectionParameter.MESSAGE_LENGTH_MAX.id(), 1);
    assertThat(writer.length()).isEqualTo(12);
    writer.wrap(buffer, 0, 11);
    assertThatThrownBy(() -> writer.putU64(ConnectionParameter.MESSAGE_LENGTH_MAX.id(), 1))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("id=28");
    assertThat(writer.length()).isZero();
  }

  @Test
  void shouldTakeATokenUpToItsLimitOnly() {
    ByteBuffer wide = ByteBuffer.allocate(100);
    for (int length : new int[] {0, 1, Limits.TOKEN_LENGTH_MAX, Limits.TOKEN_LENGTH_MAX + 1}) {
      writer.wrap(wide, 0, 100).putBytes(TlvId.TOKEN, new byte[length]);
      assertThat(reader.wrap(wide, 0, writer.length()).isWellFormed())
          .as("%d bytes", length)
          .isEqualTo(length >= 1 && length <= Limits.TOKEN_LENGTH_MAX);
    }
  }

  @Test
  void shouldKnowTheIdsOfTheTableAndNoOthers() {
    for (int id = 0; id < 70; id++) {
      assertThat(TlvId.isKnown(id)).isEqualTo(id >= 1 && id <= 3 || id >= 16 && id <= 33);
      assertThat(TlvId.isNumber(id)).isEqualTo(id >= 16 && id <= 33);
    }
    assertThat(TlvId.isKnown(65_535)).isFalse();
  }
}
