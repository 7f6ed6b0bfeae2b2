package io.rtransport.netty;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringDatagramChannel;
import java.util.function.Supplier;

/**
 * The transports that socket tests run on: all of them what is a socket's own, NIO and epoll
 * everything.
 */
public enum TransportKind {
  NIO(NioIoHandler::newFactory, NioDatagramChannel::new),
  EPOLL(EpollIoHandler::newFactory, EpollDatagramChannel::new),
  IO_URING(RtChannels::ioUring, IoUringDatagramChannel::new);

  private final Supplier<IoHandlerFactory> handlers;
  private final Supplier<DatagramChannel> sockets;

  TransportKind(Supplier<IoHandlerFactory> handlers, Supplier<DatagramChannel> sockets) {
    this.handlers = handlers;
    this.sockets = sockets;
  }

  /** Skips the test where the machine has not got it; NIO and epoll are to be there. */
  public void assumeAvailable() {
    assumeTrue(isAvailable(), () -> "no io_uring here: " + IoUring.unavailabilityCause());
  }

  public boolean isAvailable() {
    return this != IO_URING || IoUring.isAvailable();
  }

  public IoHandlerFactory handlers() {
    return handlers.get();
  }

  public Supplier<DatagramChannel> sockets() {
    return sockets;
  }
}
