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
  private static final byte[] SHA = HexFormat.of().parseHex("0123456789abcdef".repeat(4));

  static Stream<RequestHeader> headers() {
    return Stream.of(
        RequestHeader.store("a.bin", 0, SHA),
        RequestHeader.store("x".repeat(255), Long.MAX_VALUE, SHA),
        RequestHeader.stat("f\u00fcr.txt", RequestHeader.SIZE_ANY),
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
    assertThat(HexFormat.of().formatHex(RequestHeader.store("ab", 258, SHA).encode()))
        .isEqualTo("0101" + "0002" + "0000000000000102" + "0123456789abcdef".repeat(4) + "6162");
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
    assertThat(RequestHeader.decode(changed(0, 2))).isNull();
    assertThat(RequestHeader.decode(changed(1, 0))).isNull();
    assertThat(RequestHeader.decode(changed(1, 6))).isNull();
    assertThat(RequestHeader.decode(changed(1, 255))).isNull();
    assertThat(RequestHeader.decode(changed(44, 0x80))).isNull();
    assertThat(RequestHeader.decode(changed(44, 'b'))).isNotNull();
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
        bytes[0] = 1;
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
    byte[] bytes = RequestHeader.store("a", 1, SHA).encode();
    bytes[index] = (byte) value;
    return bytes;
  }
}
