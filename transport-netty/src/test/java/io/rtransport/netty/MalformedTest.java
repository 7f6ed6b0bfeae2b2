package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.wire.Integrity;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PacketValidator;
import io.rtransport.core.wire.RecordType;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Strangers' datagrams at a server: each is dropped under the counter that is its own, nothing else
 * moves, nothing is thrown, and nobody else is hurt.
 */
@Timeout(60)
class MalformedTest {
  private static final int UNKNOWN_CID = 0x7FFF_FF01;
  private static final Duration TICK = Duration.ofMillis(2);
  private static final Integrity INTEGRITY = new Integrity();

  /** A datagram, and what its arrival counts, {@link CounterId#DATAGRAMS_RECEIVED} apart. */
  private record Malformed(String name, byte[] bytes, Map<CounterId, Long> counts) {}

  private static Malformed dropped(String name, byte[] bytes, CounterId counter) {
    return new Malformed(name, bytes, Map.of(counter, 1L));
  }

  /**
   * A sealed packet of {@code length} bytes, zeros but for its clear header and what {@code body}
   * writes.
   */
  private static byte[] packet(int type, int length, Consumer<ByteBuffer> body) {
    ByteBuffer packet = ByteBuffer.allocate(length);
    packet.put(0, (byte) 1).put(1, (byte) type).putShort(2, (short) length);
    packet.putInt(4, UNKNOWN_CID).putLong(8, 0x1234_5678_9ABC_DEF0L);
    body.accept(packet);
    INTEGRITY.seal(packet, 0, length);
    return packet.array();
  }

  private static byte[] unaddressed(int type, int length, Consumer<ByteBuffer> body) {
    return packet(
        type,
        length,
        p -> {
          p.putInt(4, 0).putLong(8, 0);
          body.accept(p);
        });
  }

  private static byte[] data(int length, Consumer<ByteBuffer> body) {
    return packet(PacketType.DATA, length, body);
  }

  private static byte[] damaged(byte[] packet) {
    packet[packet.length / 2] ^= 8;
    return packet;
  }

  private static List<Malformed> malformed(int liveCid) {
    return List.of(
        dropped("shorter than any", new byte[19], CounterId.DROP_TRUNCATED),
        dropped("version 2", data(60, p -> p.put(0, (byte) 2)), CounterId.DROP_VERSION),
        dropped("says more", data(60, p -> p.putShort(2, (short) 61)), CounterId.DROP_TRUNCATED),
        dropped("says less", data(60, p -> p.putShort(2, (short) 59)), CounterId.DROP_OVERLONG),
        dropped("reserved bit", data(60, p -> p.put(1, (byte) 0x22)), CounterId.DROP_FLAGS),
        dropped("type 0", packet(0, 60, p -> {}), CounterId.DROP_TYPE),
        dropped("type 16", packet(16, 60, p -> {}), CounterId.DROP_TYPE),
        dropped("DATA too short", data(39, p -> {}), CounterId.DROP_TRUNCATED),
        dropped(
            "CLOSE_ACK too long",
            packet(PacketType.CLOSE_ACK, 25, p -> {}),
            CounterId.DROP_OVERLONG),
        dropped("damaged", damaged(data(60, p -> {})), CounterId.DROP_INTEGRITY),
        dropped("numbered flag", data(40, p -> p.put(32, (byte) 0x80)), CounterId.DROP_FLAGS),
        dropped("no record", data(40, p -> p.put(33, (byte) 1)), CounterId.DROP_RECORD_COUNT),
        dropped("a record more", data(44, p -> {}), CounterId.DROP_RECORD_COUNT),
        dropped(
            "record of the other window",
            data(
                48,
                p ->
                    p.put(33, (byte) 1)
                        .put(36, (byte) RecordType.PULL_REQUEST)
                        .putShort(38, (short) 8)),
            CounterId.DROP_RECORD_TYPE),
        dropped(
            "record past the end",
            data(48, p -> p.put(33, (byte) 1).putShort(38, (short) 9)),
            CounterId.DROP_RECORD_LENGTH),
        dropped(
            "ACK's words past the end",
            packet(PacketType.ACK, 44, p -> p.put(25, (byte) 1)),
            CounterId.DROP_ACK_BODY),
        dropped(
            "CONNECT to a connection",
            packet(PacketType.CONNECT, 512, p -> p.putInt(32, 1)),
            CounterId.DROP_CID),
        dropped(
            "CONNECT without a source",
            unaddressed(PacketType.CONNECT, 512, p -> {}),
            CounterId.DROP_BODY),
        dropped(
            "CONNECT's parameters past the end",
            unaddressed(PacketType.CONNECT, 512, p -> p.putInt(32, 1).putShort(38, (short) 461)),
            CounterId.DROP_TLV),
        dropped(
            "versions that are not there",
            packet(PacketType.VERSION_NEGOTIATION, 33, p -> p.put(24, (byte) 2)),
            CounterId.DROP_BODY),
        dropped(
            "RESET of nobody's connection",
            unaddressed(PacketType.RESET, 32, p -> p.putInt(16, liveCid).putLong(20, 77)),
            CounterId.DROP_COOKIE),
        dropped(
            "a stranger's packet for a connection",
            data(40, p -> p.putInt(4, liveCid)),
            CounterId.DROP_SOURCE),
        new Malformed(
            "no connection's, and answered",
            data(40, p -> {}),
            Map.of(
                CounterId.DROP_CID, 1L, CounterId.RESETS_SENT, 1L, CounterId.DATAGRAMS_SENT, 1L)));
  }

  /**
   * What the loop has counted for no connection: its sum without {@code child}'s share, which goes
   * on by itself.
   */
  private static Map<CounterId, Long> counts(EventLoop loop, RtChannel child) throws Exception {
    return loop.submit(
            () -> {
              Counters all = LoopDrivers.of(loop).endpoint().counters();
              Counters own = inside(child).link().connection().counters();
              Map<CounterId, Long> counts = new EnumMap<>(CounterId.class);
              for (CounterId id : CounterId.values()) {
                if (all.value(id) != own.value(id)) {
                  counts.put(id, all.value(id) - own.value(id));
                }
              }
              return counts;
            })
        .get(20, TimeUnit.SECONDS);
  }

  private static void shouldCount(
      Malformed datagram, DatagramSocket stranger, RtServerChannel server, RtChannel child)
      throws Exception {
    EventLoop loop = server.eventLoop();
    Map<CounterId, Long> expected = counts(loop, child);
    expected.merge(CounterId.DATAGRAMS_RECEIVED, 1L, Long::sum);
    datagram.counts.forEach((id, count) -> expected.merge(id, count, Long::sum));
    send(stranger, datagram.bytes, server);
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(TICK)
        .atMost(20, TimeUnit.SECONDS)
        .until(
            () ->
                expected
                    .get(CounterId.DATAGRAMS_RECEIVED)
                    .equals(counts(loop, child).get(CounterId.DATAGRAMS_RECEIVED)));
    assertThat(counts(loop, child)).as(datagram.name).isEqualTo(expected);
  }

  private static void send(DatagramSocket from, byte[] bytes, RtServerChannel to)
      throws IOException {
    from.send(new DatagramPacket(bytes, bytes.length, to.localAddress()));
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldCountEachMalformationForItselfAndNothingElse(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind);
        DatagramSocket stranger = new DatagramSocket()) {
      Inbox atServer = new Inbox();
      RtServerChannel server = pair.listen(SocketPair.handlers(atServer));
      RtChannel client = pair.connect(SocketPair.nothing());
      RtChannel child = pair.child();
      client.writeAndFlush(EchoTest.text("before")).sync();
      for (Malformed datagram : malformed(inside(child).link().connection().cid())) {
        shouldCount(datagram, stranger, server, child);
      }
      assertThat(atServer.nextBytes()).asString().isEqualTo("before");
      client.writeAndFlush(EchoTest.text("after")).sync();
      assertThat(atServer.nextBytes()).asString().isEqualTo("after");
      assertThat(atServer.failures()).isEmpty();
      assertThat(child.stats().get(20, TimeUnit.SECONDS).counters().keySet())
          .as("what reached the connection")
          .noneMatch(id -> id.name().startsWith("DROP_"));
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldCountRandomBytesByTheirFirstFault(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind);
        DatagramSocket stranger = new DatagramSocket()) {
      RtServerChannel server = pair.listen(SocketPair.nothing());
      RtChannel client = pair.connect(SocketPair.nothing());
      RtChannel child = pair.child();
      PacketValidator validator = new PacketValidator(INTEGRITY);
      Random random = new Random(3);
      for (int i = 0; i < 200; i++) {
        byte[] bytes = TransactionTest.random(1 + random.nextInt(1_400), i);
        if (bytes.length >= 16 && i % 4 != 0) {
          bytes[0] = 1; // our version, so the door looks further
          bytes[1] = (byte) (1 + random.nextInt(15));
          bytes[2] = (byte) (bytes.length >>> 8);
          bytes[3] = (byte) bytes.length;
        }
        if (bytes.length >= PacketValidator.PACKET_LENGTH_MIN && i % 4 == 1) {
          INTEGRITY.seal(ByteBuffer.wrap(bytes), 0, bytes.length);
        }
        CounterId fault = validator.validate(ByteBuffer.wrap(bytes), 0, bytes.length);
        if (fault != null) { // a few types take any body
          shouldCount(dropped("random " + i, bytes, fault), stranger, server, child);
        }
      }
      client.writeAndFlush(EchoTest.text("still well")).sync();
      client.close().sync();
    }
  }
}
