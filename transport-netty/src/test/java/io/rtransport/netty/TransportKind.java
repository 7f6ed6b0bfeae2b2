package io.rtransport.netty;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.util.function.Supplier;

/** The transports that every socket test runs on. */
enum TransportKind {
  NIO(NioIoHandler::newFactory, NioDatagramChannel::new),
  EPOLL(EpollIoHandler::newFactory, EpollDatagramChannel::new);

  private final Supplier<IoHandlerFactory> handlers;
  private final Supplier<DatagramChannel> sockets;

  TransportKind(Supplier<IoHandlerFactory> handlers, Supplier<DatagramChannel> sockets) {
    this.handlers = handlers;
    this.sockets = sockets;
  }

  IoHandlerFactory handlers() {
    return handlers.get();
  }

  Supplier<DatagramChannel> sockets() {
    return sockets;
  }
}
