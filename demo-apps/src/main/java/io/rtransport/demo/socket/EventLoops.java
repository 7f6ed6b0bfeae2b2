package io.rtransport.demo.socket;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.rtransport.command.SocketKind;
import io.rtransport.netty.RtChannels;

/**
 * Event loops of a command.
 *
 * @param kind of sockets on them
 * @param count at least 1
 * @param isBusyPolling whether they never sleep, and occupy a processor each
 */
public record EventLoops(SocketKind kind, int count, boolean isBusyPolling) {
  /** Returns one event loop that sleeps when idle, with the best sockets of this machine. */
  public static EventLoops one() {
    return new EventLoops(SocketKind.best(), 1, false);
  }

  /** Creates the event loops. The caller shuts them down. */
  public EventLoopGroup open() {
    IoHandlerFactory handlers = kind.handlers();
    return new MultiThreadIoEventLoopGroup(
        count, isBusyPolling ? RtChannels.busyPolling(handlers) : handlers);
  }
}
