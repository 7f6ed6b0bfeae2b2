package io.rtransport.loadgen.transceiver;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import io.rtransport.loadgen.workload.IntegrityCounts;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.Session;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * TCP set up for speed as by a Netty user: TCP_NODELAY, one write for each message, and one
 * gathering call for each flush. Large bodies go by reference. Reads take up to 256 KiB. The
 * application sends one acknowledgement for each read batch, written with other output.
 * Back-pressure is Netty's writability. Packed, it is the most that TCP can do for small messages,
 * for an application that batches by itself.
 */
final class TcpTransceiver implements Transceiver {
  /**
   * About the best amount in flight, as measured on two cores. Above it every copy misses the
   * cache.
   */
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(256 << 10, 512 << 10);

  /**
   * The kernel doubles it. Without a setting it grows to 32 MiB on loopback, and messages queue
   * there for a tenth of a second.
   */
  private static final int SOCKET_BUFFER_BYTES = 512 << 10;

  private static final int READ_BYTES_MAX = 256 << 10;

  private final TransceiverSettings settings;
  private final boolean isPacked;
  private final Ledger ledger = new Ledger();
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  /**
   * Creates the transport.
   *
   * @param isPacked whether small messages are copied together before the write
   */
  TcpTransceiver(TransceiverSettings settings, boolean isPacked) {
    this.settings = settings;
    this.isPacked = isPacked;
  }

  @Override
  public EventLoopGroup loops(int threads) {
    return Sockets.loops(settings, threads);
  }

  @Override
  public List<InetSocketAddress> listen(EventLoopGroup group, InetSocketAddress at)
      throws Exception {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channel(Sockets.serverSocketChannel(settings.io()))
            .option(ChannelOption.SO_BACKLOG, 4_096)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    WorkCounter counter = prepare(channel);
                    channel
                        .pipeline()
                        .addLast(
                            new TcpServerHandler(settings.op(), contents(), counter, isPacked));
                  }
                });
    Channel server = bootstrap.bind(at).sync().channel();
    channels.add(server);
    return List.of((InetSocketAddress) server.localAddress());
  }

  @Override
  public Future<Session> connect(
      EventLoop loop, List<InetSocketAddress> targets, int connection, Session.Listener listener) {
    InetSocketAddress to = targets.get(0);
    Promise<Session> connected = loop.newPromise();
    MessageContents contents = contents();
    new Bootstrap()
        .group(loop)
        .channel(Sockets.socketChannel(settings.io()))
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 5_000)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                WorkCounter counter = prepare(channel);
                channel
                    .pipeline()
                    .addLast(
                        new TcpSession(
                            settings.op(), contents, counter, listener, connected, isPacked));
              }
            })
        .connect(to)
        .addListener(
            done -> {
              if (!done.isSuccess()) {
                connected.tryFailure(done.cause());
              }
            });
    return connected;
  }

  private WorkCounter prepare(Channel channel) {
    channels.add(channel);
    channel.config().setOption(ChannelOption.SO_SNDBUF, SOCKET_BUFFER_BYTES);
    channel.config().setOption(ChannelOption.SO_RCVBUF, SOCKET_BUFFER_BYTES);
    WorkCounter counter = ledger.open(channel.eventLoop());
    channel
        .config()
        .setRecvByteBufAllocator(
            new CountingRecvAllocator(
                new AdaptiveRecvByteBufAllocator(2_048, 64 << 10, READ_BYTES_MAX), counter));
    return counter;
  }

  private MessageContents contents() {
    return new MessageContents(settings.seed(), settings.sizes().sizeBytesMax());
  }

  @Override
  public IntegrityCounts received() throws Exception {
    return ledger.received();
  }

  @Override
  public TransferCounts transferCounts() throws Exception {
    return ledger.transferCounts(false);
  }

  @Override
  public Map<String, Object> details() {
    return Map.of();
  }

  @Override
  public void close() {
    channels.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
  }
}
