package io.rtransport.core.connection;

import java.net.Inet4Address;
import java.net.InetAddress;

/**
 * Counters by network prefix: the first 24 bits of an IPv4 address, 56 of an IPv6 one. Memory does
 * not grow with the number of strangers.
 *
 * <p>Two rows of cells are indexed by keyed hashes; the smaller of a prefix's two cells is its
 * count. A count may be too high, when other prefixes share both cells. It is never too low.
 */
final class PrefixCounts {
  private static final int ROW_CELLS = 1 << 12;
  private static final int IPV4_PREFIX_BYTES = 3;
  private static final int IPV6_PREFIX_BYTES = 7;

  private final AddressHash hash;
  private final int[] cells = new int[2 * ROW_CELLS];

  PrefixCounts(AddressHash hash) {
    this.hash = hash;
  }

  /** Returns an upper bound of the count for the prefix of {@code address}. */
  int count(InetAddress address) {
    return Math.min(cells[cell(address, 0)], cells[cell(address, 1)]);
  }

  /** Adds {@code difference}, 1 or −1, to the count for the prefix of {@code address}. */
  void add(InetAddress address, int difference) {
    cells[cell(address, 0)] += difference;
    cells[cell(address, 1)] += difference;
  }

  private int cell(InetAddress address, int row) {
    int prefixBytes = address instanceof Inet4Address ? IPV4_PREFIX_BYTES : IPV6_PREFIX_BYTES;
    return row * ROW_CELLS + (hash.ofPrefix(address, prefixBytes, row) & ROW_CELLS - 1);
  }
}
