package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Everything that a handler may do wrong, in each of its callbacks, in the pipelines of child,
 * client and server: each a case of its own, beside an honest connection of the same event loops.
 * After each case that works, what was written has ended, the channels are closed, the loops have
 * forgotten them and are at rest, and the log is short.
 */
@Timeout(120)
class WrongHandlerTest {
  private static final int LIMIT_MILLIS = 200;

  /** Records that one case may log: Netty logs what a handler throws, once a callback. */
  private static final int RECORDS_MAX = 40;

  /** Where the handler is. */
  enum Place {
    CHILD,
    CLIENT,
    SERVER
  }

  /** When it does wrong. */
  enum Callback {
    HANDLER_ADDED,
    REGISTERED,
    ACTIVE,
    READ,
    READ_COMPLETE,
    USER_EVENT,
    WRITABILITY,
    EXCEPTION_CAUGHT,
    INACTIVE,
    UNREGISTERED,
    HANDLER_REMOVED
  }

  /** What it does. */
  enum Wrong {
    EXCEPTION {
      @Override
      void act(ChannelHandlerContext ctx) {
        throw new IllegalStateException("a handler broke");
      }
    },
    ERROR {
      @Override
      void act(ChannelHandlerContext ctx) {
        throw new AssertionError("a handler broke");
      }
    },
    CLOSE {
      @Override
      void act(ChannelHandlerContext ctx) {
        ctx.close();
        ctx.channel().close();
      }
    },
    CLOSE_FORCIBLY {
      @Override
      void act(ChannelHandlerContext ctx) {
        ctx.channel().unsafe().closeForcibly();
      }
    },
    REMOVE_ITSELF {
      @Override
      void act(ChannelHandlerContext ctx) {
        ctx.pipeline().remove(ctx.name());
      }
    },
    WRITE {
      @Override
      void act(ChannelHandlerContext ctx) {
        ctx.channel().writeAndFlush(Unpooled.copiedBuffer("out of turn", StandardCharsets.UTF_8));
        ctx.writeAndFlush(
            Unpooled.copiedBuffer("again", StandardCharsets.UTF_8), ctx.voidPromise());
      }
    },
    DEREGISTER {
      @Override
      void act(ChannelHandlerContext ctx) {
        ctx.deregister();
      }
    },
    EVENTS {
      @Override
      void act(ChannelHandlerContext ctx) {
        ctx.fireChannelRegistered()
            .fireChannelActive()
            .fireChannelRead("nobody's message")
            .fireChannelReadComplete()
            .fireUserEventTriggered("nobody's event")
            .fireChannelWritabilityChanged()
            .fireExceptionCaught(new IllegalStateException("nobody's exception"))
            .fireChannelInactive()
            .fireChannelUnregistered();
        if (depth++ == 0) { // through itself and RT's own too
          ctx.pipeline()
              .fireChannelActive()
              .fireChannelRead("nobody's message")
              .fireChannelReadComplete()
              .fireChannelWritabilityChanged()
              .fireChannelInactive();
        }
        depth--;
      }
    },
    EMPTY_PIPELINE {
      @Override
      void act(ChannelHandlerContext ctx) {
        while (ctx.pipeline().last() != null) {
          ctx.pipeline().removeLast();
        }
      }
    };

    private static final java.nio.charset.Charset CHARSET = java.nio.charset.StandardCharsets.UTF_8;
    private static int depth;

    abstract void act(ChannelHandlerContext ctx);
  }

  /** Does {@code wrong} in {@code when}, each time; in everything else it is a good handler. */
  @Sharable
  static final class WrongHandler extends ChannelInboundHandlerAdapter {
    private final Callback when;
    private final Wrong wrong;
    final AtomicInteger times = new AtomicInteger();
    volatile boolean isOver;

    WrongHandler(Callback when, Wrong wrong) {
      this.when = when;
      this.wrong = wrong;
    }

    private void act(Callback now, ChannelHandlerContext ctx) {
      if (now == when && !isOver && times.getAndIncrement() < 20) {
        wrong.act(ctx);
      }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      act(Callback.HANDLER_ADDED, ctx);
    }

    @Override
    public void channelRegistered(ChannelHandlerContext ctx) {
      act(Callback.REGISTERED, ctx);
      ctx.fireChannelRegistered();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      act(Callback.ACTIVE, ctx);
      ctx.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      boolean isPassed = false;
      try {
        act(Callback.READ, ctx);
        isPassed = true;
      } finally {
        if (!isPassed) {
          ReferenceCountUtil.release(message);
        }
      }
      ctx.fireChannelRead(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      act(Callback.READ_COMPLETE, ctx);
      ctx.fireChannelReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      act(Callback.USER_EVENT, ctx);
      ctx.fireUserEventTriggered(event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      act(Callback.WRITABILITY, ctx);
      ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      act(Callback.EXCEPTION_CAUGHT, ctx);
      ctx.fireExceptionCaught(cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      act(Callback.INACTIVE, ctx);
      ctx.fireChannelInactive();
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext ctx) {
      act(Callback.UNREGISTERED, ctx);
      ctx.fireChannelUnregistered();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      act(Callback.HANDLER_REMOVED, ctx);
    }
  }

  /** A step that may fail. */
  private interface Step {
    void run() throws Exception;
  }

  /** A server, a client, and the handler that does wrong in one of the pipelines. */
  private static final class Case {
    private final String name;
    private final Place place;
    private final WrongHandler handler;
    private final Queue<Channel> children = new ConcurrentLinkedQueue<>();
    private final List<ChannelFuture> writes = new ArrayList<>();
    private final RtServerChannel server;
    private final ChannelFuture connected;
    private final Channel client;

    Case(Rig rig, Place place, Callback when, Wrong wrong) throws Exception {
      this.name = place + ", " + when + ", " + wrong;
      this.place = place;
      handler = new WrongHandler(when, wrong);
      server =
          rig.pair.listenAt(
              new InetSocketAddress(NetUtil.LOCALHOST4, 0),
              child -> {
                children.add(child);
                rig.names.put(child, name);
                if (place == Place.CHILD) {
                  child.pipeline().addLast(handler);
                }
                child.pipeline().addLast(new EchoTest.Echo());
              },
              b -> b.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, LIMIT_MILLIS));
      if (place == Place.SERVER) {
        server
            .eventLoop()
            .submit(() -> server.pipeline().addFirst(handler)) // which may throw
            .await(10, TimeUnit.SECONDS);
      }
      connected =
          rig.pair
              .client(
                  channel -> {
                    rig.names.put(channel, name);
                    if (place == Place.CLIENT) {
                      channel.pipeline().addLast(handler);
                    }
                  },
                  b ->
                      b.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, LIMIT_MILLIS)
                          .option(
                              ChannelOption.WRITE_BUFFER_WATER_MARK,
                              new WriteBufferWaterMark(100, 200)))
              .connect(server.localAddress());
      client = connected.channel();
    }

    /** Runs {@code step}, and says of which case it is if it fails. */
    void named(Step step) {
      try {
        step.run();
      } catch (Exception | AssertionError e) {
        throw new AssertionError(name + ": " + e, e);
      }
    }

    void awaitConnect() throws InterruptedException {
      assertThat(connected.await(10, TimeUnit.SECONDS)).as("connect is done").isTrue();
    }

    void write() {
      for (int i = 0; i < 3; i++) {
        writes.add(client.writeAndFlush(Unpooled.wrappedBuffer(new byte[150])));
      }
      Rig.stir(client);
      children.forEach(Rig::stir);
      if (place == Place.SERVER) {
        Rig.stir(server);
      }
    }

    void end() throws Exception {
      handler.isOver = true;
      close(client);
      for (Channel child : children) {
        close(child);
      }
      close(server);
      for (ChannelFuture write : writes) {
        assertThat(write.await(10, TimeUnit.SECONDS)).as("write has ended").isTrue();
      }
    }

    /** Not by its pipeline, which may be empty. */
    private static void close(Channel channel) throws Exception {
      channel
          .eventLoop()
          .submit(() -> channel.unsafe().close(channel.newPromise()))
          .get(10, TimeUnit.SECONDS);
      assertThat(channel.closeFuture().await(10, TimeUnit.SECONDS)).as("closed").isTrue();
    }
  }

  /** The honest connection, and what all cases of one transport share. */
  private static final class Rig implements AutoCloseable {
    final TransportKind kind;
    final LogWatch log = new LogWatch();
    final SocketPair pair;
    private final Inbox honestInbox = new Inbox();
    private final RtChannel honest;
    private final Map<Channel, String> names = new ConcurrentHashMap<>();
    int cases;

    Rig(TransportKind kind) throws Exception {
      this.kind = kind;
      pair = new SocketPair(kind);
      pair.listen(SocketPair.handlers(new EchoTest.Echo()));
      honest = pair.connect(SocketPair.handlers(honestInbox));
    }

    void assertHonest() throws Exception {
      ChannelFuture write = honest.writeAndFlush(EchoTest.text("honest"));
      assertThat(write.await(10, TimeUnit.SECONDS)).as("the honest write is done").isTrue();
      assertThat(write.cause()).isNull();
      assertThat(honestInbox.nextBytes()).asString().isEqualTo("honest");
    }

    /** One case of each wrong, side by side, for some wait for a timeout. */
    void run(Place place, Callback when) throws Exception {
      long recordsBefore = log.count();
      List<Case> batch = new ArrayList<>();
      for (Wrong wrong : Wrong.values()) {
        batch.add(new Case(this, place, when, wrong));
      }
      for (Case one : batch) {
        one.named(one::awaitConnect);
      }
      for (Case one : batch) {
        one.named(one::write);
      }
      assertHonest();
      for (Case one : batch) {
        one.named(one::end);
        cases++;
      }
      assertHonest();
      assertThat(log.count() - recordsBefore)
          .as("records logged in %s, %s: %s", place, when, log.first())
          .isLessThanOrEqualTo((long) batch.size() * RECORDS_MAX);
    }

    /** Makes events of it that a quiet connection does not have. */
    private static void stir(Channel channel) {
      channel
          .eventLoop()
          .execute(
              () -> {
                channel.pipeline().fireUserEventTriggered("stir");
                channel.pipeline().fireExceptionCaught(new IllegalStateException("stir"));
              });
    }

    /**
     * The loops come to rest: fewer than 50 turns in 0.3 s. Connections that still close may turn a
     * loop for a while; a link that is due for ever turns it without end, some 100,000 times in
     * that time.
     */
    void assertAtRest() throws Exception {
      for (EventLoop loop : List.of(pair.servers().next(), pair.clients().next())) {
        long[] last = {turns(loop)};
        await("turns in 0.3 s without traffic below 50")
            .pollDelay(300, TimeUnit.MILLISECONDS)
            .pollInterval(300, TimeUnit.MILLISECONDS)
            .atMost(15, TimeUnit.SECONDS)
            .until(
                () -> {
                  long turns = turns(loop);
                  long made = turns - last[0];
                  last[0] = turns;
                  return made < 50;
                });
      }
      assertThat(log.defects()).as("defects: %s", log.first()).isZero();
    }

    /** All but the honest connection are forgotten. */
    void assertForgotten() throws Exception {
      for (EventLoop loop : List.of(pair.servers().next(), pair.clients().next())) {
        try {
          await().atMost(20, TimeUnit.SECONDS).until(() -> LifeCycleTest.endpointSize(loop) == 1);
        } catch (ConditionTimeoutException e) {
          throw new AssertionError(e.getMessage() + "; left are " + left(), e);
        }
      }
    }

    /** The links of both loops but the honest connection's, each with what it waits for. */
    private List<String> left() throws Exception {
      List<String> left = new ArrayList<>();
      for (EventLoop loop : List.of(pair.servers().next(), pair.clients().next())) {
        String side = loop == pair.clients().next() ? "client" : "server";
        loop.submit(
                () ->
                    LoopDrivers.of(loop)
                        .forEachLink(
                            link -> left.add("\n" + side + ": " + describe((PipelineLink) link))))
            .get(10, TimeUnit.SECONDS);
      }
      return left;
    }

    private String describe(PipelineLink link) {
      RtChannel channel = link.channel();
      return link.connection()
          + " waits for "
          + link.connection().waitsFor()
          + ", open "
          + channel.isOpen()
          + ", registered "
          + channel.isRegistered()
          + ", piped "
          + link.hasHandlers()
          + ", reason "
          + channel.closeReason()
          + ", local "
          + channel.localAddress()
          + ", handlers "
          + channel.pipeline().names()
          + ", case "
          + names.get(channel);
    }

    private static long turns(EventLoop loop) throws Exception {
      return loop.submit(() -> LoopDrivers.of(loop).turns()).get(10, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws Exception {
      try {
        honest.close().sync();
        pair.close();
      } finally {
        log.close();
      }
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldKeepWrongHandlersToTheirOwnConnections(TransportKind kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      runEachCase(rig);
    }
  }

  /**
   * A proof for its time: a connection may drain for 5 s, repeat its CLOSE for 5 s, and its peer
   * answer that for 5 s more.
   */
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  @Tag("proof")
  void shouldForgetAllConnectionsOfWrongHandlers(TransportKind kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      runEachCase(rig);
      long endNs = System.nanoTime();
      rig.assertForgotten();
      System.out.printf(
          "forgotten over %s in %d ms%n", kind, (System.nanoTime() - endNs) / 1_000_000);
    }
  }

  /**
   * Whose pipeline was emptied while it read, and whose peer it does not hear any more: on a path
   * that is gone by now.
   */
  private static RtChannel deafChild(SocketPair pair, RtServerChannel server) throws Exception {
    try (RebindingRelay relay =
        new RebindingRelay(server.localAddress(), Long.MAX_VALUE, Integer.MAX_VALUE)) {
      pair.client(SocketPair.nothing(), b -> {})
          .connect(relay.address())
          .sync()
          .channel()
          .writeAndFlush(Unpooled.wrappedBuffer(new byte[150]));
      RtChannel child = pair.child();
      await().atMost(10, TimeUnit.SECONDS).until(() -> child.pipeline().last() == null);
      return child;
    }
  }

  /**
   * The end of the batch that it read was told to nobody: then its close sent nothing, and woke
   * nobody.
   */
  @ParameterizedTest
  @NioAndEpoll
  void shouldCloseWhatHasNoHandlersAndHearsNothing(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      WrongHandler wrong = new WrongHandler(Callback.READ, Wrong.EMPTY_PIPELINE);
      RtServerChannel server =
          pair.listen(
              SocketPair.handlers(wrong),
              b -> b.option(RtChannelOption.CLOSE_TIMEOUT_MILLIS, 500L));
      RtChannel child = deafChild(pair, server);
      EventLoop loop = child.eventLoop();
      loop.submit(() -> child.unsafe().close(child.newPromise())).get(10, TimeUnit.SECONDS);
      await()
          .atMost(4, TimeUnit.SECONDS)
          .until(() -> loop.submit(() -> inside(child).link().connection().isEnded()).get());
    }
  }

  private static void runEachCase(Rig rig) throws Exception {
    long beginNs = System.nanoTime();
    for (Place place : Place.values()) {
      for (Callback when : Callback.values()) {
        rig.run(place, when);
      }
    }
    rig.assertAtRest();
    System.out.printf(
        "wrong handlers over %s: %d cases in %d ms%n",
        rig.kind, rig.cases, (System.nanoTime() - beginNs) / 1_000_000);
    assertThat(rig.cases).isEqualTo(3 * 11 * 9);
  }
}
