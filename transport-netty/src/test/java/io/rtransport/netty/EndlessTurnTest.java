package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.handler.RtTap;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * No application can keep its event loop in one turn for ever: what is due again each time ends its
 * connection.
 */
@Timeout(60)
class EndlessTurnTest {
  private static final byte[] HEADER = {1};

  /** Writes again what has just failed, which fails again. */
  private static void writeAgain(RtChannel channel, AtomicInteger writes) {
    writes.incrementAndGet();
    channel
        .writeAndFlush(Push.of(EchoTest.text("longer than what was agreed"), HEADER))
        .addListener(
            done -> {
              if (channel.isActive()) {
                writeAgain(channel, writes);
              }
            });
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldEndTheConnectionThatIsDueAgainEachTime(TransportKind kind) throws Exception {
    try (LogWatch log = new LogWatch();
        SocketPair pair = new SocketPair(kind)) {
      pair.listen(
          c -> c.pipeline().addLast(new EchoTest.Echo()),
          b -> b.option(RtChannelOption.MESSAGE_LENGTH_MAX, 10L));
      RtChannel client = pair.connect(SocketPair.nothing());
      RtChannel child = pair.child();
      Inbox inbox = new Inbox();
      RtChannel honest = pair.connect(SocketPair.handlers(inbox));
      AtomicInteger writes = new AtomicInteger();
      client.eventLoop().execute(() -> writeAgain(client, writes));
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).as("ended").isTrue();
      assertThat(client.closeReason().code()).isEqualTo(CloseCode.INTERNAL_ERROR.code());
      assertThat(child.closeFuture().await(20, TimeUnit.SECONDS)).as("told").isTrue();
      assertThat(child.closeReason().code()).isEqualTo(CloseCode.INTERNAL_ERROR.code());
      ChannelFuture write = honest.writeAndFlush(EchoTest.text("honest"));
      assertThat(inbox.nextBytes()).asString().isEqualTo("honest");
      assertThat(write.await(20, TimeUnit.SECONDS)).isTrue();
      EventLoop loop = client.eventLoop();
      long cutOff =
          loop.submit(() -> LoopDrivers.of(loop).counters().value(CounterId.TURNS_CUT_OFF)).get();
      assertThat(cutOff).isEqualTo(1);
      assertThat(log.defects()).isEqualTo(1);
      assertThat(writes.get()).isBetween(LoopDriver.SETTLES_PER_TURN_MAX / 2, 40_100);
      honest.close().sync();
    }
  }

  /** Throws at each burst that leaves. */
  private static final class BrokenTap extends RtTap {
    private final AtomicInteger bursts = new AtomicInteger();

    @Override
    protected void onTransmit(PacketBurst burst) {
      throw new IllegalStateException("the tap broke at burst " + bursts.incrementAndGet());
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldEndOnceTheConnectionThatBreaksEachTime(TransportKind kind) throws Exception {
    try (LogWatch log = new LogWatch();
        SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.handlers(new EchoTest.Echo()));
      Inbox inbox = new Inbox();
      RtChannel client = pair.connect(SocketPair.handlers(inbox));
      RtChannel child = pair.child();
      BrokenTap tap = new BrokenTap();
      client.eventLoop().submit(() -> client.pipeline().addFirst(tap)).sync();
      client.writeAndFlush(EchoTest.text("never sent"));
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).as("ended").isTrue();
      assertThat(child.closeFuture().await(20, TimeUnit.SECONDS)).as("told").isTrue();
      assertThat(child.closeReason().code()).isEqualTo(CloseCode.INTERNAL_ERROR.code());
      await()
          .atMost(20, TimeUnit.SECONDS)
          .until(() -> LifeCycleTest.endpointSize(client.eventLoop()) == 0);
      assertThat(log.defects()).as(log.first()).isEqualTo(1);
      assertThat(tap.bursts.get()).as("what threw once is asked no more").isEqualTo(1);
      assertThat(inbox.failures())
          .as("told of the defect, and that the connection is lost")
          .hasSize(2)
          .first()
          .satisfies(e -> assertThat(e).hasMessage("the tap broke at burst 1"));
    }
  }
}
