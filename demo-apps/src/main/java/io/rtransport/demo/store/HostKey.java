package io.rtransport.demo.store;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * What counts as one host where the store's places are shared: an IPv4 address, or the first 64
 * bits of an IPv6 one. A host makes up the other 64 itself, as many as it likes, for its link has
 * them all. So the hosts of one IPv6 link have one part together.
 *
 * @param isIpv4 whether {@code bits} are an IPv4 address
 */
record HostKey(boolean isIpv4, long bits) {
  /** In ::ffff:0:0/96 the four bytes behind the first eight: an IPv4 address follows. */
  private static final int MAPPED = 0x0000_FFFF;

  static HostKey of(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    if (address instanceof Inet4Address) {
      return new HostKey(true, bytes.getInt());
    }
    long prefix = bytes.getLong();
    boolean isMapped = prefix == 0 && bytes.getInt() == MAPPED;
    return isMapped ? new HostKey(true, bytes.getInt()) : new HostKey(false, prefix);
  }
}
