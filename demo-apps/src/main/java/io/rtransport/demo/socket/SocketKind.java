package io.rtransport.demo.socket;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.util.function.Supplier;

/** The sockets that RT's channels stand on here: epoll where the machine has it, NIO elsewhere. */
public enum SocketKind {
  NIO(NioDatagramChannel::new),
  EPOLL(EpollDatagramChannel::new);

  private final Supplier<DatagramChannel> socket;

  SocketKind(Supplier<DatagramChannel> socket) {
    this.socket = socket;
  }

  /** The best that this machine offers. */
  public static SocketKind best() {
    return Epoll.isAvailable() ? EPOLL : NIO;
  }

  /** Makes a socket, not yet registered. */
  public DatagramChannel newSocket() {
    return socket.get();
  }

  /** Event loops for such sockets; the caller shuts them down. */
  public EventLoopGroup newGroup(int loops) {
    IoHandlerFactory io = this == EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(loops, io);
  }
}
