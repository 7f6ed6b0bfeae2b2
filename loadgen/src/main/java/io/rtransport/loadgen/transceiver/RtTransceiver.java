package io.rtransport.loadgen.transceiver;

import io.netty.bootstrap.AbstractBootstrap;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.loadgen.impair.Impairment;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.IntegrityCounts;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.Session;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelOption;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.RtRail;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * RT through its channels, as a Netty user would use it. Pushes and echoes are bare buffers, and
 * pulls are {@code Pull}. The application acknowledges by default, when {@code channelRead} has
 * returned.
 */
final class RtTransceiver implements Transceiver {
  /**
   * For messages that wait for grants, as docs/guide/back-pressure.md advises. Other messages have
   * the channel's default.
   */
  private static final WriteBufferWaterMark FOR_SOLICITED_MESSAGES =
      new WriteBufferWaterMark(1 << 20, 2 << 20);

  private static final int SOLICIT_THRESHOLD_BYTES =
      ConnectionConfig.builder().build().solicitThresholdBytes();

  private final TransceiverSettings settings;
  private final Ledger ledger = new Ledger();
  private final RtChannelCounts counts = new RtChannelCounts();
  private final ReceiverFaults receiverFaults;
  private final Map<EventLoop, MessageContents> contents = new ConcurrentHashMap<>();
  private final ChannelFactory<RtChannel> clients;
  private Channel server;

  /** Address where shared sockets are bound; null before the first. */
  private volatile InetAddress sharedAt;

  RtTransceiver(TransceiverSettings settings) {
    this.settings = settings;
    Impairment impairment = settings.receiverImpairment();
    clients =
        settings.sharedPort()
            ? RtChannels.clientsOfOnePort(settings.io()::newSocket)
            : RtChannels.client(settings.io()::newSocket);
    RtOptions.raiseBudget(settings);
    receiverFaults = impairment == null ? null : new ReceiverFaults(impairment, settings.seed());
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
            .channelFactory(RtChannels.server(settings.io()::newSocket));
    if (areMessagesSolicited()) {
      bootstrap.childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, FOR_SOLICITED_MESSAGES);
    }
    handshake(bootstrap)
        .option(RtChannelOption.RECEIVE_LOOPS, loopCount(group))
        .childOption(RtChannelOption.MAX_BUFFERED_MESSAGE, settings.sizes().sizeBytesMax())
        .childHandler(
            new ChannelInitializer<RtChannel>() {
              @Override
              protected void initChannel(RtChannel channel) {
                counts.addSharing(channel);
                impair(channel);
                WorkCounter counter = ledger.open(channel.eventLoop());
                channel
                    .pipeline()
                    .addLast(new RtServerHandler(settings.op(), contents(channel), counter));
              }
            });
    server = bootstrap.bind(at).sync().channel();
    return List.of((InetSocketAddress) server.localAddress());
  }

  /** Returns the address of this host from which the system would send to {@code to}. */
  private static InetAddress wayTo(InetSocketAddress to) throws IOException {
    try (DatagramSocket probe = new DatagramSocket()) {
      probe.connect(to);
      return probe.getLocalAddress();
    }
  }

  @Override
  public Future<Session> connect(
      EventLoop loop, List<InetSocketAddress> targets, int connection, Session.Listener listener) {
    InetSocketAddress to = targets.get(0);
    Promise<Session> connected = loop.newPromise();
    Bootstrap bootstrap = new Bootstrap().group(loop).channelFactory(clients);
    if (settings.sharedPort()) { // otherwise it would listen on every address
      try {
        sharedAt = sharedAt == null ? wayTo(to) : sharedAt;
        bootstrap.localAddress(sharedAt, 0);
      } catch (IOException e) {
        return loop.newFailedFuture(e);
      }
    }
    if (areMessagesSolicited()) {
      bootstrap.option(ChannelOption.WRITE_BUFFER_WATER_MARK, FOR_SOLICITED_MESSAGES);
    }
    handshake(bootstrap)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, RtOptions.CONNECT_TIMEOUT_MILLIS)
        .option(RtChannelOption.MAX_BUFFERED_MESSAGE, settings.sizes().sizeBytesMax())
        .option(
            RtChannelOption.RAILS,
            targets.subList(1, targets.size()).stream().map(RtRail::to).toList())
        .option(
            RtChannelOption.WRITE_COMPLETES,
            RtChannelOption.WriteCompletes.valueOf(settings.completion().name()))
        .handler(
            new ChannelInitializer<RtChannel>() {
              @Override
              protected void initChannel(RtChannel channel) {
                if (settings.sharedPort()) {
                  counts.addSharing(channel);
                } else {
                  counts.addConnected(channel);
                }
                impair(channel);
                WorkCounter counter = ledger.open(channel.eventLoop());
                channel
                    .pipeline()
                    .addLast(
                        new RtSession(settings, contents(channel), counter, listener, connected));
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

  /**
   * Returns whether some messages ask before they are sent. Neither side changes which ones do.
   * Water marks do not count pulled bytes.
   */
  private boolean areMessagesSolicited() {
    return settings.op() != Op.PULL && settings.sizes().sizeBytesMax() > SOLICIT_THRESHOLD_BYTES;
  }

  private static int loopCount(EventLoopGroup group) {
    int count = 0;
    for (EventExecutor loop : group) {
      count++;
    }
    return count;
  }

  private <B extends AbstractBootstrap<B, ?>> B handshake(B bootstrap) {
    RtOptions.apply(settings, bootstrap::option);
    return bootstrap;
  }

  private void impair(RtChannel channel) {
    if (receiverFaults != null) {
      receiverFaults.addTo(channel);
    }
  }

  /** Returns the contents for all connections of an event loop. */
  private MessageContents contents(RtChannel channel) {
    return contents.computeIfAbsent(
        channel.eventLoop(),
        loop -> new MessageContents(settings.seed(), settings.sizes().sizeBytesMax()));
  }

  @Override
  public IntegrityCounts received() throws Exception {
    return ledger.received();
  }

  @Override
  public TransferCounts transferCounts() throws Exception {
    return counts.transferCounts();
  }

  @Override
  public Map<String, Object> details() throws Exception {
    Map<String, Object> details = counts.details(RtOptions.isSegmenting(settings));
    if (receiverFaults != null) {
      details.put("impairmentCounts", receiverFaults.counts());
    }
    details.put("railHealth", RtOptions.railHealths());
    return details;
  }

  @Override
  public void close() {
    counts.close();
    if (server != null) {
      server.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    }
  }
}
