package io.rtransport.netty;

import io.netty.channel.socket.ServerSocketChannel;
import io.netty.util.concurrent.Future;
import io.rtransport.core.stats.CounterId;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;

/**
 * Accepts RT connections at one address. A connection comes as an {@link RtChannel} through {@code
 * channelRead} once its initiator has confirmed the handshake. So a flood of half-open connections
 * makes no channel. Each {@code read()} takes one connection; {@code autoRead} reads again after
 * each.
 *
 * <p>Up to SO_BACKLOG connections live although nobody has read them yet. The peer's connect has
 * succeeded, and the data that it sends waits within its credit. Beyond that number RT drops the
 * packets that would begin or confirm a handshake, and the initiator tries again.
 *
 * <p>A close stops accepting, and refuses the connections that were not read. The children live on,
 * and the sockets close with the last child.
 *
 * <p>A server channel bound to a wildcard also has a socket at each of the host's addresses. It
 * answers from the address that was asked; a child's {@link RtChannel#localAddress} says which.
 *
 * <p>With {@link RtChannelOption#LISTEN} it listens at several addresses, and tells its clients all
 * of them.
 *
 * <p>With {@link RtChannelOption#RECEIVE_LOOPS} the channel receives on several event loops. Its
 * own handlers run on its own event loop. A child lives on the loop that its connection came in on.
 */
public interface RtServerChannel extends ServerSocketChannel {
  @Override
  RtServerChannelConfig config();

  /**
   * Returns the addresses at which it listens: that of {@code bind} and those of {@link
   * RtChannelOption#LISTEN}, with the ports that the system chose. Empty before the bind. Any
   * thread.
   */
  List<InetSocketAddress> localAddresses();

  /**
   * Listens at one more address, of the same family, on all event loops of the channel. Clients
   * that know rails are told, and open paths to it. So may an address come back that was {@link
   * #leave left}. A channel may have 64 different addresses in its life. Any thread.
   *
   * @param address of this host, not a wildcard; port 0: the system chooses one
   * @return the address as it is bound, once the channel listens there. Fails with {@link
   *     IllegalArgumentException} if the address may not join, or if the channel is bound to a
   *     wildcard or listens at eight addresses; with {@link
   *     java.nio.channels.ClosedChannelException} if the channel is not bound; with {@link
   *     java.net.BindException} if the address is not available
   */
  Future<InetSocketAddress> join(InetSocketAddress address);

  /**
   * Gives an address up that {@link RtChannelOption#LISTEN} or {@link #join} gave. It accepts
   * nothing more there. Clients that know rails are told, and use the other addresses from then on.
   * The socket closes with the last connection that has used it. Any thread.
   *
   * @return done when the address is given up on the channel's own event loop. Fails with {@link
   *     IllegalArgumentException} if it is no such address, or that of {@code bind}
   */
  Future<Void> leave(InetSocketAddress address);

  /**
   * Returns what this channel's event loops have counted so far. The counts cover all their
   * connections, ended ones included, and packets of strangers and handshakes, which belong to no
   * connection. Counters that are 0 are left out. Any thread; the channel must be registered.
   */
  Future<Map<CounterId, Long>> loopCounters();
}
