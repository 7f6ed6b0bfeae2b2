package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which writes tell the peer that nobody waits for their completion: it then holds that back for a while, which it counts. */
@Timeout(60)
class UnawaitedWritesTest {
  private static final Duration LIMIT = Duration.ofSeconds(40);

  private static long value(RtChannel channel, CounterId id) throws Exception {
    return channel
        .eventLoop()
        .submit(() -> channel.link().connection().counters().value(id))
        .get(20, TimeUnit.SECONDS);
  }

  private static ByteBuf message() {
    return Unpooled.wrappedBuffer(new byte[64]);
  }

  @ParameterizedTest
  @CsvSource({
    "NIO,COMPLETED,true,1,1",
    "EPOLL,COMPLETED,true,1,1",
    "NIO,RECEIVED,true,1,1",
    "NIO,SENT,true,1,1",
    "NIO,SENT,false,1,1",
    "EPOLL,SENT,false,1,1",
    "NIO,COMPLETED,true,3,1",
    "EPOLL,COMPLETED,true,3,1",
    "NIO,COMPLETED,false,1,0",
    "EPOLL,COMPLETED,false,1,0",
    "NIO,RECEIVED,false,1,0",
    "EPOLL,RECEIVED,false,1,0"
  })
  void shouldSaySoWhereNobodyIsTold(
      TransportKind kind, WriteCompletes completes, boolean isVoid, int messages, int held)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.nothing());
      RtChannel client =
          pair.connect(
              SocketPair.nothing(), b -> b.option(RtChannelOption.WRITE_COMPLETES, completes));
      RtChannel child = pair.child();
      // Something else may leave in the same turn now and then, and take the completion along.
      for (int tries = 1; tries <= 20 && value(child, CounterId.COMPLETIONS_HELD) == 0; tries++) {
        for (int i = 0; i < messages; i++) { // several make a run
          client.write(message(), isVoid ? client.voidPromise() : client.newPromise());
        }
        client.flush();
        int written = tries * messages;
        await()
            .atMost(LIMIT)
            .until(() -> value(client, CounterId.TRANSACTIONS_COMPLETED) == written);
      }
      assertThat(value(child, CounterId.COMPLETIONS_HELD)).isEqualTo(held);
    }
  }
}
