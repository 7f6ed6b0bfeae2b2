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
  private static final Object THIS = new Object();

  @Test
  void shouldGiveOneHostHalfOfTheRoomAndNotOneByteMore() {
    UntakenBytes room = new UntakenBytes(100);
    assertThat(room.take(1, 49, THIS, NOBODY)).isEqualTo(Room.FREE);
    assertThat(room.take(1, 2, THIS, NOBODY)).isEqualTo(Room.WAIT);
    assertThat(room.take(1, 1, THIS, NOBODY)).isEqualTo(Room.FREE);
    assertThat(room.take(2, 50, THIS, NOBODY)).isEqualTo(Room.FREE);
    assertThat(room.take(3, 1, THIS, NOBODY)).as("all").isEqualTo(Room.WAIT);
    assertThat(room.take(3, 0, THIS, NOBODY)).as("nothing").isEqualTo(Room.FREE);
    room.give(3, 0);
    assertThat(room.bytes()).isEqualTo(100);
  }

  @Test
  void shouldGiveAHostRoomForOneMessageHoweverLong() {
    UntakenBytes room = new UntakenBytes(100);
    assertThat(room.take(1, 100, THIS, NOBODY)).isEqualTo(Room.FREE);
    assertThat(room.take(1, 1, THIS, NOBODY)).isEqualTo(Room.WAIT);
    room.give(1, 100);
    assertThat(room.take(1, 51, THIS, NOBODY)).isEqualTo(Room.FREE);
    assertThat(room.take(2, 50, THIS, NOBODY)).as("not all of it is left").isEqualTo(Room.WAIT);
  }

  /** With each end those ask again that fit together; they take their room only then. */
  @Test
  void shouldTellThoseThatFitWithEachEnd() {
    UntakenBytes room = new UntakenBytes(80);
    List<String> told = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      room.take(1, 10, THIS, NOBODY);
      room.take(2, 10, THIS, NOBODY);
    }
    room.take(1, 10, THIS, () -> told.add("first"));
    room.take(1, 5, THIS, () -> told.add("second"));
    room.take(2, 10, THIS, () -> told.add("other"));
    room.give(1, 9);
    assertThat(told).as("9 bytes are free").isEmpty();
    room.give(1, 1);
    assertThat(told).containsExactly("first");
    room.give(2, 9);
    assertThat(told).as("first has not taken its 10 bytes").containsExactly("first", "second");
    room.give(2, 1);
    assertThat(told).containsExactly("first", "second", "other");
    room.give(1, 30);
    assertThat(told).as("each once").hasSize(3);
  }

  /** Others hold more than three quarters, and there is room for it all the same. */
  @Test
  void shouldTellAHostThatHoldsNothingMoreThoughOthersHoldMuch() {
    UntakenBytes room = new UntakenBytes(256);
    List<String> told = new ArrayList<>();
    room.take(1, 100, THIS, NOBODY);
    room.take(2, 93, THIS, NOBODY);
    for (int i = 0; i < 7; i++) {
      assertThat(room.take(3, 8, THIS, NOBODY)).isEqualTo(Room.FREE);
    }
    for (int i = 0; i < 3; i++) {
      assertThat(room.take(3, 8, THIS, () -> told.add("of 3"))).isEqualTo(Room.WAIT);
    }
    room.give(3, 8);
    assertThat(told).hasSize(1);
    for (int i = 0; i < 6; i++) {
      room.give(3, 8);
    }
    assertThat(told).hasSize(3);
  }

  @Test
  void shouldNotTellOthersWhileTheirHostHasAllThatItMay() {
    UntakenBytes room = new UntakenBytes(80);
    List<String> told = new ArrayList<>();
    room.take(1, 40, THIS, NOBODY);
    room.take(1, 1, THIS, () -> told.add("first"));
    room.take(2, 30, THIS, NOBODY);
    room.give(2, 30);
    assertThat(told).isEmpty();
    room.give(1, 1);
    assertThat(told).hasSize(1);
  }

  @Test
  void shouldForgetThoseWhoseConnectionHasEnded() {
    UntakenBytes room = new UntakenBytes(80);
    List<String> told = new ArrayList<>();
    Object ended = new Object();
    room.take(1, 80, THIS, NOBODY);
    for (int i = 0; i < UntakenBytes.WAITING_MAX - 1; i++) {
      room.take(2, 1, ended, () -> told.add("ended"));
    }
    room.take(2, 1, THIS, () -> told.add("lives"));
    assertThat(room.take(2, 1, THIS, NOBODY)).isEqualTo(Room.NONE);
    room.forget(ended);
    assertThat(room.waiting()).isOne();
    assertThat(room.take(2, 80, THIS, NOBODY)).isEqualTo(Room.WAIT);
    room.give(1, 80);
    assertThat(told).containsExactly("lives");
  }

  @Test
  void shouldBoundThoseThatWait() {
    UntakenBytes room = new UntakenBytes(80);
    room.take(1, 40, THIS, NOBODY);
    for (int i = 0; i < UntakenBytes.WAITING_MAX; i++) {
      assertThat(room.take(1, 1, THIS, NOBODY)).isEqualTo(Room.WAIT);
    }
    assertThat(room.take(1, 1, THIS, NOBODY)).isEqualTo(Room.NONE);
    assertThat(room.take(2, 1, THIS, NOBODY)).isEqualTo(Room.FREE);
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
          if (room.take(message[0], message[1], THIS, again) == Room.FREE) {
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
