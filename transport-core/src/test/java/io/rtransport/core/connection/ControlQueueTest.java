package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.PacketType;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ControlQueueTest {
  private static final int PLACES = PacketBurst.CAPACITY - ControlQueue.RESERVED;

  private final ControlQueue queue = new ControlQueue();
  private final Endpoint endpoint =
      new Endpoint(
          EndpointConfig.ofLoop(0),
          new LoopResources(2 << 20, 1 << 10, new Random(1)),
          NodeBudgets.defaults(),
          () -> {},
          new Random(2));
  private final Connection one = connection();
  private final Connection other = connection();

  private Connection connection() {
    ConnectionConfig config = ConnectionConfig.builder().build();
    return endpoint.connect(config, new InetSocketAddress("127.0.0.1", 7_400), 0);
  }

  private static ByteBuffer packet(int type, int number) {
    return ByteBuffer.allocate(8).put(1, (byte) type).putInt(4, number);
  }

  private void add(Connection of, int type, int number) {
    queue.add(of, of.counters(), packet(type, number), 8, number & 3);
  }

  private static long dropped(Connection of) {
    return of.counters().value(CounterId.CONTROL_DROPPED);
  }

  @Test
  void shouldGiveEachConnectionItsOwnInOrder() {
    for (int i = 0; i < 6; i++) {
      add(i % 2 == 0 ? one : other, PacketType.PING, i);
    }
    PacketBurst burst = queue.take(other);
    assertThat(burst.count()).isEqualTo(3);
    for (int i = 0; i < 3; i++) {
      int number = 2 * i + 1;
      assertThat(burst.buffer(i).getInt(burst.offset(i) + 4)).isEqualTo(number);
      assertThat(burst.length(i)).isEqualTo(8);
      assertThat(burst.pathIndex(i)).isEqualTo(number & 3);
      assertThat(burst.token(i)).isEqualTo(PacketBurst.TRANSIENT);
    }
    assertThat(queue.take(other)).as("again").isNull();
    assertThat(queue.has(one)).isTrue();
    assertThat(queue.take(one).count()).isEqualTo(3);
    assertThat(queue.has(one)).isFalse();
  }

  @Test
  void shouldDropAndCountWhatIsTooMuchAndKeepPlacesForEndsAndMoves() {
    for (int i = 0; i < PLACES; i++) {
      add(one, PacketType.PONG, i);
    }
    assertThat(dropped(one)).isZero();
    add(other, PacketType.PONG, PLACES);
    assertThat(dropped(other)).isEqualTo(1);
    for (int i = 0; i < ControlQueue.RESERVED; i++) {
      add(
          other,
          switch (i % 3) {
            case 0 -> PacketType.CLOSE;
            case 1 -> PacketType.CLOSE_ACK;
            default -> PacketType.PATH_RESPONSE;
          },
          i);
    }
    assertThat(dropped(other)).isEqualTo(1);
    add(other, PacketType.CLOSE, 0);
    assertThat(dropped(other)).as("all places are taken").isEqualTo(2);
    assertThat(queue.take(one).count()).isEqualTo(PLACES);
    assertThat(queue.take(other).count()).isEqualTo(ControlQueue.RESERVED);
    add(one, PacketType.PONG, 0);
    assertThat(queue.take(one).count()).as("there is room again").isEqualTo(1);
  }

  @Test
  void shouldUsePlacesAgainBehindAPacketThatWaits() {
    add(one, PacketType.PONG, 0);
    for (int i = 0; i < 10 * PLACES; i++) {
      add(other, PacketType.PONG, i);
      PacketBurst burst = queue.take(other);
      assertThat(burst.count()).isEqualTo(1);
      assertThat(burst.buffer(0).getInt(burst.offset(0) + 4)).isEqualTo(i);
    }
    assertThat(dropped(other)).isZero();
    PacketBurst burst = queue.take(one);
    assertThat(burst.buffer(0).getInt(burst.offset(0) + 4)).isZero();
    assertThat(burst.count()).isEqualTo(1);
  }

  @Test
  void shouldHoldOneOfTheLongestAndDropASecond() {
    ByteBuffer longest = ByteBuffer.allocate(Limits.PACKET_LENGTH_MAX);
    queue.add(one, one.counters(), longest, longest.capacity(), 0);
    queue.add(one, one.counters(), longest, longest.capacity(), 0);
    add(one, PacketType.PONG, 7);
    assertThat(dropped(one)).isEqualTo(1);
    PacketBurst burst = queue.take(one);
    assertThat(burst.count()).isEqualTo(2);
    assertThat(burst.length(0)).isEqualTo(Limits.PACKET_LENGTH_MAX);
  }
}
