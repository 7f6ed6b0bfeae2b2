package io.rtransport.loadgen.transceiver;

import com.backblaze.erasure.fec.Snmp;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rtransport.command.SocketKind;
import io.rtransport.loadgen.workload.IntegrityCounts;
import io.rtransport.loadgen.workload.Session;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import kcp.ChannelConfig;
import kcp.IChannelManager;
import kcp.KcpClient;
import kcp.ServerAddressChannelManager;
import kcp.ServerChannelHandler;
import kcp.Ukcp;
import threadPool.IMessageExecutor;
import threadPool.IMessageExecutorPool;

/**
 * KCP by java-Kcp, with the settings that its guide calls the fastest: no delay, resend after two
 * later acknowledgements, no congestion window, acknowledgements and writes flushed immediately.
 * Its connections live on our event loops. The server's sockets are also ours, because java-Kcp's
 * server listens on every address. A client's sockets are java-Kcp's, over NIO.
 */
final class KcpTransceiver implements Transceiver {
  /** Default without `--mtu`, as for raw UDP: fits Ethernet. */
  private static final int MTU_BYTES_DEFAULT = 1_400;

  private static final int SOCKET_BUFFER_BYTES = 4 << 20;
  private static final int READ_DATAGRAMS = 64;
  private static final int READ_BATCH_DATAGRAMS = 128;
  private static final int INTERVAL_MILLIS = 10;
  private static final int RESEND_ACKS = 2;

  /**
   * Datagrams that a receive buffer of the system's default size holds, as its client's sockets
   * have.
   */
  private static final int CLIENT_RECEIVE_WINDOW = 64;

  private final TransceiverSettings settings;
  private final int mtuBytes;
  private final Ledger ledger = new Ledger();
  private final List<Channel> sockets = new ArrayList<>();
  private final List<IChannelManager> managers = new ArrayList<>();
  private HashedWheelTimer timer;
  private KcpClient client;
  private ChannelConfig clientConfig;
  private KcpLoop connecting;

  KcpTransceiver(TransceiverSettings settings) {
    this.settings = settings;
    this.mtuBytes = settings.mtuBytes() == 0 ? MTU_BYTES_DEFAULT : settings.mtuBytes();
  }

  @Override
  public EventLoopGroup loops(int threads) {
    return Sockets.loops(settings, threads);
  }

  @Override
  public List<InetSocketAddress> listen(EventLoopGroup group, InetSocketAddress at)
      throws Exception {
    timer =
        new HashedWheelTimer(new DefaultThreadFactory("kcp-timer", true), 1, TimeUnit.MILLISECONDS);
    InetSocketAddress bound = at;
    int loops = 0;
    for (var ignored : group) {
      loops++;
    }
    int socketCount = settings.io() == SocketKind.EPOLL ? loops : 1;
    for (int i = 0; i < socketCount; i++) {
      EventLoop loop = group.next();
      IChannelManager manager = new ServerAddressChannelManager();
      managers.add(manager);
      Bootstrap bootstrap =
          new Bootstrap()
              .group(loop)
              .channelFactory(settings.io()::newSocket)
              .option(ChannelOption.SO_SNDBUF, SOCKET_BUFFER_BYTES)
              .option(ChannelOption.SO_RCVBUF, SOCKET_BUFFER_BYTES)
              .handler(
                  new ServerChannelHandler(
                      manager,
                      config(settings.windowPackets()),
                      new KcpLoop(loop),
                      new KcpServed(settings, mtuBytes, loop, ledger),
                      timer));
      int readBytes = mtuBytes;
      if (settings.io() == SocketKind.EPOLL) {
        readBytes = READ_DATAGRAMS * mtuBytes;
        bootstrap.option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, mtuBytes);
        bootstrap.option(UnixChannelOption.SO_REUSEPORT, socketCount > 1);
      }
      FixedRecvByteBufAllocator reads = new FixedRecvByteBufAllocator(readBytes);
      reads.maxMessagesPerRead(READ_BATCH_DATAGRAMS);
      bootstrap.option(ChannelOption.RECVBUF_ALLOCATOR, reads);
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
    KcpSession session =
        new KcpSession(
            settings, mtuBytes, connection, loop, ledger.open(loop), listener, connected);
    loop.execute(
        () -> {
          try {
            open(loop, to, session);
          } catch (Exception e) {
            connected.tryFailure(e);
          }
        });
    return connected;
  }

  /** Opens a connection. Its connect asks the pool of threads for the connection's loop. */
  private synchronized void open(EventLoop loop, InetSocketAddress to, KcpSession session) {
    if (client == null) {
      clientConfig = config(CLIENT_RECEIVE_WINDOW);
      clientConfig.setiMessageExecutorPool(
          new IMessageExecutorPool() {
            @Override
            public IMessageExecutor getIMessageExecutor() {
              return connecting;
            }

            @Override
            public void stop() {}
          });
      client = new KcpClient();
      client.init(clientConfig);
    }
    connecting = new KcpLoop(loop);
    client.connect(to, clientConfig, session);
  }

  private ChannelConfig config(int receiveWindow) {
    ChannelConfig config = new ChannelConfig();
    config.nodelay(true, INTERVAL_MILLIS, RESEND_ACKS, true);
    config.setSndwnd(settings.windowPackets());
    config.setRcvwnd(receiveWindow);
    config.setMtu(mtuBytes);
    config.setAckNoDelay(true);
    config.setFastFlush(true);
    config.setUseConvChannel(false);
    config.setTimeoutMillis(0);
    return config;
  }

  @Override
  public IntegrityCounts received() throws Exception {
    return ledger.received();
  }

  /** Returns the counts that java-Kcp keeps for the process. */
  @Override
  public TransferCounts transferCounts() {
    long unknown = TransferCounts.UNKNOWN;
    return new TransferCounts(
        unknown, Snmp.snmp.OutPkts.longValue(), Snmp.snmp.InPkts.longValue(), unknown);
  }

  @Override
  public Map<String, Object> details() {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("mtu", mtuBytes);
    details.put("gso", false);
    details.put(
        "retransmits.early",
        Snmp.snmp.FastRetransSegs.longValue() + Snmp.snmp.EarlyRetransSegs.longValue());
    details.put("retransmits.timeout", Snmp.snmp.LostSegs.longValue());
    return details;
  }

  @Override
  public synchronized void close() {
    for (IChannelManager manager : managers) {
      List.copyOf(manager.getAll()).forEach(Ukcp::close);
    }
    if (client != null) {
      client.stop();
    }
    for (Channel socket : sockets) {
      socket.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    }
    if (timer != null) {
      timer.stop();
    }
  }
}
