package io.rtransport.loadgen.transceiver;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import io.rtransport.loadgen.workload.IntegrityCounts;
import io.rtransport.loadgen.workload.Session;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;

/**
 * One transport under load, both its sides, in one process for one run. All transports carry the
 * same messages, verify them at the receiver and acknowledge them at the application, so that their
 * figures are comparable. Methods may be called from any thread.
 */
public interface Transceiver {
  /**
   * Creates event loops of the kind for this transport. The caller closes them, after this.
   *
   * @param threads how many
   */
  EventLoopGroup loops(int threads);

  /**
   * Starts the server side and waits until it is bound.
   *
   * @param at where to listen; port 0 lets the system choose
   * @return the addresses on which it listens: one of each rail, or one for all of them
   */
  List<InetSocketAddress> listen(EventLoopGroup group, InetSocketAddress at) throws Exception;

  /**
   * Returns the ports that its clients need in addition to {@link #listen}'s. {@link #useSidePorts}
   * tells them to each client.
   */
  default List<Integer> sidePorts() {
    return List.of();
  }

  /**
   * Sets the server's {@link #sidePorts}, before {@link #connect}. With a proxy, they are the
   * proxy's ports that lead there.
   */
  default void useSidePorts(List<Integer> ports) {}

  /**
   * Starts one connection of the client side.
   *
   * @param loop that it lives on
   * @param targets the server's address on each rail, at least one; a transport without rails has
   *     one
   * @param connection its number, from 0
   * @param listener called on the loop
   * @return done when messages can be sent; fails with a reason in one line
   */
  Future<Session> connect(
      EventLoop loop, List<InetSocketAddress> targets, int connection, Session.Listener listener);

  /**
   * Returns the receptions of this side, summed over connections. Waits for every event loop in
   * turn: not to be called on one.
   */
  IntegrityCounts received() throws Exception;

  /** Returns the transport's own counts so far. */
  TransferCounts transferCounts() throws Exception;

  /**
   * Returns details of this transport only, such as its own retransmissions, under the report's
   * keys; may be empty.
   */
  Map<String, Object> details() throws Exception;

  /** Closes everything. Waits at most one second. */
  void close() throws Exception;
}
