package io.rtransport.netty.internal.loop;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** What a connecting channel knows of the addresses of both sides. On the event loop. */
public interface PeerAddresses {
  /** Returns the addresses that the peer has told and not taken back. */
  List<InetSocketAddress> toldAddresses();

  /** Returns the addresses that open paths lead to. */
  List<InetSocketAddress> openAddresses();

  /** Returns the addresses of ours that its sockets have, without wildcards. */
  List<InetAddress> ownAddresses();

  /**
   * Adds to what is called, on the event loop, after the peer has told an address or taken one
   * back, and after a path was opened. It must not write to the channel.
   */
  void onAddressChange(Runnable action);
}
