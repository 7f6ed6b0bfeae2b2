package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.rtransport.netty.internal.io.BusyPollingIoHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Event loops that never sleep: nothing waits for a wake-up that nobody sends, and no loop keeps
 * another from its processor for good.
 */
@Timeout(120)
class BusyPollingTest {
  private static final long LIMIT_SECONDS = 60;
  private static final int ECHOES = 20;

  /** I/O that brings what a test says, and notes what it was told. */
  private static final class ScriptedIo implements IoHandler {
    private int handled;
    private int wakeups;
    private boolean couldBlock;

    @Override
    public int run(IoHandlerContext context) {
      couldBlock |= context.canBlock();
      assertThat(context.deadlineNanos()).isEqualTo(7);
      assertThat(context.delayNanos(3)).isEqualTo(4);
      return handled;
    }

    @Override
    public IoRegistration register(IoHandle handle) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void wakeup() {
      wakeups++;
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return handleType == IoHandle.class;
    }
  }

  /** A loop with a timer at 7, and tasks or not. */
  private static final class LoopContext implements IoHandlerContext {
    private boolean hasTasks;

    @Override
    public boolean canBlock() {
      return !hasTasks;
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
      return 7 - currentTimeNanos;
    }

    @Override
    public long deadlineNanos() {
      return 7;
    }
  }

  private long nowNs;
  private final ScriptedIo io = new ScriptedIo();
  private final LoopContext loop = new LoopContext();
  private final AtomicInteger yields = new AtomicInteger();
  private final BusyPollingIoHandler handler =
      new BusyPollingIoHandler(
          io, BusyPollingIoHandler.FOREVER, () -> nowNs, yields::incrementAndGet);

  private void run(int turns) {
    for (int i = 0; i < turns; i++) {
      handler.run(loop);
    }
  }

  @Test
  void shouldNeverLetItsHandlerBlockNorWakeIt() {
    run(BusyPollingIoHandler.SPINS_MAX * 2);
    handler.wakeup();
    assertThat(io.couldBlock).isFalse();
    assertThat(io.wakeups).isZero();
    assertThat(handler.isCompatible(IoHandle.class)).isTrue();
  }

  @Test
  void shouldYieldAfterEachTurnOnceItHasFoundNothingForLong() {
    run(BusyPollingIoHandler.SPINS_MAX);
    assertThat(yields).hasValue(0);
    run(2);
    assertThat(yields).hasValue(2);
  }

  @Test
  void shouldNotYieldWhileThereIsSomethingToDo() {
    run(BusyPollingIoHandler.SPINS_MAX);
    io.handled = 1;
    run(1);
    io.handled = 0;
    run(BusyPollingIoHandler.SPINS_MAX);
    assertThat(yields).hasValue(0);
    loop.hasTasks = true;
    run(1);
    loop.hasTasks = false;
    run(BusyPollingIoHandler.SPINS_MAX);
    assertThat(yields).hasValue(0);
    run(1);
    assertThat(yields).hasValue(1);
  }

  @Test
  void shouldSleepOnlyWhenItHasFoundNothingForAsLongAsItIsToPoll() {
    BusyPollingIoHandler polling =
        new BusyPollingIoHandler(io, 100, () -> nowNs, yields::incrementAndGet);
    polling.run(loop); // empty from here on
    nowNs = 99;
    polling.run(loop);
    assertThat(io.couldBlock).isFalse();
    nowNs = 100;
    polling.run(loop);
    assertThat(io.couldBlock).isTrue();
    io.couldBlock = false;
    io.handled = 1;
    polling.run(loop); // asleep, and woken by work: the time begins again
    io.handled = 0;
    io.couldBlock = false;
    polling.run(loop);
    nowNs = 199;
    polling.run(loop);
    assertThat(io.couldBlock).isFalse();
    nowNs = 200;
    polling.run(loop);
    assertThat(io.couldBlock).isTrue();
    polling.wakeup();
    assertThat(io.wakeups).isEqualTo(1);
  }

  @Test
  void shouldTakeAMicrosecondToASecondOfPolling() {
    IoHandlerFactory nio = TransportKind.NIO.handlers();
    for (Duration valid : List.of(Duration.ofNanos(1_000), Duration.ofSeconds(1))) {
      assertThat(RtChannels.busyPolling(nio, valid)).isNotNull();
    }
    for (Duration wrong : List.of(Duration.ofNanos(999), Duration.ofSeconds(1).plusNanos(1))) {
      assertThatThrownBy(() -> RtChannels.busyPolling(nio, wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("poll=" + wrong);
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldWakeForTasksOfOtherThreadsAndTimersWhereItSleeps(TransportKind kind) throws Exception {
    kind.assumeAvailable();
    EventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1, RtChannels.busyPolling(kind.handlers(), Duration.ofNanos(1_000)));
    try {
      for (int i = 0; i < 20; i++) {
        group.submit(() -> {}).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        group.schedule(() -> {}, 2, TimeUnit.MILLISECONDS).get(LIMIT_SECONDS, TimeUnit.SECONDS);
      }
    } finally {
      end(group);
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldRunTasksOfOtherThreadsAndTimers(TransportKind kind) throws Exception {
    kind.assumeAvailable();
    EventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, RtChannels.busyPolling(kind.handlers()));
    try {
      for (int i = 0; i < 100; i++) {
        assertThat(group.submit(() -> "done").get(LIMIT_SECONDS, TimeUnit.SECONDS))
            .isEqualTo("done");
      }
      group.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } finally {
      end(group);
    }
  }

  /** Each loop has its echo, though there are more of them than processors. */
  @Test
  void shouldEchoOnMoreLoopsThanProcessors() throws Exception {
    TransportKind kind =
        TransportKind.EPOLL; // loops that spin keep the rest of a build waiting: one kind
    int clientLoops = Runtime.getRuntime().availableProcessors() + 1;
    EventLoopGroup servers = busy(kind, 1);
    EventLoopGroup clients = busy(kind, clientLoops);
    try {
      Channel server =
          new ServerBootstrap()
              .group(servers)
              .channelFactory(RtChannels.server(kind.sockets()))
              .childHandler(
                  SocketPair.initializer(child -> child.pipeline().addLast(new EchoTest.Echo())))
              .bind(new InetSocketAddress(NetUtil.LOCALHOST4, 0))
              .sync()
              .channel();
      List<Inbox> inboxes = new ArrayList<>();
      List<Channel> channels = new ArrayList<>();
      for (EventExecutor ignored : clients) {
        Inbox inbox = new Inbox();
        inboxes.add(inbox);
        channels.add(
            new Bootstrap()
                .group(clients)
                .channelFactory(RtChannels.client(kind.sockets()))
                .handler(inbox)
                .connect(server.localAddress())
                .sync()
                .channel());
      }
      for (int i = 0; i < ECHOES; i++) {
        for (Channel channel : channels) {
          channel.writeAndFlush(EchoTest.text("message " + i));
        }
        for (Inbox inbox : inboxes) {
          assertThat(inbox.nextBytes()).asString().isEqualTo("message " + i);
        }
      }
      for (Channel channel : channels) {
        channel.close().sync();
      }
      server.close().sync();
    } finally {
      end(clients);
      end(servers);
    }
  }

  private static EventLoopGroup busy(TransportKind kind, int loops) {
    return new MultiThreadIoEventLoopGroup(loops, RtChannels.busyPolling(kind.handlers()));
  }

  private static void end(EventLoopGroup group) throws Exception {
    group.shutdownGracefully(50, LIMIT_SECONDS * 1_000, TimeUnit.MILLISECONDS);
    assertThat(group.terminationFuture().await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
  }
}
