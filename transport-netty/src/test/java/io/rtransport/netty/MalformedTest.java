package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.rtransport.core.stats.CounterId;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Strangers' datagrams at a server: dropped and counted, nothing thrown, and nobody else hurt. */
@Timeout(60)
class MalformedTest {
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldDropAndCountWhatIsNoPacket(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind);
        DatagramSocket stranger = new DatagramSocket()) {
      Inbox atServer = new Inbox();
      RtServerChannel server = pair.listen(SocketPair.handlers(atServer));
      RtChannel client = pair.connect(SocketPair.nothing());
      Random random = new Random(3);
      int sent = 0;
      for (int i = 0; i < 500; i++) {
        byte[] bytes = TransactionTest.random(random.nextInt(1_600), i);
        if (bytes.length > 16 && i % 2 == 0) {
          bytes[0] = 1; // our version, so the door looks further
          bytes[1] = (byte) (1 + random.nextInt(15));
          bytes[2] = (byte) (bytes.length >>> 8);
          bytes[3] = (byte) bytes.length;
        }
        stranger.send(new DatagramPacket(bytes, bytes.length, server.localAddress()));
        sent += bytes.length > 0 ? 1 : 0;
        if (i % 50 == 0) {
          client.writeAndFlush(EchoTest.text("in between")).sync();
        }
      }
      client.writeAndFlush(EchoTest.text("still well")).sync();
      int expected = sent;
      EventLoop loop = pair.servers().next();
      await()
          .atMost(10, TimeUnit.SECONDS)
          .untilAsserted(() -> assertThat(drops(loop)).isGreaterThan(expected * 9 / 10));
      assertThat(atServer.failures()).isEmpty();
      assertThat(pair.child().isActive()).isTrue();
      client.close().sync();
    }
  }

  private static long drops(EventLoop loop) throws Exception {
    return loop.submit(
            () -> {
              long sum = 0;
              for (CounterId id : CounterId.values()) {
                sum +=
                    id.name().startsWith("DROP_")
                        ? LoopDriver.of(loop).endpoint().counters().value(id)
                        : 0;
              }
              return sum;
            })
        .get(5, TimeUnit.SECONDS);
  }
}
