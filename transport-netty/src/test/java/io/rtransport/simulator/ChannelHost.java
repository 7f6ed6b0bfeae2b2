package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.RtServerChannel;
import io.rtransport.netty.VirtualLoop;
import io.rtransport.netty.internal.loop.LinkApplications;
import io.rtransport.netty.port.MemoryPort;
import io.rtransport.netty.port.PortFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * A host that is a real {@link RtChannel} on an event loop of virtual time, over a port of memory:
 * bootstrap, handlers, bursts, deadlines and all. Everything that a {@link DirectHost} of the same
 * world does, it must do at the same time with the same bytes.
 */
final class ChannelHost implements SimHost, VirtualLoop.Life, MemoryPort.Wire {
  private static final int CAM_ENTRIES = 1 << 12;

  private final int host;
  private final PairHarness harness;
  private final WorldPlan plan;
  private final VirtualLoop loop;
  private final PortFactory ports;
  private MemoryPort memoryPort;
  private RtChannel channel;
  private SimPort port;

  ChannelHost(int host, PairHarness harness) {
    this.host = host;
    this.harness = harness;
    this.plan = harness.plan();
    RandomGenerator secrets = SimRandom.fork(plan.seed, "secrets " + host);
    SimApplication application = harness.application(host);
    loop =
        new VirtualLoop(
            harness::nowNs,
            host,
            new LoopResources(plan.storeBytes, CAM_ENTRIES, secrets),
            NodeBudgets.of(plan.budgetBytes, plan.creditPoolBytes),
            secrets,
            application,
            this);
    ports =
        (context, config, local, remote) -> {
          memoryPort = new MemoryPort(context, this, SimAddresses.of(host), remote);
          return memoryPort;
        };
  }

  @Override
  public void start(long nowNs) {
    if (host == 1) {
      ServerBootstrap bootstrap =
          new ServerBootstrap()
              .group(loop.loop())
              .channelFactory(RtChannels.server(ports))
              .option(LinkApplications.OPTION, (ch, connection) -> loop.application())
              .handler(configuring())
              .childHandler(catching());
      bootstrap.bind(SimAddresses.of(1));
    } else {
      new Bootstrap()
          .group(loop.loop())
          .channelFactory(RtChannels.client(ports))
          .option(LinkApplications.OPTION, (ch, connection) -> loop.application())
          .disableResolver() // it would keep every loop that ever was, as these are never shut down
          .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 60_000)
          .handler(
              new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel created) {
                  created.pipeline().addLast(configuring(), catching());
                }
              })
          .connect(SimAddresses.of(1));
    }
    loop.runAll();
  }

  private ChannelHandler configuring() {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void handlerAdded(ChannelHandlerContext ctx) {
        ConnectionConfig wishes = SimConfigs.of(plan, host);
        if (ctx.channel() instanceof RtServerChannel server) {
          server.config().connectionConfig(wishes);
        } else {
          ((RtChannel) ctx.channel()).config().connectionConfig(wishes);
        }
      }
    };
  }

  /** Remembers the connection's channel, and handles what nobody else does. */
  private ChannelHandler catching() {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void handlerAdded(ChannelHandlerContext ctx) {
        channel = (RtChannel) ctx.channel();
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        harness
            .application(host)
            .trace()
            .note(harness.nowNs(), "host " + host + " catches " + cause);
      }
    };
  }

  @Override
  public void onEstablished() {
    harness.onEstablished(host);
  }

  @Override
  public void onPeerFinished() {
    harness.onPeerFinished(host);
  }

  @Override
  public void onClosed(CloseReason reason) {
    harness.onClosed(host, reason.code(), reason.text());
  }

  @Override
  public void receive(PacketBurst burst, long nowNs) {
    memoryPort.receive(burst, i -> harness.source(i));
    loop.runTasks();
  }

  @Override
  public void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to) {
    harness.send(host, buffer, offset, length, to);
  }

  @Override
  public boolean hasRoom() {
    return harness.roomAtNs(host) <= harness.nowNs();
  }

  @Override
  public long nextDeadlineNs() {
    long deadlineNs = loop.isWoken() ? harness.nowNs() : loop.endpoint().nextDeadlineNs();
    boolean isWaiting = memoryPort != null && memoryPort.isWaitingForRoom();
    return isWaiting ? Math.min(deadlineNs, harness.roomAtNs(host)) : deadlineNs;
  }

  @Override
  public void onTime(long nowNs) {
    if (memoryPort.isWaitingForRoom() && hasRoom()) {
      memoryPort.room();
    }
    if (loop.isWoken()) {
      loop.runWakes();
    }
    loop.runAll();
  }

  @Override
  public SimPort port() {
    if (port == null) {
      port = new ChannelPort(loop, channel, harness.application(host));
    }
    return port;
  }

  @Override
  public void check(boolean isAfterClose) {
    require(
        loop.heldBuffers() == 0,
        Invariant.MEMORY,
        "host %d holds %d receive buffers",
        host,
        loop.heldBuffers());
    if (isAfterClose) {
      int connections = loop.endpoint().size();
      require(
          connections == 0,
          Invariant.EMPTY_AFTER_CLOSE,
          "host %d: %d connections",
          host,
          connections);
      loop.close();
    }
  }

  @Override
  public void checkAtRest(long chargedBytes) {
    // Equal traces leave equal accounts; the direct host's are checked.
  }

  @Override
  public void count(SimTotals totals) {
    // The direct host of the same world has counted.
  }

  @Override
  public String toString() {
    return channel + " " + loop.endpoint().counters();
  }
}
