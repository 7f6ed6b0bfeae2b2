package io.rtransport.demo.socket;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.rtransport.command.SocketKind;
import io.rtransport.netty.RtChannels;

/**
 * Which event loops a command wants.
 *
 * @param kind of sockets that live on them
 * @param count at least 1
 * @param isBusyPolling whether they never sleep, and take a processor each
 */
public record EventLoops(SocketKind kind, int count, boolean isBusyPolling) {
  /** One that sleeps when there is nothing to do, with the best sockets of this machine. */
  public static EventLoops one() {
    return new EventLoops(SocketKind.best(), 1, false);
  }

  /** Makes them; the caller shuts them down. */
  public EventLoopGroup open() {
    IoHandlerFactory handlers = kind.handlers();
    return new MultiThreadIoEventLoopGroup(
        count, isBusyPolling ? RtChannels.busyPolling(handlers) : handlers);
  }
}
