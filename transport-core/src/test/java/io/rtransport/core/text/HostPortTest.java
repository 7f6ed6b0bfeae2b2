package io.rtransport.core.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:7400,127.0.0.1,7400",
    "[::1]:7400,::1,7400",
    "[fe80::1%eth0]:1,fe80::1%eth0,1",
    "[::ffff:10.0.0.1]:9,::ffff:10.0.0.1,9",
    "localhost:65535,localhost,65535",
    "a-b.example_1.org:7400,a-b.example_1.org,7400"
  })
  void shouldReadAddressesAndWriteThemBack(String text, String host, int port) {
    HostPort address = HostPort.parse("--to", text, 1);
    assertThat(address).isEqualTo(new HostPort(host, port)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", ":", ":7400", "localhost", "localhost:", "localhost:-1", "localhost:65536",
            "localhost:0",
        "localhost:123456", "::1:7400", "[::1]", "[]:1", "[localhost]:7400", "[::1:7400", "a b:1",
            "a/b:1",
        "-x:1", "a:1:2", "localhost:+1", "localhost:\u0661"
      })
  void shouldRefuseWhatIsNoAddress(String text) {
    assertThatThrownBy(() -> HostPort.parse("--to", text, 1))
        .isInstanceOf(InvalidValueException.class)
        .hasMessageStartingWith("--to=")
        .hasMessageContaining("1..65535");
  }

  @Test
  void shouldAllowPortZeroOnlyWhereOneListens() {
    assertThat(HostPort.parse("--listen", "127.0.0.1:0", 0).port()).isZero();
    assertThatThrownBy(() -> HostPort.parse("--to", "127.0.0.1:0", 1))
        .isInstanceOf(InvalidValueException.class);
  }

  @Test
  void shouldReadListsUpToTheirBound() {
    assertThat(HostPort.parseList("--to", "a:1, [::1]:2", 1))
        .containsExactly(new HostPort("a", 1), new HostPort("::1", 2));
    assertThat(HostPort.parseList("--to", "a:1,".repeat(15) + "a:1", 1)).hasSize(16);
    assertThatThrownBy(() -> HostPort.parseList("--to", "a:1,".repeat(16) + "a:1", 1))
        .isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> HostPort.parseList("--to", "a:1,,b:2", 1))
        .isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> HostPort.parseList("--to", "a:1,", 1))
        .isInstanceOf(InvalidValueException.class);
  }
}
