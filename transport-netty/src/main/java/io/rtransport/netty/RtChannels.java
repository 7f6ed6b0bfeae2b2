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
 * Factories for RT's channels, for {@code Bootstrap} and {@code ServerBootstrap}. A Netty user
 * begins here. The channels run over the datagram sockets of any of Netty's transports.
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

  /** Returns a factory of server channels. {@code sockets} makes one socket for each bind. */
  public static ChannelFactory<RtServerChannel> server(
      Supplier<? extends DatagramChannel> sockets) {
    return server(DatagramPort.factory(sockets));
  }

  /** Returns a factory of client channels. {@code sockets} makes one socket for each connection. */
  public static ChannelFactory<RtChannel> client(Supplier<? extends DatagramChannel> sockets) {
    return client(DatagramPort.factory(sockets));
  }

  /**
   * Returns a factory of client channels that share one socket on each event loop. It is for
   * thousands of connections: a socket for each would cost a file descriptor and a good kilobyte of
   * heap. Two channels share a socket if this factory made both, on one event loop, with the same
   * {@code localAddress} (port 0 or none included) and the same socket options. The socket closes
   * with the last of them.
   *
   * <p>These channels differ from those of {@link #client} in four points:
   *
   * <ul>
   *   <li>The system does not report that nobody listens at the peer's address. Then {@code
   *       connect} fails by its timeout, and only silence shows that a peer is gone.
   *   <li>{@code localAddress()} names the wildcard unless the channel was bound to an address.
   *   <li>A server on several event loops sees one port. So all channels of a client's loop live on
   *       one of the server's loops.
   *   <li>A {@code localAddress} with a port other than 0 is for clients of one event loop. The
   *       bind of a second loop fails, or with SO_REUSEADDR takes the datagrams of the first loop
   *       away.
   * </ul>
   */
  public static ChannelFactory<RtChannel> clientsOfOnePort(
      Supplier<? extends DatagramChannel> sockets) {
    return client(new SharedPorts(DatagramPort.factory(sockets)));
  }

  /** Returns a factory of server channels over ports that {@code ports} makes. */
  public static ChannelFactory<RtServerChannel> server(PortFactory ports) {
    return () -> new DefaultRtServerChannel(ports);
  }

  /** Returns a factory of client channels over ports that {@code ports} makes. */
  public static ChannelFactory<RtChannel> client(PortFactory ports) {
    return () -> new DefaultRtChannel(ports);
  }

  /**
   * Returns a resolver for a client's {@code Bootstrap} that makes {@code connect} try all
   * addresses of a name. Without it Netty gives a channel the first address only. The addresses are
   * tried one after another, in the order of {@code names}, until one answers. Each address gets an
   * equal part of the time that is left of CONNECT_TIMEOUT_MILLIS. If all fail, the promise has the
   * last failure, with the others as suppressed exceptions. A channel that was bound before tries
   * the first address only.
   *
   * @param names resolves names, as {@code DefaultAddressResolverGroup.INSTANCE} does; its owner
   *     closes it
   */
  public static AddressResolverGroup<InetSocketAddress> everyAddress(
      AddressResolverGroup<InetSocketAddress> names) {
    return new EveryAddress.ResolverGroup(names);
  }

  /**
   * Returns a child group that puts each accepted channel on the event loop that received its
   * connection. It puts everything else where {@code group} would. (An accepted channel goes to
   * that loop with any child group; this group makes it visible in the bootstrap.)
   */
  public static EventLoopGroup onReceivingLoop(EventLoopGroup group) {
    return new ReceivingLoopGroup(group);
  }

  /**
   * Returns the factory of io_uring's event loops, for channels of any kind over io_uring. The
   * loops differ from those of {@code IoUringIoHandler.newFactory()} in one point: the kernel never
   * writes to memory that such a loop freed at its end. With Netty's own loops (4.2.18) the kernel
   * may still do so, and on a busy machine it then overwrites what has taken that memory. A loop of
   * this factory therefore waits at its end, without a limit, for all that its channels had asked
   * of the kernel. Give the group a quiet period above 0. The loop's {@code isIoType} is false for
   * {@code IoUringIoHandler}.
   *
   * @throws UnsatisfiedLinkError if there is no io_uring ({@code IoUring.isAvailable()})
   */
  public static IoHandlerFactory ioUring() {
    return DrainingIoHandler.factory(IoUringIoHandler.newFactory());
  }

  /** Does the same as {@link #ioUring()}, with rings as {@code config} says. */
  public static IoHandlerFactory ioUring(IoUringIoHandlerConfig config) {
    return DrainingIoHandler.factory(IoUringIoHandler.newFactory(config));
  }

  /**
   * Returns the factory of event loops that never sleep: {@code new MultiThreadIoEventLoopGroup(1,
   * RtChannels.busyPolling(EpollIoHandler.newFactory()))}. Each loop asks for datagrams, tasks and
   * timers again and again. So no loop waits for the kernel to wake a thread, which takes longer
   * than the rest of a round trip on one host. The price is one processor for each loop, with or
   * without work. A loop that has found nothing for some tens of microseconds lets other threads
   * run between two turns. So more loops than processors still go on, but they wait for each other
   * and gain nothing.
   *
   * <p>The loops take every kind of channel that the wrapped handlers take. {@code isIoType} of
   * such a loop is false for the wrapped handler's type.
   *
   * @param handlers of NIO, epoll, io_uring ({@link #ioUring}), or another transport whose handlers
   *     obey {@code IoHandlerContext.canBlock()}
   */
  public static IoHandlerFactory busyPolling(IoHandlerFactory handlers) {
    Objects.requireNonNull(handlers, "handlers");
    return BusyPollingIoHandler.factory(handlers, BusyPollingIoHandler.FOREVER);
  }

  /**
   * Does the same as {@link #busyPolling(IoHandlerFactory)}, but a loop that has found nothing for
   * {@code poll} sleeps until there is something. An answer that comes within that time wakes no
   * thread, and an idle connection costs nothing.
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
