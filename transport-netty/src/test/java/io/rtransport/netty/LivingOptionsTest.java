package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Options that hold for the connection at once: set on accepted channels, and on any while it
 * lives.
 */
@Timeout(60)
class LivingOptionsTest {
  private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 1);
  private static final InetSocketAddress CLIENT = new InetSocketAddress("10.0.0.2", 2);

  /** Idle connections end after 300 s, unless a side keeps them alive. */
  private static final int IDLE_SECONDS = 300;

  private static void pass(ManualSide client, ManualSide server, int seconds) {
    for (int i = 0; i < seconds; i++) {
      client.nowNs += TimeUnit.SECONDS.toNanos(1);
      server.nowNs += TimeUnit.SECONDS.toNanos(1);
      ManualSide.exchange(client, server);
    }
  }

  @Test
  void shouldKeepASilentConnectionAliveForAsLongAsAnAcceptedChannelSaysSo() {
    ManualSide client = new ManualSide(1, CLIENT, SERVER);
    ManualSide server = new ManualSide(2, SERVER, CLIENT);
    AtomicReference<Channel> accepted = new AtomicReference<>();
    RtChannel channel =
        (RtChannel)
            ManualSide.connect(
                client,
                server,
                SocketPair.initializer(accepted::set),
                SocketPair.initializer(c -> {}));
    RtChannel child = (RtChannel) accepted.get();
    pass(client, server, IDLE_SECONDS - 50);
    child.config().setOption(ChannelOption.SO_KEEPALIVE, true);
    pass(client, server, 3 * IDLE_SECONDS);
    assertThat(child.isActive()).as("the accepted side").isTrue();
    assertThat(channel.isActive()).isTrue();

    child.config().setOption(RtChannelOption.KEEPALIVE, false);
    pass(client, server, IDLE_SECONDS + 1);
    assertThat(child.closeReason().code()).isEqualTo(CloseCode.IDLE_TIMEOUT.code());
    assertThat(channel.closeReason().code()).isEqualTo(CloseCode.IDLE_TIMEOUT.code());
    client.node.close();
    server.node.close();
  }

  private static int codeOf(RtChannel client, int length) throws Exception {
    Throwable cause =
        client.writeAndFlush(Push.of(Unpooled.wrappedBuffer(new byte[length]))).await().cause();
    return cause == null ? 0 : ((RtException) cause).code();
  }

  private static <T> void set(RtChannel channel, ChannelOption<T> option, T value)
      throws Exception {
    channel.eventLoop().submit(() -> channel.config().setOption(option, value)).sync();
  }

  /** Each push meets what is set when it comes: small ones too, which are given out whole. */
  @ParameterizedTest
  @NioAndEpoll
  void shouldSendTheNextPushWhereTheOptionsSayNow(TransportKind kind) throws Exception {
    int tooLong = CloseCode.REFUSED_BY_SINK.code();
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.handlers());
      RtChannel client = pair.connect(SocketPair.nothing());
      RtChannel child = pair.child();
      assertThat(codeOf(client, 64)).isZero();
      set(child, RtChannelOption.MAX_BUFFERED_MESSAGE, 63);
      assertThat(codeOf(client, 64)).isEqualTo(tooLong);
      assertThat(codeOf(client, 63)).isZero();
      PayloadSinks refusing = (channel, length, header) -> RtSink.refuse(77);
      set(child, RtChannelOption.PAYLOAD_SINKS, refusing);
      assertThat(codeOf(client, 63)).isEqualTo(77);
      set(child, RtChannelOption.PAYLOAD_SINKS, null);
      assertThat(codeOf(client, 63)).isZero();
      set(child, RtChannelOption.MAX_BUFFERED_MESSAGE, 64);
      assertThat(codeOf(client, 64)).isZero();
    }
  }

  private static long held(RtChannel channel) throws Exception {
    return channel.stats().sync().getNow().counters().getOrDefault(CounterId.FLUSHES_HELD, 0L);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldDelayFlushesForAsLongAsNoDelayIsOff(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(
          c -> c.pipeline().addLast(new EchoTest.Echo()),
          b -> b.childOption(ChannelOption.TCP_NODELAY, false));
      Inbox inbox = new Inbox();
      RtChannel client = pair.connect(SocketPair.handlers(inbox));
      RtChannel child = pair.child();
      for (RtChannel channel : new RtChannel[] {client, child}) {
        RtChannelConfig config = channel.config();
        config.setTcpNoDelay(true);
        assertThat(config.flushWindowMicros()).isZero();
        config.setTcpNoDelay(false);
        assertThat(config.flushWindowMicros()).isEqualTo(RtChannelConfig.DELAYED_FLUSH_MICROS);
        config.flushWindowMicros(70).setTcpNoDelay(false);
        assertThat(config.flushWindowMicros()).as("its own stays").isEqualTo(70);
      }
      child.writeAndFlush(EchoTest.text("waits too")).sync();
      assertThat(inbox.nextBytes()).asString().isEqualTo("waits too");
      assertThat(held(child)).isEqualTo(1);
      client.writeAndFlush(EchoTest.text("waits")).sync();
      assertThat(inbox.nextBytes()).asString().isEqualTo("waits");
      long before = held(client);
      assertThat(before).isEqualTo(1);
      client.config().setOption(ChannelOption.TCP_NODELAY, true);
      client.writeAndFlush(EchoTest.text("does not")).sync();
      assertThat(inbox.nextBytes()).asString().isEqualTo("does not");
      assertThat(held(client)).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldRefuseAFlushWindowOutOfItsRangeWhenItIsSetOrUsed(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.handlers());
      RtChannel client = pair.connect(SocketPair.nothing());
      RtChannel child = pair.child();
      for (RtChannel channel : new RtChannel[] {client, child}) {
        channel.config().flushWindowMicros(0).flushWindowMicros(10_000);
        for (int wrong : new int[] {-1, 10_001}) {
          assertThatIllegalArgumentException()
              .isThrownBy(() -> channel.config().flushWindowMicros(wrong))
              .withMessageContaining("FLUSH_WINDOW_MICROS: " + wrong);
        }
      }
      assertThat(
              pair.client(
                      SocketPair.nothing(), b -> b.option(RtChannelOption.FLUSH_WINDOW_MICROS, -1))
                  .connect(((Channel) child.parent()).localAddress())
                  .await()
                  .cause())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("flushWindowNs=-1000 ");
    }
  }

  /**
   * The lines that most servers and clients over TCP have, and what Netty says where an option is
   * unknown or refused.
   */
  @ParameterizedTest
  @NioAndEpoll
  void shouldWarnOfNoOptionOfTcps(TransportKind kind) throws Exception {
    try (LogWatch log = new LogWatch();
        SocketPair pair = new SocketPair(kind)) {
      pair.listen(
          c -> {},
          b ->
              b.option(ChannelOption.SO_BACKLOG, 128)
                  .option(ChannelOption.SO_REUSEADDR, true)
                  .option(ChannelOption.SO_RCVBUF, 1 << 20)
                  .option(ChannelOption.TCP_FASTOPEN, 5)
                  .childOption(ChannelOption.SO_KEEPALIVE, true)
                  .childOption(ChannelOption.TCP_NODELAY, true)
                  .childOption(ChannelOption.SO_LINGER, 0)
                  .childOption(ChannelOption.SO_SNDBUF, 1 << 20)
                  .childOption(ChannelOption.SO_RCVBUF, 1 << 20)
                  .childOption(ChannelOption.IP_TOS, 0x10)
                  .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                  .childOption(RtChannelOption.KEEPALIVE, true)
                  .childOption(RtChannelOption.FLUSH_WINDOW_MICROS, 10));
      RtChannel client =
          pair.connect(
              c -> {},
              b ->
                  b.option(ChannelOption.SO_KEEPALIVE, true)
                      .option(ChannelOption.TCP_NODELAY, true)
                      .option(ChannelOption.TCP_FASTOPEN_CONNECT, true)
                      .option(ChannelOption.IP_TOS, 0x10));
      RtChannel child = pair.child();
      assertThat(child.config().isKeepAlive()).isTrue();
      assertThat(child.config().flushWindowMicros()).isEqualTo(10);
      ConnectionConfig offered = client.config().connectionConfig();
      assertThat(offered.isKeepalive()).isTrue();
      assertThat(log.count()).as(log.first()).isZero();
    }
  }
}
