package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PrefixCountsTest {
  private final PrefixCounts counts = new PrefixCounts(new AddressHash(7));

  private static InetAddress at(String literal) throws Exception {
    return InetAddress.getByName(literal);
  }

  @Test
  void shouldCountTwentyFourBitsOfAnIpv4AddressTogether() throws Exception {
    counts.add(at("10.1.2.3"), 1);
    counts.add(at("10.1.2.200"), 1);

    assertThat(counts.count(at("10.1.2.77"))).isEqualTo(2);
    assertThat(counts.count(at("10.1.3.3"))).isZero();
  }

  @Test
  void shouldCountFiftySixBitsOfAnIpv6AddressTogether() throws Exception {
    counts.add(at("2001:db8:1:ff00::1"), 1);
    counts.add(at("2001:db8:1:ffff::2"), 1);

    assertThat(counts.count(at("2001:db8:1:ffee::3"))).isEqualTo(2);
    assertThat(counts.count(at("2001:db8:1:fe00::1"))).isZero();
  }

  @Test
  void shouldReturnToZeroAndNeverTellTooFew() throws Exception {
    Random random = new Random(1);
    InetAddress[] addresses = new InetAddress[5_000];
    for (int i = 0; i < addresses.length; i++) {
      addresses[i] = Knocks.address(random.nextInt(), 1).getAddress();
      counts.add(addresses[i], 1);
      assertThat(counts.count(addresses[i])).isPositive();
    }
    for (InetAddress address : addresses) {
      counts.add(address, -1);
    }
    for (InetAddress address : addresses) {
      assertThat(counts.count(address)).isZero();
    }
  }
}
