package io.rtransport.demo.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostKeyTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 10.0.0.1, true",
    "10.0.0.1, 10.0.0.2, false",
    "2001:db8:0:7::1, 2001:db8:0:7:ffff:ffff:ffff:ffff, true",
    "2001:db8:0:7::1, 2001:db8:0:6:ffff:ffff:ffff:ffff, false",
    "fe80::1, fe80::2, true",
    "::1, ::0a00:0001, true",
    "0.0.0.0, ::1, false",
    "0.0.0.1, 0:0:0:1::, false",
  })
  void shouldBeAnIpv4AddressOrTheFirstHalfOfAnIpv6One(String one, String other, boolean isSame)
      throws UnknownHostException {
    HostKey key = HostKey.of(InetAddress.getByName(one));
    assertThat(key.equals(HostKey.of(InetAddress.getByName(other)))).isEqualTo(isSame);
  }

  @Test
  void shouldBeTheSameHostWhereASocketOfIpv6SeesAnIpv4Address() throws UnknownHostException {
    byte[] mapped = HexFormat.of().parseHex("00000000000000000000ffff0a000001");
    InetAddress address = Inet6Address.getByAddress(null, mapped, -1);
    assertThat(address).isInstanceOf(Inet6Address.class);
    assertThat(HostKey.of(address)).isEqualTo(HostKey.of(InetAddress.getByName("10.0.0.1")));
    mapped[15] = 2;
    assertThat(HostKey.of(Inet6Address.getByAddress(null, mapped, -1)))
        .isNotEqualTo(HostKey.of(address));
  }
}
