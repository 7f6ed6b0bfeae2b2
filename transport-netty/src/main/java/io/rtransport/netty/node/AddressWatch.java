package io.rtransport.netty.node;

import io.rtransport.core.node.LearntAddresses;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.internal.loop.LoopCounters;
import io.rtransport.netty.internal.loop.PeerAddresses;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Learns the addresses that a next hop tells in a connection: now, and after each change of them.
 * Stateless. An idle connection costs nothing.
 */
final class AddressWatch {
  private AddressWatch() {}

  /**
   * Begins to watch. Called at {@code home}.
   *
   * @param incarnation of the next hop, or {@link LearntAddresses#UNKNOWN_INCARNATION}
   * @param home where {@code learnt} is changed
   */
  static void watch(
      RtConnection connection, long incarnation, LearntAddresses learnt, Executor home) {
    LearntAddresses.OfConnection shown = learnt.connected(incarnation, connection.remoteAddress());
    PeerAddresses addresses = (PeerAddresses) connection.channel();
    Runnable read =
        () -> {
          List<InetSocketAddress> told = addresses.toldAddresses();
          List<InetSocketAddress> open = addresses.openAddresses();
          home.execute(() -> shown.onAddresses(told, open));
        };
    LoopCounters.onLoopOrAfter(
        connection.channel().eventLoop(),
        () -> {
          addresses.onAddressChange(read);
          read.run();
        });
  }
}
