package io.rtransport.netty;

import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.resolver.AddressResolverGroup;
import io.rtransport.netty.internal.io.BusyPollingIoHandler;
import io.rtransport.netty.internal.io.DrainingIoHandler;
import io.rtransport.netty.internal.server.EveryAddress;
import io.rtransport.netty.port.DatagramPort;
import io.rtransport.netty.port.PortFactory;
import io.rtransport.netty.port.SharedPorts;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Where a Netty user begins: channel factories for {@code Bootstrap} and {@code ServerBootstrap},
 * over the datagram sockets of any of Netty's transports.
 *
 * <pre>{@code
 * new ServerBootstrap()
 *     .group(group)
 *     .channelFactory(RtChannels.server(NioDatagramChannel::new))
 *     .childHandler(…)
 *     .bind(7400);
 * new Bootstrap()
 *     .group(group)
 *     .channelFactory(RtChannels.client(NioDatagramChannel::new))
 *     .handler(…)
 *     .connect("host", 7400);
 * }</pre>
 */
public final class RtChannels {
  private static final Duration POLL_MIN = Duration.ofNanos(1_000);
  private static final Duration POLL_MAX = Duration.ofSeconds(1);

  private RtChannels() {}

  /** Server channels over sockets that {@code sockets} makes, one a bind. */
  public static ChannelFactory<RtServerChannel> server(
      Supplier<? extends DatagramChannel> sockets) {
    return server(DatagramPort.factory(sockets));
  }

  /** Client channels over sockets that {@code sockets} makes, one a connection. */
  public static ChannelFactory<RtChannel> client(Supplier<? extends DatagramChannel> sockets) {
    return client(DatagramPort.factory(sockets));
  }

  /**
   * Client channels of which all on one event loop share a socket: for thousands of connections, of
   * which each would cost a file descriptor, and a good kilobyte of heap. Those share that this one
   * factory made, with the same {@code localAddress} (port 0 too, or none) and the same socket
   * options; the socket closes with the last of them. What differs from {@link #client}: the system
   * does not say of such a socket that nobody listens at the peer's address, so {@code connect}
   * fails by its timeout then, and a peer that is gone is noticed by its silence; and {@code
   * localAddress()} names the wildcard unless the channel was bound to an address. A server on
   * several event loops sees one port, so that all channels of a client's loop live on one of its
   * loops. A {@code localAddress} with a port other than 0 is for clients of one event loop: the
   * bind of another's fails, or with SO_REUSEADDR takes the first one's datagrams away.
   */
  public static ChannelFactory<RtChannel> clientsOfOnePort(
      Supplier<? extends DatagramChannel> sockets) {
    return client(new SharedPorts(DatagramPort.factory(sockets)));
  }

  /** Server channels over ports of another kind. */
  public static ChannelFactory<RtServerChannel> server(PortFactory ports) {
    return () -> new DefaultRtServerChannel(ports);
  }

  /** Client channels over ports of another kind. */
  public static ChannelFactory<RtChannel> client(PortFactory ports) {
    return () -> new DefaultRtChannel(ports);
  }

  /**
   * A resolver for a client's {@code Bootstrap} with which {@code connect} tries all addresses of a
   * name, one after another in the resolver's order, until one answers. Each has its equal part of
   * what is left of CONNECT_TIMEOUT_MILLIS. If all fail the promise has the last one's failure, and
   * the others' as suppressed exceptions. Without it Netty gives a channel the first address only.
   * A channel that was bound before tries the first only too.
   *
   * @param names resolves, as {@code DefaultAddressResolverGroup.INSTANCE} does; stays its owner's
   */
  public static AddressResolverGroup<InetSocketAddress> everyAddress(
      AddressResolverGroup<InetSocketAddress> names) {
    return new EveryAddress.ResolverGroup(names);
  }

  /**
   * A child group that puts each accepted channel on the event loop that its connection came in on,
   * and everything else where {@code group} would. (An accepted channel goes there whatever its
   * child group; this says so in the bootstrap.)
   */
  public static EventLoopGroup onReceivingLoop(EventLoopGroup group) {
    return new ReceivingLoopGroup(group);
  }

  /**
   * io_uring's event loops, for channels of any kind over io_uring: as {@code
   * IoUringIoHandler.newFactory()} gives, but what they free as they end the kernel writes to no
   * more. Of Netty's own (4.2.18) it still may, which on a busy machine overwrites what has taken
   * its place. For that such a loop waits, without a limit, for what its channels had asked of the
   * kernel. Give it a quiet period above 0. Its {@code isIoType} is false for {@code
   * IoUringIoHandler}.
   *
   * @throws UnsatisfiedLinkError where there is no io_uring ({@code IoUring.isAvailable()})
   */
  public static IoHandlerFactory ioUring() {
    return DrainingIoHandler.factory(IoUringIoHandler.newFactory());
  }

  /** The same, with rings as {@code config} says. */
  public static IoHandlerFactory ioUring(IoUringIoHandlerConfig config) {
    return DrainingIoHandler.factory(IoUringIoHandler.newFactory(config));
  }

  /**
   * Event loops that never sleep: {@code new MultiThreadIoEventLoopGroup(1,
   * RtChannels.busyPolling(EpollIoHandler.newFactory()))}. Each asks for datagrams, tasks and
   * timers again and again, so none of them waits for the kernel to wake a thread, which takes
   * longer than all the rest of a round trip on one host. The price is a processor for each loop,
   * whether it has work or not. A loop that has found nothing for some tens of microseconds lets
   * other threads run between two turns, so more loops than processors go on, but they wait for
   * each other and gain nothing.
   *
   * <p>Any kind of channel may be registered there that could be without; {@code isIoType} of such
   * a loop is false for the wrapped handler's type.
   *
   * @param handlers of NIO, epoll, io_uring ({@link #ioUring}), or another whose handlers heed
   *     {@code IoHandlerContext.canBlock()}
   */
  public static IoHandlerFactory busyPolling(IoHandlerFactory handlers) {
    Objects.requireNonNull(handlers, "handlers");
    return BusyPollingIoHandler.factory(handlers, BusyPollingIoHandler.FOREVER);
  }

  /**
   * The same, except that a loop that has found nothing for {@code poll} sleeps until there is
   * something. So an answer that comes within that time wakes nobody, and an idle connection costs
   * nothing.
   *
   * @param poll 1 µs..1 s; somewhat above the round trip
   */
  public static IoHandlerFactory busyPolling(IoHandlerFactory handlers, Duration poll) {
    Objects.requireNonNull(handlers, "handlers");
    Objects.requireNonNull(poll, "poll");
    if (poll.compareTo(POLL_MIN) < 0 || poll.compareTo(POLL_MAX) > 0) {
      throw new IllegalArgumentException("poll=" + poll + ", valid: " + POLL_MIN + ".." + POLL_MAX);
    }
    return BusyPollingIoHandler.factory(handlers, poll.toNanos());
  }
}
