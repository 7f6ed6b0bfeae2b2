package io.rtransport.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The ring of inbound bytes and the ring of answers, against lists. */
class InboundBytesTest {
  private static final int SEEDS = 300;

  private record Place(long place, byte[] bytes) {}

  @Test
  void shouldKeepEachRunOfBytesUntilItIsFreed() {
    int refused = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      Random random = new Random(seed);
      int first = random.nextBoolean() ? random.nextInt(64) : -random.nextInt(200);
      InboundBytes ring = new InboundBytes(64, first);
      Queue<Place> kept = new ArrayDeque<>();
      int keptBytes = 0;
      for (int step = 0; step < 500; step++) {
        String at = "seed " + seed + ", step " + step;
        if (random.nextBoolean()) {
          byte[] bytes = new byte[random.nextInt(33)];
          random.nextBytes(bytes);
          boolean hasRoom = ring.hasRoom(bytes.length);
          long place = ring.tryReserve(bytes.length);
          assertThat(place != InboundBytes.NO_ROOM).as(at).isEqualTo(hasRoom);
          if (place == InboundBytes.NO_ROOM) {
            refused++;
            assertThat(keptBytes + bytes.length).as(at).isGreaterThan(64 - 32);
          } else {
            System.arraycopy(bytes, 0, ring.bytes(), InboundBytes.offsetOf(place), bytes.length);
            kept.add(new Place(place, bytes));
            keptBytes += bytes.length;
          }
        } else if (!kept.isEmpty()) {
          Place next = kept.poll();
          keptBytes -= next.bytes.length;
          byte[] bytes = new byte[next.bytes.length];
          System.arraycopy(ring.bytes(), InboundBytes.offsetOf(next.place), bytes, 0, bytes.length);
          assertThat(bytes).as(at).isEqualTo(next.bytes);
          ring.free(next.place);
        }
      }
    }
    assertThat(refused).isPositive();
  }

  /** Room for a length means room for every shorter one. */
  @Test
  void shouldHaveRoomForAllThatIsShorter() {
    for (int first = -70; first < 70; first++) {
      for (int used = 0; used <= 64; used++) {
        InboundBytes ring = new InboundBytes(64, first);
        ring.tryReserve(used);
        for (int length = 64; length > 0; length--) {
          if (ring.hasRoom(length)) {
            assertThat(ring.hasRoom(length - 1)).as("%d, %d, %d", first, used, length).isTrue();
          }
        }
      }
    }
  }

  @Test
  void shouldGiveAnswersInOrderAndRefuseOneTooMany() {
    AnswerRing ring = new AnswerRing(3);
    Object detail = new Object();
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i < 4; i++) { // a power of two
        ring.put(i, -1 - i, Long.MIN_VALUE + i, i == 2 ? detail : null);
      }
      assertThatIllegalStateException().isThrownBy(() -> ring.put(9, 9, 9, null));
      for (int i = 0; i < 4; i++) {
        assertThat(ring.hasNext()).isTrue();
        assertThat(ring.kind()).isEqualTo(i);
        assertThat(ring.number()).isEqualTo(0xFFFF_FFFFL - i);
        assertThat(ring.code()).isEqualTo(Long.MIN_VALUE + i);
        assertThat(ring.take()).isSameAs(i == 2 ? detail : null);
      }
      assertThat(ring.hasNext()).isFalse();
    }
  }

  @Test
  void shouldRingOnceUntilItIsAnswered() {
    Doorbell bell = new Doorbell();
    assertThat(bell.ring()).isTrue();
    assertThat(bell.ring()).isFalse();
    bell.answer();
    assertThat(bell.ring()).isTrue();
  }

  @Test
  void shouldNameASizeThatIsNotValid() {
    assertThatIllegalArgumentException().isThrownBy(() -> new InboundBytes(32));
    assertThatIllegalArgumentException().isThrownBy(() -> new InboundBytes(96));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new AnswerRing(0))
        .withMessage("capacity=0 is not in the range 1..131072");
  }
}
