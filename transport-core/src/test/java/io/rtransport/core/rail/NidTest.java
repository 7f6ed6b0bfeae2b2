package io.rtransport.core.rail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NidTest {
  @Test
  void shouldReadAddressPortAndNetwork() throws Exception {
    Nid nid = Nid.parse("10.1.0.7:7400@blue");

    assertThat(nid.address())
        .isEqualTo(new InetSocketAddress(InetAddress.getByName("10.1.0.7"), 7_400));
    assertThat(nid.network()).isEqualTo("blue");
    assertThat(nid.toString()).isEqualTo("10.1.0.7:7400@blue");
  }

  @Test
  void shouldReadAnIpv6AddressInBrackets() throws Exception {
    Nid nid = Nid.parse("[fd00::7]:65535");

    assertThat(nid.address())
        .isEqualTo(new InetSocketAddress(InetAddress.getByName("fd00::7"), 65_535));
    assertThat(nid.network()).isEmpty();
    assertThat(Nid.parse(nid.toString())).isEqualTo(nid);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0:1",
        "255.255.255.255:65535",
        "1.2.3.4:1@",
        "1.2.3.4:1@a-b_c.d9",
        "[::]:1",
        "1.2.3.4:1@abcdefghijklmnop",
        "[::ffff:1.2.3.4]:1"
      })
  void shouldTake(String text) {
    assertThat(Nid.parse(text)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "@",
        ":",
        "1.2.3.4",
        "1.2.3.4:",
        "1.2.3.4:0",
        "1.2.3.4:65536",
        "1.2.3.4:01",
        "1.2.3.4:99999",
        "1.2.3.4:-1",
        "1.2.3:1",
        "1.2.3.4.5:1",
        "1.2.3.256:1",
        "1.2.3.04:1",
        "host.example:1",
        "localhost:1",
        "a:1",
        "::1:1",
        "[::1:1",
        "::1]:1",
        "[]:1",
        "[1]:1",
        "[a.b]:1",
        "[1.2.3.4]:1",
        "[g::1]:1",
        "[fe80::1%eth0]:1",
        "[::1]x:1",
        "1.2.3.4:1@Blue",
        "1.2.3.4:1@a@b",
        "1.2.3.4:1@abcdefghijklmnopq",
        "1.2.3.4:1@a b",
        "1.2.3.4 :1",
        "１.2.3.4:1"
      })
  void shouldRefuse(String text) {
    assertThat(Nid.parse(text)).isNull();
  }

  @Test
  void shouldRefuseATextThatIsTooLong() {
    assertThat(Nid.parse("1.2.3.4:1@" + "a".repeat(90))).isNull();
    assertThat(Nid.parse("1".repeat(100_000))).isNull();
  }

  @Test
  void shouldReadAListAndShowWhereAnElementIsNone() {
    assertThat(Nid.parseList("")).isEmpty();
    assertThat(Nid.parseList("1.2.3.4:1,,1.2.3.4:2@x,y")).hasSize(4);
    assertThat(Nid.parseList("1.2.3.4:1,,1.2.3.4:2@x,y"))
        .containsExactly(Nid.parse("1.2.3.4:1"), null, Nid.parse("1.2.3.4:2@x"), null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.0.0.0:1", "223.255.255.255:1", "127.0.0.1:1", "[::1]:1", "[fd00::]:1"})
  void shouldFindAnAddressOfOneHost(String text) {
    assertThat(Nid.parse(text).isUnicast()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0:1",
        "0.255.255.255:1",
        "224.0.0.0:1",
        "239.1.1.1:1",
        "240.0.0.1:1",
        "255.255.255.255:1",
        "[::]:1",
        "[ff02::1]:1"
      })
  void shouldFindAnAddressOfNoOneHost(String text) {
    assertThat(Nid.parse(text).isUnicast()).isFalse();
  }

  @Test
  void shouldSayWhatIsValid() {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    assertThat(new Nid(address, "a".repeat(Nid.NETWORK_LENGTH_MAX)).network()).hasSize(16);
    assertThatThrownBy(() -> new Nid(address, "a".repeat(Nid.NETWORK_LENGTH_MAX + 1)))
        .hasMessageContaining("network=");
    assertThatThrownBy(() -> new Nid(InetSocketAddress.createUnresolved("a", 1), ""))
        .hasMessageContaining("address=");
    assertThatThrownBy(() -> new Nid(new InetSocketAddress(0), ""))
        .hasMessageContaining("port from 1");
  }
}
