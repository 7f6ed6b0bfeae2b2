package io.rtransport.demo.store;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * Identity of a host where the store's places are shared: an IPv4 address, or the first 64 bits of
 * an IPv6 address. A host chooses the other 64 bits itself, as often as it likes, because its link
 * owns all of them. So the hosts of one IPv6 link have one share together.
 *
 * @param isIpv4 whether {@code bits} are an IPv4 address
 */
record HostKey(boolean isIpv4, long bits) {
  /** In ::ffff:0:0/96 the four bytes after the first eight. An IPv4 address follows them. */
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
