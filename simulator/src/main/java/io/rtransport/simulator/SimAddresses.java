package io.rtransport.simulator;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Addresses of the two hosts of a world, as the hosts know them. */
public final class SimAddresses {
  private static final InetSocketAddress[] ADDRESSES = {address(1), address(2)};

  private SimAddresses() {}

  /** Returns the address of host 0 or 1. */
  public static InetSocketAddress of(int host) {
    return ADDRESSES[host];
  }

  private static InetSocketAddress address(int last) {
    try {
      return new InetSocketAddress(
          InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last}), 7_400);
    } catch (UnknownHostException e) {
      throw new AssertionError("four bytes are an address", e);
    }
  }
}
