package io.rtransport.loadgen.transceiver;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import io.rtransport.command.SocketKind;
import io.rtransport.loadgen.workload.IntegrityCounts;
import io.rtransport.loadgen.workload.Session;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Raw UDP as the lower bound: only numbers, checksums and a window that keeps socket buffers from
 * overflowing. A message that fits is one datagram. A longer one is several, each numbered and
 * verified. Nothing is resent. With epoll it uses sendmmsg and recvmmsg. With offload it also uses
 * GSO sends and GRO reads, whose buffers are split by the length in each datagram's header (Netty
 * 4.2.18 loses the segment size when GRO meets recvmmsg).
 */
final class UdpTransceiver implements Transceiver {
  /** Default without `--mtu`: fits Ethernet. */
  static final int MTU_BYTES_DEFAULT = 1_400;

  private static final int SOCKET_BUFFER_BYTES = 4 << 20;
  private static final int DATAGRAM_BYTES_MAX = 65_535;
  private static final int READ_DATAGRAMS = 64;
  private static final int READ_SUPER_DATAGRAMS = 8;

  /** Datagrams read before acknowledgements go out: one eighth of the default window. */
  private static final int READ_BATCH_DATAGRAMS = 128;

  private final TransceiverSettings settings;
  private final boolean offload;
  private final int mtuBytes;
  private final Ledger ledger = new Ledger();
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  UdpTransceiver(TransceiverSettings settings, boolean offload) {
    this.settings = settings;
    this.offload = offload;
    this.mtuBytes = settings.mtuBytes() == 0 ? MTU_BYTES_DEFAULT : settings.mtuBytes();
  }

  @Override
  public EventLoopGroup loops(int threads) {
    return Sockets.loops(settings, threads);
  }

  @Override
  public List<InetSocketAddress> listen(EventLoopGroup group, InetSocketAddress at)
      throws Exception {
    InetSocketAddress bound = at;
    int sockets = 1;
    if (settings.io() == SocketKind.EPOLL) {
      for (var ignored : group) {
        sockets++;
      }
      sockets--;
    }
    for (int i = 0; i < sockets; i++) {
      Bootstrap bootstrap =
          bootstrap(counter -> new UdpServerHandler(settings, mtuBytes, offload, ledger, counter));
      if (settings.io() == SocketKind.EPOLL) {
        bootstrap.option(UnixChannelOption.SO_REUSEPORT, true);
      }
      Channel channel = bootstrap.group(group.next()).bind(bound).sync().channel();
      bound = (InetSocketAddress) channel.localAddress();
    }
    return List.of(bound);
  }

  @Override
  public Future<Session> connect(
      EventLoop loop, List<InetSocketAddress> targets, int connection, Session.Listener listener) {
    InetSocketAddress to = targets.get(0);
    Promise<Session> connected = loop.newPromise();
    bootstrap(
            counter ->
                new UdpSession(settings, mtuBytes, offload, counter, to, listener, connected))
        .group(loop)
        .connect(to)
        .addListener(
            done -> {
              if (!done.isSuccess()) {
                connected.tryFailure(done.cause());
              }
            });
    return connected;
  }

  private Bootstrap bootstrap(Function<WorkCounter, ChannelHandler> handler) {
    Bootstrap bootstrap =
        new Bootstrap()
            .channelFactory(settings.io()::newSocket)
            .option(ChannelOption.SO_SNDBUF, SOCKET_BUFFER_BYTES)
            .option(ChannelOption.SO_RCVBUF, SOCKET_BUFFER_BYTES)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channels.add(channel);
                    WorkCounter counter = ledger.open(channel.eventLoop());
                    channel
                        .config()
                        .setRecvByteBufAllocator(
                            new CountingRecvAllocator(readAllocator(), counter));
                    channel.pipeline().addLast(handler.apply(counter));
                  }
                });
    if (settings.io() == SocketKind.EPOLL) {
      bootstrap.option(
          EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, offload ? DATAGRAM_BYTES_MAX : mtuBytes);
      if (offload) {
        bootstrap.option(EpollChannelOption.UDP_GRO, true);
      }
    }
    return bootstrap;
  }

  private FixedRecvByteBufAllocator readAllocator() {
    int bytes = DATAGRAM_BYTES_MAX;
    if (settings.io() == SocketKind.EPOLL) {
      bytes = offload ? READ_SUPER_DATAGRAMS * DATAGRAM_BYTES_MAX : READ_DATAGRAMS * mtuBytes;
    }
    FixedRecvByteBufAllocator allocator = new FixedRecvByteBufAllocator(bytes);
    allocator.maxMessagesPerRead(READ_BATCH_DATAGRAMS);
    return allocator;
  }

  @Override
  public IntegrityCounts received() throws Exception {
    return ledger.received();
  }

  @Override
  public TransferCounts transferCounts() throws Exception {
    return ledger.transferCounts(true);
  }

  @Override
  public Map<String, Object> details() {
    return Map.of("mtu", mtuBytes, "gso", offload);
  }

  @Override
  public void close() {
    channels.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
  }
}
