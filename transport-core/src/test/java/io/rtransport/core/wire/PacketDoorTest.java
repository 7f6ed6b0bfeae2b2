package io.rtransport.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PacketDoorTest {
  private static final long SEED = Long.getLong("rt.seed", 20_261_121L);

  private final Counters loopCounters = new Counters();
  private final Counters counters = new Counters(loopCounters);
  private final Integrity integrity = new Integrity();
  private final PacketDoor door =
      new PacketDoor(new PacketValidator(integrity), counters, Vectors.CID, Vectors.COOKIE);

  private static List<byte[]> packets() {
    List<byte[]> packets = new ArrayList<>();
    for (String file : new String[] {"packets.json", "records.json"}) {
      for (JsonNode vector : Vectors.read(file)) {
        packets.add(Vectors.bytes(vector.get("hex").asText()));
      }
    }
    return packets;
  }

  @Test
  void shouldDropTheBadPacketsOfABurstAndKeepTheOthers() {
    byte[] good = ping(1);
    byte[] bad = ping(2);
    bad[17] ^= 4;
    PacketBurst burst = new PacketBurst();
    for (int i = 0; i < PacketBurst.CAPACITY; i++) {
      byte[] packet = i % 3 == 1 ? bad : good;
      burst.add(Vectors.place(packet, 5, i % 2 == 0), 5, packet.length, 0, PacketBurst.TRANSIENT);
    }
    burst.drop(0);

    door.onBurst(burst, 1);

    for (int i = 0; i < PacketBurst.CAPACITY; i++) {
      assertThat(burst.isDropped(i)).as("packet %d", i).isEqualTo(i == 0 || i % 3 == 1);
    }
    assertThat(counters.value(CounterId.DROP_INTEGRITY)).isEqualTo(21);
    assertThat(loopCounters.value(CounterId.DROP_INTEGRITY)).isEqualTo(21);
    assertThat(counters.value(CounterId.DATAGRAMS_RECEIVED)).isEqualTo(PacketBurst.CAPACITY);
  }

  @Test
  void shouldLookOnlyAtThePacketAndNotAtItsNeighbours() {
    byte[] packet = ping(3);
    ByteBuffer exact = ByteBuffer.allocateDirect(packet.length).put(0, packet);
    assertThat(door.check(exact, 0, packet.length)).isNull();
    for (int length = 0; length < packet.length; length++) {
      // A buffer that ends with the packet: a look beyond would throw.
      ByteBuffer cut = exact.slice(0, length);
      assertThat(door.check(cut, 0, length)).isEqualTo(CounterId.DROP_TRUNCATED);
    }
  }

  @Test
  void shouldRefuseEveryPacketWithOneBitFlipped() {
    for (byte[] packet : packets()) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(packet.length).put(0, packet);
      SplittableRandom random = new SplittableRandom(SEED ^ packet.length);
      int flips = Math.min(packet.length * 8, 400);
      for (int i = 0; i < flips; i++) {
        int bit = flips == packet.length * 8 ? i : random.nextInt(packet.length * 8);
        flip(buffer, bit);
        assertThat(door.validate(buffer, 0, packet.length))
            .as("seed=%d bit=%d of %s", SEED, bit, Vectors.hex(buffer, 0, packet.length))
            .isNotNull();
        flip(buffer, bit);
      }
      assertThat(door.validate(buffer, 0, packet.length)).isNull();
    }
  }

  /** A hostile peer knows the checksum: what passes the door must be readable to its last field. */
  @Test
  void shouldLetNothingPassThatReadsBeyondItsEndWhenTheChecksumIsRight() {
    List<byte[]> packets = packets();
    SplittableRandom random = new SplittableRandom(SEED);
    int passed = 0;
    int refused = 0;
    for (int step = 0; step < 60_000; step++) {
      byte[] packet = packets.get(random.nextInt(packets.size()));
      ByteBuffer buffer = ByteBuffer.allocate(packet.length).put(0, packet);
      int changes = 1 + random.nextInt(4);
      int reach = Math.min(packet.length, random.nextBoolean() ? 64 : packet.length);
      for (int i = 0; i < changes; i++) {
        int at = random.nextInt(2) == 0 ? random.nextInt(reach) : Math.min(16, reach - 1);
        buffer.put(at, (byte) (random.nextBoolean() ? random.nextInt() : buffer.get(at) ^ 1));
      }
      integrity.seal(buffer, 0, packet.length);
      passed += readWhatPasses(buffer, packet.length, step) ? 1 : 0;
      refused = step + 1 - passed;
    }
    assertThat(passed).as("seed=%d", SEED).isGreaterThan(1_000);
    assertThat(refused).as("seed=%d", SEED).isGreaterThan(1_000);
  }

  @Test
  void shouldSurviveRandomBytesBehindAValidClearHeader() {
    SplittableRandom random = new SplittableRandom(SEED + 1);
    for (int step = 0; step < 40_000; step++) {
      int length = 20 + random.nextInt(120);
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      int type = 1 + random.nextInt(15);
      boolean unaddressed = type == PacketType.CONNECT || type == PacketType.RESET;
      new ClearHeaderFlyweight()
          .wrap(buffer, 0)
          .version(1)
          .type(type)
          .length(length)
          .destinationCid(unaddressed ? 0 : Vectors.CID)
          .cookie(unaddressed ? 0 : Vectors.COOKIE);
      if (PacketType.isNumbered(type) && length >= 40) {
        // Else nearly all fall at the first flag.
        buffer.put(32, (byte) random.nextInt(16)).put(33, (byte) random.nextInt(3));
        buffer.putShort(34, (short) 0);
        buffer.put(36, (byte) random.nextInt(0x19)).put(37, (byte) random.nextInt(2));
        buffer.putShort(38, (short) random.nextInt(length));
      }
      integrity.seal(buffer, 0, length);
      readWhatPasses(buffer, length, step);
    }
  }

  @Test
  void shouldRefuseRandomBytesAltogether() {
    SplittableRandom random = new SplittableRandom(SEED + 2);
    for (int step = 0; step < 20_000; step++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      assertThat(door.check(ByteBuffer.wrap(bytes), 0, bytes.length))
          .as("seed=%d step=%d", SEED, step)
          .isNotNull();
    }
  }

  @Test
  void shouldAllocateNothing() {
    byte[] packet = Vectors.bytes(Vectors.read("records.json").get(6).get("hex").asText());
    ByteBuffer direct = ByteBuffer.allocateDirect(packet.length).put(0, packet);
    ByteBuffer heap = ByteBuffer.wrap(packet);
    PacketBurst burst = new PacketBurst();
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long allocated = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 10_000; i++) {
        burst.clear();
        burst.add(direct, 0, packet.length, 0, PacketBurst.TRANSIENT);
        burst.add(heap, 0, packet.length, 0, PacketBurst.TRANSIENT);
        door.onBurst(burst, i);
      }
      allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(allocated).as("bytes in 20,000 packets").isLessThan(20_000);
    assertThat(counters.value(CounterId.DATAGRAMS_RECEIVED)).isEqualTo(100_000);
  }

  private boolean readWhatPasses(ByteBuffer buffer, int length, int step) {
    try {
      if (door.validate(buffer, 0, length) != null) {
        return false;
      }
      VectorDecoder.decode(buffer, 0, length);
      return true;
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(
          "seed=" + SEED + " step=" + step + " " + Vectors.hex(buffer, 0, length), e);
    }
  }

  private static void flip(ByteBuffer buffer, int bit) {
    buffer.put(bit >>> 3, (byte) (buffer.get(bit >>> 3) ^ 1 << (bit & 7)));
  }

  private byte[] ping(int id) {
    ByteBuffer buffer = ByteBuffer.allocate(PingFlyweight.PACKET_LENGTH);
    new ClearHeaderFlyweight()
        .wrap(buffer, 0)
        .version(1)
        .type(PacketType.PING)
        .length(PingFlyweight.PACKET_LENGTH)
        .destinationCid(Vectors.CID)
        .cookie(Vectors.COOKIE);
    new PingFlyweight().wrap(buffer, 0).id(id).pathId(0);
    integrity.seal(buffer, 0, PingFlyweight.PACKET_LENGTH);
    return buffer.array();
  }
}
