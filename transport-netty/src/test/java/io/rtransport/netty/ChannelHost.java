package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.netty.RtChannelOption.Acknowledge;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopDrivers;
import io.rtransport.netty.port.MemoryPort;
import io.rtransport.netty.port.PortFactory;
import io.rtransport.simulator.CoreState;
import io.rtransport.simulator.PairHarness;
import io.rtransport.simulator.SimAddresses;
import io.rtransport.simulator.SimApplication;
import io.rtransport.simulator.SimConfigs;
import io.rtransport.simulator.SimHost;
import io.rtransport.simulator.SimPort;
import io.rtransport.simulator.SimTotals;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A host of a simulated world whose connection is a real {@link RtChannel}, with its pipeline and
 * driver, on an event loop whose clock is the world's: Netty's manual loop is run by the harness,
 * and its ticker is moved by it.
 */
final class ChannelHost extends ChannelInboundHandlerAdapter
    implements SimHost, MemoryPort.Wire, AutoCloseable {
  private final int host;
  private final PairHarness harness;
  private final SimApplication application;
  private final CoreState core;
  private final MockTicker ticker = Ticker.newMockTicker();
  private final ManualIoEventLoop loop;
  private final LoopDriver driver;
  private MemoryPort memoryPort;
  private Channel server;
  private RtChannel channel;
  private ChannelPort port;
  private boolean isEndTold;
  private Throwable defect;

  ChannelHost(int host, PairHarness harness) {
    this.host = host;
    this.harness = harness;
    this.application = harness.application(host);
    this.core = new CoreState(host, harness);
    this.loop =
        new ManualIoEventLoop(null, Thread.currentThread(), LocalIoHandler.newFactory(), ticker);
    this.driver =
        LoopDrivers.install(loop, host, core.loop(), core.budgets(), core.secrets(), loop);
  }

  @Override
  public void start(long nowNs) {
    PortFactory ports =
        (context, config, local, remote) -> {
          memoryPort =
              new MemoryPort(context, this, SimAddresses.of(host), SimAddresses.of(1 - host));
          return memoryPort;
        };
    ConnectionConfig config = SimConfigs.of(harness.plan(), host);
    advance(nowNs);
    if (host == 1) {
      ServerBootstrap bootstrap =
          new ServerBootstrap()
              .group(loop)
              .channelFactory(
                  () -> {
                    RtServerChannel made = RtChannels.server(ports).newChannel();
                    made.config().connectionConfig(config);
                    return made;
                  })
              .childOption(RtChannelOption.ACKNOWLEDGE, Acknowledge.EXPLICIT)
              .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
              .childHandler(this);
      server = bootstrap.bind(SimAddresses.of(1)).channel();
    } else {
      Bootstrap bootstrap =
          new Bootstrap()
              .group(loop)
              .channelFactory(
                  () -> {
                    RtChannel made = RtChannels.client(ports).newChannel();
                    made.config().connectionConfig(config);
                    return made;
                  })
              .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 60_000)
              .option(RtChannelOption.ACKNOWLEDGE, Acknowledge.EXPLICIT)
              .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
              .handler(this);
      bootstrap.connect(SimAddresses.of(1));
    }
    run(nowNs);
  }

  private void advance(long nowNs) {
    ticker.advance(nowNs - ticker.nanoTime(), TimeUnit.NANOSECONDS);
  }

  /** Lets the loop do all that is due at this time. */
  void run(long nowNs) {
    advance(nowNs);
    while (loop.runNow() > 0) {
      // until there is nothing left
    }
    if (defect instanceof RuntimeException e) {
      throw e;
    }
    if (defect != null) {
      throw new AssertionError("in the pipeline", defect);
    }
    if (channel != null && channel.closeReason() != null && !isEndTold) {
      isEndTold = true;
      harness.onClosed(host, channel.closeReason().code(), channel.closeReason().text());
    }
  }

  // The application's handler.

  @Override
  public boolean isSharable() {
    return true;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    channel = (RtChannel) ctx.channel();
    port = new ChannelPort(this, channel, application);
    harness.onEstablished(host);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    guarded(() -> port.onMessage(message));
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      guarded(() -> harness.onPeerFinished(host));
    }
  }

  /** Keeps what a check throws inside Netty's calls, which would only log it, for {@link #run}. */
  void guarded(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | AssertionError e) {
      defect = defect == null ? e : defect;
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    defect = defect == null ? cause : defect;
  }

  // The wire under the port.

  @Override
  public void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to) {
    harness.send(host, buffer, offset, length);
  }

  @Override
  public boolean hasRoom() {
    return true;
  }

  // What the harness drives.

  @Override
  public void receive(PacketBurst burst, long nowNs) {
    advance(nowNs);
    memoryPort.receive(burst, i -> SimAddresses.of(1 - host));
    run(nowNs);
  }

  @Override
  public long nextDeadlineNs() {
    return driver.endpoint().nextDeadlineNs();
  }

  @Override
  public void onTime(long nowNs) {
    run(nowNs);
  }

  @Override
  public SimPort port() {
    return port;
  }

  @Override
  public void check(boolean isAfterClose) {
    core.checkBounds();
    if (isAfterClose) {
      core.checkEmpty(driver.endpoint().size());
    }
  }

  @Override
  public void checkAtRest(long chargedBytes) {
    core.checkAtRest(inside(channel).link().connection(), chargedBytes);
  }

  @Override
  public void count(SimTotals totals) {
    core.count(totals);
  }

  @Override
  @SuppressWarnings("deprecation") // the graceful way sleeps on the wall clock
  public void close() {
    if (server != null) {
      server.close();
    }
    run(harness.nowNs());
    loop.shutdown();
    loop.runNow();
  }

  @Override
  public String toString() {
    return channel + " " + core.loop().counters();
  }
}
