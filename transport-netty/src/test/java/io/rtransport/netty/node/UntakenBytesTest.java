package io.rtransport.netty.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.netty.node.UntakenBytes.Room;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class UntakenBytesTest {
  private static final Runnable NOBODY = () -> {};

  @Test
  void shouldGiveOneHostHalfOfTheRoomAndNotOneByteMore() {
    UntakenBytes room = new UntakenBytes(100);
    assertThat(room.take(1, 49, NOBODY)).isEqualTo(Room.FREE);
    assertThat(room.take(1, 2, NOBODY)).isEqualTo(Room.WAIT);
    assertThat(room.take(1, 1, NOBODY)).isEqualTo(Room.FREE);
    assertThat(room.take(2, 50, NOBODY)).isEqualTo(Room.FREE);
    assertThat(room.take(3, 1, NOBODY)).as("all").isEqualTo(Room.WAIT);
    assertThat(room.take(3, 0, NOBODY)).as("nothing").isEqualTo(Room.FREE);
    room.give(3, 0);
    assertThat(room.bytes()).isEqualTo(100);
  }

  @Test
  void shouldGiveAHostRoomForOneMessageHoweverLong() {
    UntakenBytes room = new UntakenBytes(100);
    assertThat(room.take(1, 100, NOBODY)).isEqualTo(Room.FREE);
    assertThat(room.take(1, 1, NOBODY)).isEqualTo(Room.WAIT);
    room.give(1, 100);
    assertThat(room.take(1, 51, NOBODY)).isEqualTo(Room.FREE);
    assertThat(room.take(2, 50, NOBODY)).as("not all of it is left").isEqualTo(Room.WAIT);
  }

  @Test
  void shouldTellAllOfAHostOnceAQuarterIsFree() {
    UntakenBytes room = new UntakenBytes(80);
    List<String> told = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      room.take(1, 10, NOBODY);
      room.take(2, 10, NOBODY);
    }
    room.take(1, 10, () -> told.add("first"));
    room.take(1, 5, () -> told.add("second"));
    room.take(2, 10, () -> told.add("other"));
    room.give(1, 5);
    room.give(2, 9);
    room.give(1, 5);
    assertThat(told).as("61 bytes are left").isEmpty();
    room.give(2, 1);
    assertThat(told).containsExactlyInAnyOrder("first", "second", "other");
    room.give(1, 30);
    assertThat(told).as("each once").hasSize(3);
  }

  @Test
  void shouldNotTellOthersWhileTheirHostHasAllThatItMay() {
    UntakenBytes room = new UntakenBytes(80);
    List<String> told = new ArrayList<>();
    room.take(1, 40, NOBODY);
    room.take(1, 1, () -> told.add("first"));
    room.take(2, 30, NOBODY);
    room.give(2, 30);
    assertThat(told).isEmpty();
    room.give(1, 9);
    assertThat(told).isEmpty();
    room.give(1, 1);
    assertThat(told).hasSize(1);
  }

  @Test
  void shouldBoundThoseThatWait() {
    UntakenBytes room = new UntakenBytes(80);
    room.take(1, 40, NOBODY);
    for (int i = 0; i < UntakenBytes.WAITING_MAX; i++) {
      assertThat(room.take(1, 1, NOBODY)).isEqualTo(Room.WAIT);
    }
    assertThat(room.take(1, 1, NOBODY)).isEqualTo(Room.NONE);
    assertThat(room.take(2, 1, NOBODY)).isEqualTo(Room.FREE);
  }

  /** Messages of several hosts, some of which are given up while they wait. */
  @Test
  void shouldLetEveryMessagePassWithinItsBound() {
    for (int seed = 1; seed <= 500; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      long bytesMax = 100;
      UntakenBytes room = new UntakenBytes(bytesMax);
      Deque<long[]> asking = new ArrayDeque<>();
      Deque<long[]> holding = new ArrayDeque<>();
      for (int i = 0; i < 200; i++) {
        asking.add(new long[] {random.nextInt(5), 1 + random.nextInt((int) bytesMax)});
      }
      int passed = 0;
      int givenUp = 0;
      while (!asking.isEmpty() || !holding.isEmpty()) {
        boolean asks = holding.isEmpty() || !asking.isEmpty() && random.nextBoolean();
        if (asks) {
          long[] message = asking.poll();
          boolean isGivenUp = random.nextInt(10) == 0;
          Runnable again = isGivenUp ? NOBODY : () -> asking.add(message);
          if (room.take(message[0], message[1], again) == Room.FREE) {
            holding.add(message);
          } else {
            givenUp += isGivenUp ? 1 : 0;
          }
        } else {
          long[] message = holding.poll();
          passed++;
          room.give(message[0], message[1]);
        }
        long held = holding.stream().mapToLong(message -> message[1]).sum();
        assertThat(held).as("seed " + seed).isLessThanOrEqualTo(bytesMax);
      }
      assertThat(passed + givenUp).as("seed " + seed).isEqualTo(200);
      assertThat(room.bytes()).isZero();
    }
  }
}
