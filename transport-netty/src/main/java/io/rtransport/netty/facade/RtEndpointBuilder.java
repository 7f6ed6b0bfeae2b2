package io.rtransport.netty.facade;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.DefaultAddressResolverGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rtransport.core.connection.ConnectionConfig;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.port.DatagramPort;
import io.rtransport.netty.port.PortFactory;
import io.rtransport.netty.port.SharedPorts;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Settings of an {@link RtEndpoint} before it is opened. For one thread at a time. */
public final class RtEndpointBuilder {
  private EventLoopGroup shared;
  private PortFactory sharedPorts;
  private int threads = 1;
  private int receiveLoops = 1;
  private boolean isNio;
  private boolean isPortShared;
  private UnaryOperator<IoHandlerFactory> polling = UnaryOperator.identity();
  private AddressResolverGroup<InetSocketAddress> names =
      RtChannels.everyAddress(DefaultAddressResolverGroup.INSTANCE);
  private ConnectionConfig handshake;
  private Consumer<RtChannel> channelSettings = channel -> {};

  RtEndpointBuilder() {}

  /**
   * Shares event loops that are the caller's, who shuts them down after the endpoint.
   *
   * @param sockets makes sockets to go with the group's {@code IoHandler}, such as {@code
   *     NioDatagramChannel::new}
   */
  public RtEndpointBuilder group(
      EventLoopGroup group, Supplier<? extends DatagramChannel> sockets) {
    Objects.requireNonNull(group, "group");
    return ports(group, DatagramPort.factory(Objects.requireNonNull(sockets, "sockets")));
  }

  /** For tests: ports over no sockets. */
  RtEndpointBuilder ports(EventLoopGroup group, PortFactory ports) {
    this.shared = group;
    this.sharedPorts = ports;
    return this;
  }

  /**
   * Event loops of the endpoint's own, at least 1; default 1. Each connection lives on one; those
   * of a listener on the same, or on {@link #receiveLoops} of them.
   */
  public RtEndpointBuilder threads(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("threads=" + count + ", valid: at least 1");
    }
    this.threads = count;
    return this;
  }

  /**
   * On how many of the event loops each listener receives: {@link
   * io.rtransport.netty.RtChannelOption#RECEIVE_LOOPS}; default 1. {@code listen} fails where there
   * are fewer loops, or sockets cannot share a port.
   */
  public RtEndpointBuilder receiveLoops(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("receiveLoops=" + count + ", valid: at least 1");
    }
    this.receiveLoops = count;
    return this;
  }

  /**
   * NIO for the endpoint's own event loops though there be epoll: no native library, and timers of
   * a millisecond's grain.
   */
  public RtEndpointBuilder nio() {
    this.isNio = true;
    return this;
  }

  /**
   * One socket for all connections that the endpoint makes on an event loop, rather than one each,
   * for thousands of them: {@link RtChannels#clientsOfOnePort}, which says what is different then.
   * It is bound to every address of the host, and answers whoever sends there as a listener does
   * that accepts nobody.
   */
  public RtEndpointBuilder sharedPort() {
    this.isPortShared = true;
    return this;
  }

  /**
   * Event loops of the endpoint's own that never sleep, each of which takes a processor: {@link
   * RtChannels#busyPolling(IoHandlerFactory)}.
   */
  public RtEndpointBuilder busyPoll() {
    this.polling = RtChannels::busyPolling;
    return this;
  }

  /**
   * Event loops of the endpoint's own that sleep only when they have found nothing for {@code
   * poll}: {@link RtChannels#busyPolling(IoHandlerFactory, Duration)}.
   */
  public RtEndpointBuilder busyPoll(Duration poll) {
    RtChannels.busyPolling(NioIoHandler.newFactory(), poll); // which says now what is wrong with it
    this.polling = handlers -> RtChannels.busyPolling(handlers, poll);
    return this;
  }

  /**
   * What connections offer in the handshake. Its connect timeout does not count; the channel's
   * option does.
   */
  public RtEndpointBuilder handshake(ConnectionConfig config) {
    this.handshake = Objects.requireNonNull(config, "config");
    return this;
  }

  /**
   * Sets up each connection's channel before it is used, on its event loop: options such as {@code
   * PAYLOAD_SINKS}, handlers of the application's own. {@code ACKNOWLEDGE} and {@code
   * WRITE_COMPLETES} are the facade's and stay {@code EXPLICIT} and {@code COMPLETED}.
   */
  public RtEndpointBuilder channels(Consumer<RtChannel> settings) {
    this.channelSettings = Objects.requireNonNull(settings, "settings");
    return this;
  }

  /** For tests. */
  RtEndpointBuilder names(AddressResolverGroup<InetSocketAddress> resolvers) {
    this.names = resolvers;
    return this;
  }

  /** Opens it. */
  public RtEndpoint open() {
    return new RtEndpoint(this);
  }

  boolean isOwner() {
    return shared == null;
  }

  EventLoopGroup loops() {
    if (shared != null) {
      return shared;
    }
    IoHandlerFactory handlers = isEpoll() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory("rt-endpoint"), polling.apply(handlers));
  }

  PortFactory ports() {
    if (shared != null) {
      return sharedPorts;
    }
    return DatagramPort.factory(isEpoll() ? EpollDatagramChannel::new : NioDatagramChannel::new);
  }

  /** What connections are made over. */
  PortFactory clientPorts() {
    return isPortShared ? new SharedPorts(ports()) : ports();
  }

  private boolean isEpoll() {
    return !isNio && Epoll.isAvailable();
  }

  AddressResolverGroup<InetSocketAddress> names() {
    return names;
  }

  int receiveLoopCount() {
    return receiveLoops;
  }

  /** Null for the defaults. */
  ConnectionConfig handshake() {
    return handshake;
  }

  Consumer<RtChannel> channelSettings() {
    return channelSettings;
  }
}
