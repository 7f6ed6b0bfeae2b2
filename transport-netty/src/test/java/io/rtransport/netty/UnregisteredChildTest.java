package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.NetUtil;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.stats.CounterId;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * What a handler of the server channel may do with a child instead of letting it be registered. Its
 * connection ends, or works once the child is registered; the other connections of the event loop
 * notice nothing.
 */
@Timeout(60)
class UnregisteredChildTest {
  private static final int LIMIT_MILLIS = 300;

  /** What the server's handler does with a child. */
  private interface Treatment {
    void treat(ChannelHandlerContext ctx, RtChannel child) throws Exception;
  }

  @Sharable
  private static final class Treating extends ChannelInboundHandlerAdapter {
    private final Treatment treatment;
    final BlockingQueue<RtChannel> children = new LinkedBlockingQueue<>();

    Treating(Treatment treatment) {
      this.treatment = treatment;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      children.add((RtChannel) message);
      treatment.treat(ctx, (RtChannel) message);
    }
  }

  /** Throws what the compiler would have checked. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable failure) throws T {
    throw (T) failure;
  }

  /** A server whose handler does wrong, and one beside it on the same loop that does not. */
  private static final class Rig implements AutoCloseable {
    final LogWatch log = new LogWatch();
    final SocketPair pair;
    final RtServerChannel wrong;
    final Treating handler;
    private final Inbox honestInbox = new Inbox();
    private final RtChannel honest;

    Rig(TransportKind kind, Treatment treatment, Consumer<ServerBootstrap> options)
        throws Exception {
      pair = new SocketPair(kind);
      handler = new Treating(treatment);
      pair.listen(child -> child.pipeline().addLast(new EchoTest.Echo()));
      wrong =
          pair.listenAt(
              new InetSocketAddress(NetUtil.LOCALHOST4, 0),
              child -> child.pipeline().addLast(new EchoTest.Echo()),
              bootstrap -> {
                bootstrap
                    .handler(handler)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, LIMIT_MILLIS);
                options.accept(bootstrap);
              });
      honest = pair.connect(SocketPair.handlers(honestInbox));
      assertHonest();
    }

    RtChannel client(Inbox inbox) throws Exception {
      ChannelFuture connected =
          pair.client(SocketPair.handlers(inbox), b -> {}).connect(wrong.localAddress());
      assertThat(connected.await(20, TimeUnit.SECONDS)).as("connect is done").isTrue();
      return (RtChannel) connected.channel();
    }

    void assertHonest() throws Exception {
      ChannelFuture write = honest.writeAndFlush(EchoTest.text("honest"));
      assertThat(write.await(20, TimeUnit.SECONDS)).as("the honest one's write is done").isTrue();
      assertThat(write.cause()).isNull();
      assertThat(honestInbox.nextBytes()).asString().isEqualTo("honest");
    }

    void assertRefused(RtChannel client, ChannelFuture write) throws Exception {
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).as("told").isTrue();
      assertThat(write.await(20, TimeUnit.SECONDS)).as("the write has ended").isTrue();
      assertThat(write.isSuccess()).isFalse();
      assertHonest();
      await()
          .atMost(20, TimeUnit.SECONDS)
          .until(() -> LifeCycleTest.endpointSize(pair.servers().next()) == 1);
      assertThat(log.count()).as("records logged: %s", log.first()).isLessThanOrEqualTo(4);
      assertThat(log.defects()).isZero();
    }

    long counted(CounterId id) throws Exception {
      return wrong.loopCounters().get(20, TimeUnit.SECONDS).getOrDefault(id, 0L);
    }

    @Override
    public void close() throws Exception {
      try {
        honest.close().sync();
        wrong.close().sync();
        pair.close();
      } finally {
        log.close();
      }
    }
  }

  /**
   * The channel may be closed before: by the write's failure, whose completion leaves with the
   * CLOSE or before it.
   */
  private static void assertRejected(RtChannel client) {
    await().atMost(20, TimeUnit.SECONDS).until(() -> client.closeReason() != null);
    assertThat(client.closeReason().code()).isEqualTo(CloseCode.REJECTED.code());
  }

  private static void shouldRefuse(TransportKind kind, Treatment treatment) throws Exception {
    try (Rig rig = new Rig(kind, treatment, b -> {})) {
      RtChannel client = rig.client(new Inbox());
      ChannelFuture write = client.writeAndFlush(EchoTest.text("to nobody"));
      rig.assertRefused(client, write);
      assertRejected(client);
      assertThat(rig.handler.children.take().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(rig.counted(CounterId.CHILDREN_REFUSED)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldRefuseAChildWhoseReadThrows(TransportKind kind) throws Exception {
    shouldRefuse(
        kind,
        (ctx, child) -> {
          throw new IllegalStateException("the server's handler broke");
        });
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldRefuseAChildWhoseReadThrowsAnError(TransportKind kind) throws Exception {
    shouldRefuse(kind, (ctx, child) -> sneak(new Error("the server's handler broke")));
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldRefuseAChildThatIsKept(TransportKind kind) throws Exception {
    shouldRefuse(kind, (ctx, child) -> {});
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldRefuseAtOnceAChildThatNoHandlerTakes(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(
          SocketPair.nothing(),
          bootstrap ->
              bootstrap.handler(
                  SocketPair.initializer(
                      server ->
                          server // behind whom the acceptor is put, and taken away
                              .eventLoop()
                              .execute(
                                  () ->
                                      server.eventLoop().execute(server.pipeline()::removeLast)))));
      RtChannel client = pair.connect(SocketPair.nothing());
      ChannelFuture write = client.writeAndFlush(EchoTest.text("to nobody"));
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).as("told").isTrue();
      assertThat(write.await(20, TimeUnit.SECONDS)).isTrue();
      assertRejected(client);
    }
  }

  private static void shouldForget(TransportKind kind, Treatment treatment) throws Exception {
    try (Rig rig = new Rig(kind, treatment, b -> {})) {
      RtChannel client = rig.client(new Inbox());
      ChannelFuture write = client.writeAndFlush(EchoTest.text("to nobody"));
      rig.assertRefused(client, write);
      assertThat(rig.handler.children.take().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldForgetAChildThatIsClosedUnregistered(TransportKind kind) throws Exception {
    shouldForget(kind, (ctx, child) -> child.close());
    shouldForget(kind, (ctx, child) -> child.unsafe().closeForcibly());
    shouldForget(kind, (ctx, child) -> new Thread(child::close).start());
    shouldForget(
        kind,
        (ctx, child) -> {
          child.close();
          ctx.fireChannelRead(child); // the acceptor registers what is closed
        });
    shouldForget(kind, (ctx, child) -> child.close(400, "not you"));
  }

  private static void shouldServe(TransportKind kind, Treatment treatment) throws Exception {
    try (Rig rig =
        new Rig(kind, treatment, b -> b.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 5_000))) {
      Inbox inbox = new Inbox();
      RtChannel client = rig.client(inbox);
      for (int i = 0; i < 100; i++) {
        client.writeAndFlush(EchoTest.text("message " + i));
      }
      for (int i = 0; i < 100; i++) {
        assertThat(inbox.nextBytes()).asString().isEqualTo("message " + i);
      }
      rig.assertHonest();
      client.close().sync();
      assertThat(rig.log.count()).as(rig.log.first()).isLessThanOrEqualTo(1);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldServeAChildThatIsRegisteredLater(TransportKind kind) throws Exception {
    shouldServe(
        kind,
        (ctx, child) ->
            ctx.executor()
                .schedule(() -> ctx.fireChannelRead(child), LIMIT_MILLIS, TimeUnit.MILLISECONDS));
    shouldServe(kind, (ctx, child) -> new Thread(() -> ctx.fireChannelRead(child)).start());
    shouldServe(
        kind,
        (ctx, child) -> {
          ctx.fireChannelRead(child);
          throw new IllegalStateException("once it is registered");
        });
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldServeAChildThatIsRegisteredWithAnotherLoop(TransportKind kind) throws Exception {
    MultiThreadIoEventLoopGroup others = new MultiThreadIoEventLoopGroup(1, kind.handlers());
    try {
      shouldServe(
          kind,
          (ctx, child) -> {
            child.pipeline().addLast(new EchoTest.Echo());
            others.register(child);
          });
    } finally {
      others.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }
}
