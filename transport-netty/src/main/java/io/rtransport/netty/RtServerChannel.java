package io.rtransport.netty;

import io.netty.channel.socket.ServerSocketChannel;
import io.netty.util.concurrent.Future;
import io.rtransport.core.stats.CounterId;
import java.util.Map;

/**
 * Accepts RT connections at one address: each comes as an {@link RtChannel} through {@code
 * channelRead} once its initiator has confirmed the handshake, so a flood of half-open ones makes
 * no channel. Each {@code read()} takes one, and {@code autoRead} reads again each time.
 *
 * <p>Connections that nobody has read yet live, up to SO_BACKLOG of them: the peer's connect has
 * succeeded, and what it sends waits within its credit. Beyond that number what would begin or
 * confirm a handshake is dropped, and its initiator tries again.
 *
 * <p>Closing it stops accepting, and refuses the connections that were not read; its children live
 * on, and its sockets close with the last of them.
 *
 * <p>Bound to a wildcard it has a socket at each of the host's addresses too, and answers from the
 * one that was asked; a child's {@link RtChannel#localAddress} says which.
 *
 * <p>With {@link RtChannelOption#RECEIVE_LOOPS} it receives on several event loops. Its own
 * handlers run on its own; a child lives on the loop that its connection came in on.
 */
public interface RtServerChannel extends ServerSocketChannel {
  @Override
  RtServerChannelConfig config();

  /**
   * What this channel's event loops have counted so far, for all of their connections, those that
   * have ended included, and for strangers and handshakes, which belong to none; counters that are
   * 0 are left out. Any thread; the channel must be registered.
   */
  Future<Map<CounterId, Long>> loopCounters();
}
