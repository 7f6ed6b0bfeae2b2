package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.rtransport.core.time.DeadlineWheel;
import io.rtransport.netty.internal.loop.LoopAlarm;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a channel says of its acknowledgements is what its event loop's timer can keep. */
class AckDelayTest {
  private static final int HOLD_MICROS = 700;

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldTellThePeerOfItsTimersTick(TransportKind kind) throws Exception {
    long wheelMicros = 1 + TimeUnit.NANOSECONDS.toMicros(DeadlineWheel.TICK_NS); // rounded up
    long tickMicros = wheelMicros + (kind == TransportKind.NIO ? 1_000 : 200);
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(
          SocketPair.nothing(),
          server -> server.option(RtChannelOption.ACK_DELAY_MICROS, HOLD_MICROS));
      RtChannel client = pair.connect(SocketPair.nothing());
      long saidNs = client.agreed().tx().ackDelayNsMax();
      assertThat(TimeUnit.NANOSECONDS.toMicros(saidNs)).isEqualTo(HOLD_MICROS + tickMicros);
      assertThat(TimeUnit.NANOSECONDS.toMicros(client.agreed().rx().ackDelayNsMax()))
          .isEqualTo(1_000);
      client.close().sync();
    }
  }

  @Test
  void shouldKnowThatALoopThatNeverSleepsIsExact() throws Exception {
    EventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, RtChannels.busyPolling(NioIoHandler.newFactory()));
    EventLoop loop = group.next();
    assertThat(LoopAlarm.tickNs(loop)).isEqualTo(LoopAlarm.TICK_NS);
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
  }
}
