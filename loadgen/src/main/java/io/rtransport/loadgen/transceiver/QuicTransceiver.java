package io.rtransport.loadgen.transceiver;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.handler.codec.quic.EpollQuicUtils;
import io.netty.handler.codec.quic.InsecureQuicTokenHandler;
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.codec.quic.QuicChannelBootstrap;
import io.netty.handler.codec.quic.QuicChannelOption;
import io.netty.handler.codec.quic.QuicClientCodecBuilder;
import io.netty.handler.codec.quic.QuicCodecBuilder;
import io.netty.handler.codec.quic.QuicConnectionStats;
import io.netty.handler.codec.quic.QuicServerCodecBuilder;
import io.netty.handler.codec.quic.QuicSslContext;
import io.netty.handler.codec.quic.QuicSslContextBuilder;
import io.netty.handler.codec.quic.QuicStreamType;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import io.rtransport.command.SocketKind;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Gso;
import io.rtransport.loadgen.workload.IntegrityCounts;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.Session;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * QUIC by Netty's codec (quiche), set up for speed as by a Netty user. Each connection has one
 * bidirectional stream, a byte stream that is used like TCP's. TLS has a certificate made for the
 * run, because QUIC has no plain mode. With epoll, datagrams are sent by GSO in runs. Back-pressure
 * is the stream's writability.
 */
final class QuicTransceiver implements Transceiver {
  /** Default without `--mtu`, as for raw UDP: fits Ethernet. */
  private static final int MTU_BYTES_DEFAULT = 1_400;

  private static final String PROTOCOL = "rt-load";

  /** As for the other transports over UDP. */
  private static final int READS_MAX = 128;

  private static final int SOCKET_BUFFER_BYTES = 4 << 20;
  private static final int SEGMENTS_MAX = 44;
  private static final int DATAGRAM_BYTES_MAX = 65_507;
  private static final int READ_DATAGRAMS = 64;
  private static final int STREAM_READ_BYTES_MAX = 256 << 10;
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(256 << 10, 512 << 10);

  private final TransceiverSettings settings;
  private final int mtuBytes;
  private final boolean offload;
  private final Ledger ledger = new Ledger();
  private final ChannelGroup sockets = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final List<QuicChannel> connections = new CopyOnWriteArrayList<>();
  private QuicSslContext clientContext;

  QuicTransceiver(TransceiverSettings settings) {
    this.settings = settings;
    this.mtuBytes = settings.mtuBytes() == 0 ? MTU_BYTES_DEFAULT : settings.mtuBytes();
    this.offload =
        settings.io() == SocketKind.EPOLL
            && settings.gso() != Gso.OFF
            && EpollDatagramChannel.isSegmentedDatagramPacketSupported();
  }

  @Override
  public EventLoopGroup loops(int threads) {
    return Sockets.loops(settings, threads);
  }

  @Override
  public List<InetSocketAddress> listen(EventLoopGroup group, InetSocketAddress at)
      throws Exception {
    X509Bundle certificate =
        new CertificateBuilder()
            .subject("CN=localhost")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    QuicSslContext context =
        QuicSslContextBuilder.forServer(
                certificate.getKeyPair().getPrivate(), null, certificate.getCertificatePath())
            .applicationProtocols(PROTOCOL)
            .build();
    InetSocketAddress bound = at;
    int loops = 0;
    for (var ignored : group) {
      loops++;
    }
    // The kernel keeps a client that does not move on one of the sockets.
    int socketCount = settings.io() == SocketKind.EPOLL ? loops : 1;
    for (int i = 0; i < socketCount; i++) {
      QuicServerCodecBuilder codec =
          tuned(new QuicServerCodecBuilder(), context)
              .tokenHandler(InsecureQuicTokenHandler.INSTANCE)
              .streamOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
              .streamOption(ChannelOption.RECVBUF_ALLOCATOR, streamReads())
              .handler(
                  new ChannelInitializer<QuicChannel>() {
                    @Override
                    protected void initChannel(QuicChannel channel) {
                      connections.add(channel);
                    }
                  })
              .streamHandler(
                  new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel stream) {
                      WorkCounter counter = ledger.open(stream.eventLoop());
                      stream
                          .pipeline()
                          .addLast(new TcpServerHandler(settings.op(), contents(), counter, false));
                    }
                  });
      if (offload) {
        codec.option(
            QuicChannelOption.SEGMENTED_DATAGRAM_PACKET_ALLOCATOR,
            EpollQuicUtils.newSegmentedAllocator(segments()));
      }
      Bootstrap bootstrap = socket(codec.build()).group(group.next());
      if (socketCount > 1) {
        bootstrap.option(UnixChannelOption.SO_REUSEPORT, true);
      }
      Channel socket = bootstrap.bind(bound).sync().channel();
      sockets.add(socket);
      bound = (InetSocketAddress) socket.localAddress();
    }
    return List.of(bound);
  }

  @Override
  public Future<Session> connect(
      EventLoop loop, List<InetSocketAddress> targets, int connection, Session.Listener listener) {
    InetSocketAddress to = targets.get(0);
    Promise<Session> connected = loop.newPromise();
    ChannelHandler codec = tuned(new QuicClientCodecBuilder(), clientContext()).build();
    socket(codec)
        .group(loop)
        .bind(new InetSocketAddress(0))
        .addListener(
            (ChannelFuture bound) -> {
              if (bound.isSuccess()) {
                sockets.add(bound.channel());
                connect(bound.channel(), to, listener, connected);
              } else {
                connected.tryFailure(bound.cause());
              }
            });
    return connected;
  }

  private void connect(
      Channel socket, InetSocketAddress to, Session.Listener listener, Promise<Session> connected) {
    QuicChannelBootstrap bootstrap =
        QuicChannel.newBootstrap(socket)
            .streamHandler(new ChannelInboundHandlerAdapter())
            .remoteAddress(to);
    if (offload) {
      bootstrap.option(
          QuicChannelOption.SEGMENTED_DATAGRAM_PACKET_ALLOCATOR,
          EpollQuicUtils.newSegmentedAllocator(segments()));
    }
    bootstrap
        .connect()
        .addListener(
            (Future<QuicChannel> done) -> {
              if (done.isSuccess()) {
                connections.add(done.getNow());
                openStream(done.getNow(), listener, connected);
              } else {
                connected.tryFailure(done.cause());
              }
            });
  }

  private void openStream(
      QuicChannel connection, Session.Listener listener, Promise<Session> connected) {
    connection
        .newStreamBootstrap()
        .type(QuicStreamType.BIDIRECTIONAL)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
        .option(ChannelOption.RECVBUF_ALLOCATOR, streamReads())
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel stream) {
                WorkCounter counter = ledger.open(stream.eventLoop());
                stream
                    .pipeline()
                    .addLast(
                        new TcpSession(
                            settings.op(), contents(), counter, listener, connected, false));
              }
            })
        .create()
        .addListener(
            done -> {
              if (!done.isSuccess()) {
                connected.tryFailure(done.cause());
              }
            });
  }

  /** Sets limits from the window, and times that are longer than any run. */
  private <B extends QuicCodecBuilder<B>> B tuned(B codec, QuicSslContext context) {
    long windowBytes = (long) settings.windowPackets() * mtuBytes;
    return codec
        .sslContext(context)
        .maxIdleTimeout(1, TimeUnit.HOURS)
        .maxSendUdpPayloadSize(mtuBytes)
        .maxRecvUdpPayloadSize(mtuBytes)
        .initialMaxData(windowBytes)
        .initialMaxStreamDataBidirectionalLocal(windowBytes)
        .initialMaxStreamDataBidirectionalRemote(windowBytes)
        .initialMaxStreamsBidirectional(1);
  }

  private Bootstrap socket(ChannelHandler codec) {
    Bootstrap bootstrap =
        new Bootstrap()
            .channelFactory(settings.io()::newSocket)
            .option(ChannelOption.SO_SNDBUF, SOCKET_BUFFER_BYTES)
            .option(ChannelOption.SO_RCVBUF, SOCKET_BUFFER_BYTES)
            .handler(codec);
    int readBytes = DATAGRAM_BYTES_MAX;
    if (settings.io() == SocketKind.EPOLL) {
      readBytes = READ_DATAGRAMS * mtuBytes;
      bootstrap.option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, mtuBytes);
    }
    return bootstrap.option(
        ChannelOption.RECVBUF_ALLOCATOR,
        new FixedRecvByteBufAllocator(readBytes).maxMessagesPerRead(READS_MAX));
  }

  private static AdaptiveRecvByteBufAllocator streamReads() {
    return new AdaptiveRecvByteBufAllocator(2_048, 64 << 10, STREAM_READ_BYTES_MAX);
  }

  /** Returns the most segments that one send carries. */
  private int segments() {
    return Math.max(1, Math.min(SEGMENTS_MAX, DATAGRAM_BYTES_MAX / mtuBytes));
  }

  /**
   * Returns the TLS context. The certificate is the run's own and names nobody: the cipher is
   * measured, not trust.
   */
  private synchronized QuicSslContext clientContext() {
    if (clientContext == null) {
      clientContext =
          QuicSslContextBuilder.forClient()
              .trustManager(InsecureTrustManagerFactory.INSTANCE)
              .applicationProtocols(PROTOCOL)
              .build();
    }
    return clientContext;
  }

  private MessageContents contents() {
    return new MessageContents(settings.seed(), settings.sizes().sizeBytesMax());
  }

  @Override
  public IntegrityCounts received() throws Exception {
    return ledger.received();
  }

  /**
   * Returns the counts. The codec makes the system calls and does not count them. Almost each
   * packet is a datagram.
   */
  @Override
  public TransferCounts transferCounts() throws Exception {
    long sent = 0;
    long received = 0;
    for (QuicConnectionStats stats : stats()) {
      sent += stats.sent();
      received += stats.recv();
    }
    long unknown = TransferCounts.UNKNOWN;
    return new TransferCounts(unknown, sent, received, unknown);
  }

  private List<QuicConnectionStats> stats() throws Exception {
    List<QuicConnectionStats> all = new CopyOnWriteArrayList<>();
    for (QuicChannel connection : connections) {
      if (connection.isActive()) {
        all.add(connection.collectStats().get());
      }
    }
    return all;
  }

  @Override
  public Map<String, Object> details() throws Exception {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("mtu", mtuBytes);
    details.put("gso", offload);
    long resent = 0;
    for (QuicConnectionStats stats : stats()) {
      resent += stats.retrans();
    }
    details.put("retransmits.early", resent);
    return details;
  }

  @Override
  public void close() {
    for (QuicChannel connection : connections) {
      connection.close();
    }
    sockets.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
  }
}
