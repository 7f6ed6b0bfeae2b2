package io.rtransport.core.connection;

import io.rtransport.core.stats.Limits;
import java.net.InetSocketAddress;

/**
 * Addresses that the peer has told and that have not answered. The peer may name a third party. So
 * each gets {@link Limits#TOLD_CHALLENGES_MAX} challenges at the most, and there are at most {@link
 * Limits#TOLD_ADDRESSES_MAX} such addresses in the life of a connection.
 */
final class ToldAddresses {
  private final InetSocketAddress[] addresses = new InetSocketAddress[Limits.TOLD_ADDRESSES_MAX];
  private final int[] asked = new int[Limits.TOLD_ADDRESSES_MAX];

  /** Adds an address, unless it is there. Returns false if as many as allowed have not answered. */
  boolean add(InetSocketAddress address) {
    if (indexOf(address) >= 0) {
      return true;
    }
    for (int i = 0; i < addresses.length; i++) {
      if (addresses[i] == null) {
        addresses[i] = address;
        asked[i] = 0;
        return true;
      }
    }
    return false;
  }

  /** Returns whether the address may be challenged once more. */
  boolean mayAsk(InetSocketAddress address) {
    int index = indexOf(address);
    return index < 0 || asked[index] < Limits.TOLD_CHALLENGES_MAX;
  }

  void onAsked(InetSocketAddress address) {
    int index = indexOf(address);
    if (index >= 0) {
      asked[index]++;
    }
  }

  /** Forgets an address that has answered. */
  void onAnswer(InetSocketAddress address) {
    int index = indexOf(address);
    if (index >= 0) {
      addresses[index] = null;
    }
  }

  private int indexOf(InetSocketAddress address) {
    for (int i = 0; i < addresses.length; i++) {
      if (address.equals(addresses[i])) {
        return i;
      }
    }
    return -1;
  }
}
