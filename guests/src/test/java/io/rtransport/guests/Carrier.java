package io.rtransport.guests;

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

/** What carries a guest's bytes: TCP, which is how it should go, and RT. */
enum Carrier {
  TCP_NIO(NioIoHandler::newFactory, () -> NioServerSocketChannel::new, () -> NioSocketChannel::new),
  TCP_EPOLL(
      EpollIoHandler::newFactory,
      () -> EpollServerSocketChannel::new,
      () -> EpollSocketChannel::new),
  RT_NIO(
      NioIoHandler::newFactory,
      () -> RtChannels.server(NioDatagramChannel::new),
      () -> RtChannels.client(NioDatagramChannel::new)),
  RT_EPOLL(
      EpollIoHandler::newFactory,
      () -> RtChannels.server(EpollDatagramChannel::new),
      () -> RtChannels.client(EpollDatagramChannel::new));

  private final Supplier<IoHandlerFactory> handlers;
  private final Supplier<ChannelFactory<? extends ServerChannel>> servers;
  private final Supplier<ChannelFactory<? extends Channel>> clients;

  Carrier(
      Supplier<IoHandlerFactory> handlers,
      Supplier<ChannelFactory<? extends ServerChannel>> servers,
      Supplier<ChannelFactory<? extends Channel>> clients) {
    this.handlers = handlers;
    this.servers = servers;
    this.clients = clients;
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
