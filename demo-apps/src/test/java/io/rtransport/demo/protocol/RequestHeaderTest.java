package io.rtransport.demo.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RequestHeaderTest {
  static Stream<RequestHeader> headers() {
    return Stream.of(
        RequestHeader.store("a.bin", 0),
        RequestHeader.store("x".repeat(255), Long.MAX_VALUE),
        RequestHeader.stat("f\u00fcr.txt", RequestHeader.SIZE_UNKNOWN),
        RequestHeader.fetch("\ud83d\ude00", 17),
        RequestHeader.list(""),
        RequestHeader.echo(-2));
  }

  @ParameterizedTest
  @MethodSource("headers")
  void shouldReadBackWhatItWrote(RequestHeader header) {
    assertThat(RequestHeader.decode(header.encode())).isEqualTo(header);
  }

  @Test
  void shouldKeepItsLayout() {
    assertThat(HexFormat.of().formatHex(RequestHeader.store("ab", 258).encode()))
        .isEqualTo("0201" + "0002" + "0000000000000102" + "6162");
  }

  @ParameterizedTest
  @MethodSource("headers")
  void shouldRefuseEveryLengthButItsOwn(RequestHeader header) {
    byte[] bytes = header.encode();
    ByteBuffer padded = ByteBuffer.allocate(600).put(bytes);
    for (int length = 0; length <= 600; length++) {
      RequestHeader read = RequestHeader.decode(padded, 0, length);
      assertThat(read).isEqualTo(length == bytes.length ? header : null);
    }
  }

  @Test
  void shouldRefuseAnotherVersionAnUnknownOperationAndNamesThatAreNotUtf8() {
    assertThat(RequestHeader.decode(changed(0, 0))).isNull();
    assertThat(RequestHeader.decode(changed(0, 1))).isNull();
    assertThat(RequestHeader.decode(changed(1, 0))).isNull();
    assertThat(RequestHeader.decode(changed(1, 6))).isNull();
    assertThat(RequestHeader.decode(changed(1, 255))).isNull();
    assertThat(RequestHeader.decode(changed(12, 0x80))).isNull();
    assertThat(RequestHeader.decode(changed(12, 'b'))).isNotNull();
  }

  @Test
  void shouldRefuseToWriteANameThatIsTooLong() {
    assertThatThrownBy(() -> RequestHeader.list("x".repeat(256)).encode())
        .hasMessageContaining("256")
        .hasMessageContaining("0..255");
  }

  @Test
  void shouldNeverThrowWhateverAPeerSends() {
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(120)];
      random.nextBytes(bytes);
      if (bytes.length > 4 && random.nextBoolean()) {
        bytes[0] = 2;
        bytes[1] = (byte) (1 + random.nextInt(5));
        bytes[2] = 0;
        bytes[3] = (byte) (bytes.length - RequestHeader.FIXED_LENGTH);
      }
      assertThatCode(
              () -> {
                RequestHeader.decode(bytes);
                FileStat.decode(bytes);
                Listing.decode(bytes, "");
              })
          .doesNotThrowAnyException();
    }
  }

  private static byte[] changed(int index, int value) {
    byte[] bytes = RequestHeader.store("a", 1).encode();
    bytes[index] = (byte) value;
    return bytes;
  }
}
