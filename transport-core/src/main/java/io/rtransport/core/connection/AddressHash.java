package io.rtransport.core.connection;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Hash of addresses, with a key that strangers do not know. Strangers choose their addresses; the
 * key keeps them from choosing addresses that collide.
 */
final class AddressHash {
  private final long key;

  AddressHash(long key) {
    this.key = key;
  }

  /** Returns the hash of an address with its port and a number. */
  int of(InetSocketAddress address, long number) {
    byte[] bytes = address.getAddress().getAddress();
    return fold(mix(mix(mix(bytes, bytes.length) ^ address.getPort()) ^ number));
  }

  /** Returns the hash of three numbers. */
  int of(long first, long second, long third) {
    return fold(mix(mix(mix(key ^ first) ^ second) ^ third));
  }

  /** Returns the hash of the first {@code prefixBytes} bytes of an address and a number. */
  int ofPrefix(InetAddress address, int prefixBytes, long number) {
    return fold(mix(mix(address.getAddress(), prefixBytes) ^ number));
  }

  private long mix(byte[] bytes, int length) {
    long hash = key ^ bytes.length;
    for (int i = 0; i < length; i++) {
      hash = mix(hash ^ bytes[i]);
    }
    return hash;
  }

  private static int fold(long hash) {
    return (int) (hash ^ hash >>> 32);
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 32) * 0x9E3779B97F4A7C15L;
    return (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L;
  }
}
