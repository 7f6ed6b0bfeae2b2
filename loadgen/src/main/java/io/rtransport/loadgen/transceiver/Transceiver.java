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
 * One transport under load, both sides of it, in one process for one run. All transports carry the
 * same messages, verify them at the receiver and acknowledge them at the application, so that their
 * figures compare. Methods may be called from any thread.
 */
public interface Transceiver {
  /**
   * New event loops of the kind that this transport lives on. Closed by the caller, after this.
   *
   * @param threads how many
   */
  EventLoopGroup loops(int threads);

  /**
   * Starts the server side and waits until it is bound.
   *
   * @param at where to listen; port 0 picks one
   * @return where it listens
   */
  InetSocketAddress listen(EventLoopGroup group, InetSocketAddress at) throws Exception;

  /**
   * Ports beside the one that {@link #listen} gave, which its clients need: told to each by {@link
   * #useSidePorts}.
   */
  default List<Integer> sidePorts() {
    return List.of();
  }

  /**
   * The ports that the server's {@link #sidePorts} were, before {@link #connect}; through a proxy,
   * its own that lead there.
   */
  default void useSidePorts(List<Integer> ports) {}

  /**
   * Starts one connection of the client side.
   *
   * @param connection its number, from 0
   * @param loop that it lives on
   * @param listener told on the loop
   * @return done when messages can be sent; fails with a reason in one line
   */
  Future<Session> connect(
      EventLoop loop, InetSocketAddress to, int connection, Session.Listener listener);

  /**
   * What this side received, summed over connections. Waits for every event loop in turn: not to be
   * called on one.
   */
  IntegrityCounts received() throws Exception;

  /** What the transport counted itself, so far. */
  TransferCounts transferCounts() throws Exception;

  /**
   * What only this transport has to tell (its own retransmissions and the like), under the report's
   * keys; may be empty.
   */
  Map<String, Object> details() throws Exception;

  /** Closes everything; waits at most a second. */
  void close() throws Exception;
}
