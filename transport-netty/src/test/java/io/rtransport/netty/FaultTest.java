package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Every message arrives once, whole and in order over a network that loses, repeats, overtakes and
 * spoils.
 */
@Timeout(90)
class FaultTest {
  private static final Faults BAD = new Faults(0.05, 0.05, 0.1, 0.03, 100_000, 400_000);

  @ParameterizedTest
  @NioAndEpoll
  void shouldCarryMessagesOverABadNetwork(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      FaultInjectionHandler atServer = new FaultInjectionHandler(BAD, BAD, 11);
      FaultInjectionHandler atClient = new FaultInjectionHandler(BAD, BAD, 12);
      pair.listen(
          child -> {
            atServer.addTo(child);
            child.pipeline().addLast(new EchoTest.Echo());
          });
      Inbox inbox = new Inbox();
      RtChannel client =
          pair.connect(
              channel -> {
                atClient.addTo(channel);
                channel.pipeline().addLast(inbox);
              });
      Random random = new Random(7);
      List<byte[]> sent = new ArrayList<>();
      List<ChannelFuture> writes = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        byte[] message = TransactionTest.random(1 << random.nextInt(i % 100 == 0 ? 19 : 12), i);
        sent.add(message);
        writes.add(client.writeAndFlush(Unpooled.wrappedBuffer(message)));
      }
      for (int i = 0; i < sent.size(); i++) {
        assertThat(inbox.nextBytes()).as("message %d", i).isEqualTo(sent.get(i));
      }
      for (ChannelFuture write : writes) {
        assertThat(write.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(write.cause()).isNull();
      }
      for (FaultInjectionHandler faults : List.of(atServer, atClient)) {
        assertThat(faults.lostCount()).isPositive();
        assertThat(faults.duplicatedCount()).isPositive();
        assertThat(faults.reorderedCount()).isPositive();
        assertThat(faults.corruptedCount()).isPositive();
      }
      assertThat(client.stats().get().counters()).containsKey(CounterId.DROP_INTEGRITY);
      assertThat(client.stats().get().counters()).containsKey(CounterId.DUPLICATES_RECEIVED);
      client.close().sync();
      assertThat(pair.child().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldLoseAllOnADarkPathAndNothingElse(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      FaultInjectionHandler faults = new FaultInjectionHandler(Faults.loss(0), Faults.loss(0), 1);
      RtServerChannel server = pair.listen(child -> child.pipeline().addLast(new EchoTest.Echo()));
      Inbox inbox = new Inbox();
      RtChannel client =
          pair.connect(
              channel -> {
                faults.addTo(channel);
                channel.pipeline().addLast(inbox);
              },
              options ->
                  options.option(RtChannelOption.RAILS, List.of(RtRail.to(server.localAddress()))));
      echoUntil(client, inbox, CounterId.PATHS_RETURNED, 1); // its first answer counts too
      assertThat(faults.darkCount()).isZero();
      faults.darkPaths(0b10);
      echoUntil(client, inbox, CounterId.PATHS_SUSPECTED, 1);
      assertThat(faults.darkCount()).isPositive();
      faults.darkPaths(0);
      long lost = faults.darkCount();
      echoUntil(client, inbox, CounterId.PATHS_RETURNED, 2);
      assertThat(faults.darkCount()).isEqualTo(lost);
      assertThat(faults.lostCount()).isZero();
      client.close().sync();
    }
  }

  private static void echoUntil(RtChannel client, Inbox inbox, CounterId id, long least)
      throws Exception {
    while (client.stats().get().counters().getOrDefault(id, 0L) < least) {
      client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {1}));
      assertThat(inbox.nextBytes()).containsExactly(1);
    }
  }
}
