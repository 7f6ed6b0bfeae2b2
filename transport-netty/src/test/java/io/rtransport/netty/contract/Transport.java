package io.rtransport.netty.contract;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.rtransport.netty.RtChannels;
import java.util.function.Supplier;

/**
 * What every contract test runs over: Netty's own TCP channels, whose behaviour is the reference,
 * and RT's.
 */
enum Transport {
  TCP_NIO(
      false,
      NioIoHandler::newFactory,
      () -> NioServerSocketChannel::new,
      () -> NioSocketChannel::new),
  TCP_EPOLL(
      false,
      EpollIoHandler::newFactory,
      () -> EpollServerSocketChannel::new,
      () -> EpollSocketChannel::new),
  RT_NIO(
      true,
      NioIoHandler::newFactory,
      () -> RtChannels.server(NioDatagramChannel::new),
      () -> RtChannels.client(NioDatagramChannel::new)),
  RT_EPOLL(
      true,
      EpollIoHandler::newFactory,
      () -> RtChannels.server(EpollDatagramChannel::new),
      () -> RtChannels.client(EpollDatagramChannel::new));

  private final boolean isRt;
  private final Supplier<IoHandlerFactory> handlers;
  private final Supplier<ChannelFactory<? extends ServerChannel>> servers;
  private final Supplier<ChannelFactory<? extends Channel>> clients;

  Transport(
      boolean isRt,
      Supplier<IoHandlerFactory> handlers,
      Supplier<ChannelFactory<? extends ServerChannel>> servers,
      Supplier<ChannelFactory<? extends Channel>> clients) {
    this.isRt = isRt;
    this.handlers = handlers;
    this.servers = servers;
    this.clients = clients;
  }

  boolean isRt() {
    return isRt;
  }

  IoHandlerFactory handlers() {
    return handlers.get();
  }

  ChannelFactory<? extends ServerChannel> servers() {
    return servers.get();
  }

  ChannelFactory<? extends Channel> clients() {
    return clients.get();
  }
}
