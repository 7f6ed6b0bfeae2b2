package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.rtransport.core.proof.ProofShare;
import io.rtransport.netty.WrongHandlerTest.Callback;
import io.rtransport.netty.WrongHandlerTest.Wrong;
import io.rtransport.netty.WrongHandlerTest.WrongHandler;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * An honest connection beside 2,000 on the same event loops whose handlers do wrong at random, at
 * both ends and in the server's pipeline, and which stay open: it keeps nine tenths of the messages
 * a second that it has alone.
 */
@Tag("proof")
class HonestBesideWrongHandlersTest {
  private static final int CONNECTIONS = 2_000;
  private static final int CONNECTIONS_PER_SECOND = 200;
  private static final int HONEST_PER_SECOND = 1_000;

  /** Loses, keeps or delays one child in ten. */
  @Sharable
  private static final class Careless extends ChannelInboundHandlerAdapter {
    private final SplittableRandom random;

    Careless(SplittableRandom random) {
      this.random = random;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object child) {
      switch (random.nextInt(30)) {
        case 0 -> {} // lost
        case 1 -> ((RtChannel) child).close();
        case 2 ->
            ctx.executor().schedule(() -> ctx.fireChannelRead(child), 100, TimeUnit.MILLISECONDS);
        default -> ctx.fireChannelRead(child);
      }
    }
  }

  private static WrongHandler draw(SplittableRandom random) {
    return new WrongHandler(
        Callback.values()[random.nextInt(Callback.values().length)],
        Wrong.values()[random.nextInt(Wrong.values().length)]);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldKeepTheHonestConnectionsRate(TransportKind kind) throws Exception {
    int connections = new ProofShare().times(200, CONNECTIONS);
    long seed = ProofShare.seed("HonestBesideWrongHandlersTest");
    // One a loop: each draws on its own.
    SplittableRandom seeds = new SplittableRandom(seed);
    SplittableRandom ofClients = seeds.split();
    SplittableRandom ofChildren = seeds.split();
    Careless careless = new Careless(seeds.split());
    try (LogWatch log = new LogWatch();
        SocketPair pair = new SocketPair(kind)) {
      pair.listen(child -> child.pipeline().addLast(new EchoTest.Echo()));
      AtomicLong echoed = new AtomicLong();
      RtChannel honest =
          pair.connect(
              SocketPair.handlers(
                  new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object message) {
                      ReferenceCountUtil.release(message);
                      echoed.incrementAndGet();
                    }
                  }));
      RtServerChannel wrong =
          pair.listenAt(
              new InetSocketAddress(NetUtil.LOCALHOST4, 0),
              child -> child.pipeline().addLast(draw(ofChildren), new EchoTest.Echo()),
              b -> b.handler(careless).option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 1_000));
      AtomicInteger failed = new AtomicInteger();
      Future<?> clock =
          honest
              .eventLoop()
              .scheduleAtFixedRate(
                  () ->
                      honest
                          .writeAndFlush(Unpooled.wrappedBuffer(new byte[64]))
                          .addListener(done -> failed.addAndGet(done.isSuccess() ? 0 : 1)),
                  0,
                  TimeUnit.SECONDS.toNanos(1) / HONEST_PER_SECOND,
                  TimeUnit.NANOSECONDS);
      rate(echoed, 2_000); // warm-up
      double alone = rate(echoed, 3_000);
      Queue<ChannelFuture> attempts = new ConcurrentLinkedQueue<>();
      AtomicInteger begun = new AtomicInteger();
      long beforeNs = System.nanoTime();
      long before = echoed.get();
      Future<?> crowd =
          honest
              .eventLoop()
              .scheduleAtFixedRate(
                  () -> {
                    if (begun.get() < connections) {
                      begun.incrementAndGet();
                      ChannelFuture attempt =
                          pair.client(
                                  channel -> channel.pipeline().addLast(draw(ofClients)),
                                  b -> b.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 2_000))
                              .connect(wrong.localAddress());
                      attempts.add(attempt);
                      attempt.addListener(
                          done ->
                              attempt
                                  .channel()
                                  .writeAndFlush(Unpooled.wrappedBuffer(new byte[150])));
                    }
                  },
                  0,
                  TimeUnit.SECONDS.toNanos(1) / CONNECTIONS_PER_SECOND,
                  TimeUnit.NANOSECONDS);
      await().atMost(120, TimeUnit.SECONDS).until(() -> begun.get() == connections);
      rate(echoed, 2_000); // with all of them open
      double beside = (echoed.get() - before) * 1e9 / (System.nanoTime() - beforeNs);
      clock.cancel(false);
      crowd.cancel(false);
      System.out.printf(
          Locale.ROOT,
          "honest echoes a second over %s: alone %.0f, beside %d wrong connections %.0f; %d records logged%n",
          kind,
          alone,
          connections,
          beside,
          log.count());
      assertThat(failed.get()).as("honest writes that failed, seed %d", seed).isZero();
      assertThat(beside).as("echoes a second, seed %d", seed).isGreaterThan(0.9 * alone);
      assertThat(log.defects()).as("seed %d: %s", seed, log.first()).isZero();
      assertThat(log.count()).as("records, seed %d", seed).isLessThan(40L * connections);
      for (ChannelFuture attempt : attempts) {
        assertThat(attempt.await(40, TimeUnit.SECONDS)).as("connect is done").isTrue();
        attempt
            .channel()
            .eventLoop()
            .execute(() -> attempt.channel().unsafe().close(attempt.channel().newPromise()));
      }
      honest.close().sync();
      wrong.close().sync();
    }
  }

  /** Echoes a second in the next {@code millis}. */
  private static double rate(AtomicLong echoed, long millis) {
    long beginNs = System.nanoTime();
    long begin = echoed.get();
    await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> System.nanoTime() - beginNs >= TimeUnit.MILLISECONDS.toNanos(millis));
    return (echoed.get() - begin) * 1e9 / (System.nanoTime() - beginNs);
  }
}
