package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import io.rtransport.core.wire.RecordFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import io.rtransport.netty.handler.RtTap;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which writes tell the peer, by their records' flag, that nobody waits for their completion. What
 * the peer makes of it is core's to prove: on a busy machine a completion may find a packet to ride
 * on each time.
 */
@Timeout(60)
class UnawaitedWritesTest {
  private static final Duration LIMIT = Duration.ofSeconds(40);

  /** The flag of each message that left, by its RSN. */
  private static final class Flags extends RtTap {
    private final Map<Integer, Boolean> unawaited = new ConcurrentHashMap<>();
    private final ClearHeaderFlyweight clear = new ClearHeaderFlyweight();
    private final NumberedHeaderFlyweight numbered = new NumberedHeaderFlyweight();
    private final RecordFlyweight record = new RecordFlyweight();

    @Override
    protected void onTransmit(PacketBurst burst) {
      for (int i = 0; i < burst.count(); i++) {
        ByteBuffer buffer = burst.buffer(i);
        if (PacketType.isNumbered(clear.wrap(buffer, burst.offset(i)).type())) {
          numbered.wrap(buffer, burst.offset(i));
          read(buffer, numbered.recordsOffset(), numbered.recordsEnd(burst.length(i)));
        }
      }
    }

    private void read(ByteBuffer buffer, int from, int end) {
      for (int at = from; at < end; at += record.length()) {
        record.wrap(buffer, at);
        if (record.type() == RecordType.PUSH_UNSOLICITED_DATA) {
          unawaited.put(
              buffer.getInt(at + PushUnsolicitedDataFlyweight.RSN_OFFSET),
              (record.flags() & PushUnsolicitedDataFlyweight.FLAG_UNAWAITED) != 0);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "NIO,COMPLETED,true,1,true",
    "EPOLL,COMPLETED,true,1,true",
    "NIO,RECEIVED,true,1,true",
    "NIO,SENT,true,1,true",
    "NIO,SENT,false,1,true",
    "EPOLL,SENT,false,1,true",
    "NIO,COMPLETED,true,3,true",
    "EPOLL,COMPLETED,true,3,true",
    "NIO,COMPLETED,false,1,false",
    "EPOLL,COMPLETED,false,1,false",
    "NIO,COMPLETED,false,3,false",
    "NIO,RECEIVED,false,1,false",
    "EPOLL,RECEIVED,false,1,false"
  })
  void shouldSaySoWhereNobodyIsTold(
      TransportKind kind,
      WriteCompletes completes,
      boolean isVoid,
      int messages,
      boolean isUnawaited)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.nothing());
      Flags flags = new Flags();
      RtChannel client =
          pair.connect(
              SocketPair.handlers(flags),
              b -> b.option(RtChannelOption.WRITE_COMPLETES, completes));
      for (int i = 0; i < messages; i++) { // several make a run
        client.write(
            Unpooled.wrappedBuffer(new byte[64]),
            isVoid ? client.voidPromise() : client.newPromise());
      }
      client.flush();
      await().atMost(LIMIT).until(() -> completed(client) == messages);
      assertThat(flags.unawaited).hasSize(messages).containsValue(isUnawaited);
      assertThat(flags.unawaited.values()).doesNotContain(!isUnawaited);
    }
  }

  private static long completed(RtChannel client) throws Exception {
    return client
        .eventLoop()
        .submit(
            () ->
                inside(client)
                    .link()
                    .connection()
                    .counters()
                    .value(CounterId.TRANSACTIONS_COMPLETED))
        .get(20, TimeUnit.SECONDS);
  }
}
