package io.rtransport.netty.node;

import io.rtransport.netty.facade.RtListener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Addresses of a node that are told together, while they are open. Any thread.
 *
 * @param network on which they are told
 * @param at where it listens
 */
record NodeListener(String network, RtListener at) {

  /** Returns whether an address may stand beside these. */
  boolean takes(String other, InetSocketAddress address) {
    return network.equals(other)
        && hasPlace()
        && at.localAddress().getAddress().getClass().isInstance(address.getAddress());
  }

  private boolean hasPlace() {
    InetAddress first = at.localAddress().getAddress();
    return !first.isAnyLocalAddress() && at.localAddresses().size() < Listening.TOGETHER_MAX;
  }

  /** Returns the addresses that may be given up: all but the first. */
  List<InetSocketAddress> mayLeave() {
    List<InetSocketAddress> all = at.localAddresses();
    return all.isEmpty() ? all : all.subList(1, all.size());
  }

  /** Says what an address that is to join must be. */
  static String validToJoin(List<NodeListener> listeners) {
    List<String> beside = new ArrayList<>();
    for (NodeListener each : listeners) {
      if (each.hasPlace()) {
        beside.add(each.at.localAddress() + "@" + each.network);
      }
    }
    return beside.isEmpty()
        ? ", valid: none, as the node listens at wildcards only, at eight addresses, or nowhere"
        : ", valid: of the family and on the network of one of " + beside;
  }

  /** Says what an address that is to be left must be. */
  static String validToLeave(List<NodeListener> listeners) {
    List<InetSocketAddress> valid = new ArrayList<>();
    listeners.forEach(each -> valid.addAll(each.mayLeave()));
    return valid.isEmpty()
        ? ", valid: none, as the first address of each network stays"
        : ", valid: one of " + valid;
  }
}
