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
import io.rtransport.core.parameter.ConnectionConfig;
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
   * Makes the endpoint use event loops of the caller, who shuts them down after the endpoint.
   *
   * @param sockets makes sockets that fit the group's {@code IoHandler}, such as {@code
   *     NioDatagramChannel::new}
   */
  public RtEndpointBuilder group(
      EventLoopGroup group, Supplier<? extends DatagramChannel> sockets) {
    Objects.requireNonNull(group, "group");
    return ports(group, DatagramPort.factory(Objects.requireNonNull(sockets, "sockets")));
  }

  /** Sets ports without sockets, for tests. */
  RtEndpointBuilder ports(EventLoopGroup group, PortFactory ports) {
    this.shared = group;
    this.sharedPorts = ports;
    return this;
  }

  /**
   * Sets the number of the endpoint's own event loops, at least 1; default 1. Each connection lives
   * on one loop. The connections of a listener live on one and the same loop, or on {@link
   * #receiveLoops} of them.
   */
  public RtEndpointBuilder threads(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("threads=" + count + ", valid: at least 1");
    }
    this.threads = count;
    return this;
  }

  /**
   * Sets the number of event loops on which each listener receives: {@link
   * io.rtransport.netty.RtChannelOption#RECEIVE_LOOPS}; default 1. {@code listen} fails if there
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
   * Uses NIO for the endpoint's own event loops even if epoll is available. NIO needs no native
   * library, and its timers have a resolution of one millisecond.
   */
  public RtEndpointBuilder nio() {
    this.isNio = true;
    return this;
  }

  /**
   * Uses one socket on each event loop for all connections that the endpoint makes there, instead
   * of one socket each. It is for thousands of connections; {@link RtChannels#clientsOfOnePort}
   * says how such connections differ. The socket is bound to every address of the host. It answers
   * strangers as a listener does that accepts nobody.
   */
  public RtEndpointBuilder sharedPort() {
    this.isPortShared = true;
    return this;
  }

  /**
   * Makes the endpoint's own event loops never sleep; each then takes a processor: {@link
   * RtChannels#busyPolling(IoHandlerFactory)}.
   */
  public RtEndpointBuilder busyPoll() {
    this.polling = RtChannels::busyPolling;
    return this;
  }

  /**
   * Makes the endpoint's own event loops sleep only after they have found nothing for {@code poll}:
   * {@link RtChannels#busyPolling(IoHandlerFactory, Duration)}.
   */
  public RtEndpointBuilder busyPoll(Duration poll) {
    RtChannels.busyPolling(NioIoHandler.newFactory(), poll); // refuses a bad value now
    this.polling = handlers -> RtChannels.busyPolling(handlers, poll);
    return this;
  }

  /**
   * Sets the offer of the handshake. Its connect timeout does not count; the channel's option does.
   */
  public RtEndpointBuilder handshake(ConnectionConfig config) {
    this.handshake = Objects.requireNonNull(config, "config");
    return this;
  }

  /**
   * Sets up each connection's channel before it is used, on its event loop: options such as {@code
   * PAYLOAD_SINKS}, and the application's own handlers. {@code ACKNOWLEDGE} and {@code
   * WRITE_COMPLETES} belong to the facade and stay {@code EXPLICIT} and {@code COMPLETED}.
   */
  public RtEndpointBuilder channels(Consumer<RtChannel> settings) {
    this.channelSettings = Objects.requireNonNull(settings, "settings");
    return this;
  }

  /** Sets the resolvers, for tests. */
  RtEndpointBuilder names(AddressResolverGroup<InetSocketAddress> resolvers) {
    this.names = resolvers;
    return this;
  }

  /** Opens the endpoint. */
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

  /** Returns the factory of the ports that connections are made over. */
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

  /** Returns the offer of the handshake; null for the defaults. */
  ConnectionConfig handshake() {
    return handshake;
  }

  Consumer<RtChannel> channelSettings() {
    return channelSettings;
  }
}
