package io.rtransport.core.connection;

import io.rtransport.core.rail.Nid;
import java.net.InetSocketAddress;

/** ADD_NI and REMOVE_NI as an initiator takes them, however close they follow each other. */
public final class ToldChange {
  private ToldChange() {}

  /** Takes a change. On the connection's event loop. */
  public static void take(
      Connection initiator, boolean isAdded, int version, InetSocketAddress address, long nowNs) {
    initiator.peerPaths.onChange(isAdded, version, new Nid(address, "").toString(), nowNs);
  }
}
