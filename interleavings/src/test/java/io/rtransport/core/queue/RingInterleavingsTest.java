package io.rtransport.core.queue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The rings beside the queues under lincheck's model checker: posts, answers and inbound bytes. As
 * {@link InterleavingsTest}.
 */
@Tag("proof")
class RingInterleavingsTest {
  private static final int INVOCATIONS = Integer.getInteger("rt.interleavings", 5_000);
  private static final int PLACE = 32;

  /** Runs both on threads of their own. What one of them throws is thrown here. */
  private static void both(Runnable one, Runnable other) {
    RuntimeException[] thrown = new RuntimeException[2];
    Thread first = new Thread(() -> run(one, thrown, 0));
    Thread second = new Thread(() -> run(other, thrown, 1));
    first.start();
    second.start();
    try {
      first.join();
      second.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    for (RuntimeException failure : thrown) {
      if (failure != null) {
        throw failure;
      }
    }
  }

  private static void run(Runnable actor, RuntimeException[] thrown, int index) {
    try {
      actor.run();
    } catch (RuntimeException e) {
      thrown[index] = e;
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException(what);
    }
  }

  /** Posts a byte that is its tag; false where there is no room. */
  private static boolean post(SubmissionRing ring, int tag) {
    long claim = ring.tryClaim(1);
    if (claim == SubmissionRing.NO_ROOM) {
      return false;
    }
    ring.bytes()[ring.offsetOf(claim)] = (byte) tag;
    ring.publish(claim, 0, tag, 0, 1, null);
    return true;
  }

  private static void takeAll(SubmissionRing ring, List<Long> tags) {
    while (ring.hasNext()) {
      long tag = ring.tag();
      require(ring.bytes()[ring.offset()] == tag, "the bytes of " + tag + " are another's");
      tags.add(tag);
      ring.take((int) ring.length());
      ring.free();
    }
  }

  @Test
  void shouldTakePostsInTheirOrderWhileOthersCome() {
    Lincheck.runConcurrentTest(
        INVOCATIONS,
        () -> {
          SubmissionRing ring = new SubmissionRing(4, 64);
          List<Long> tags = new ArrayList<>();
          post(ring, 1);
          both(
              () -> {
                post(ring, 2);
                post(ring, 3);
              },
              () -> takeAll(ring, tags));
          takeAll(ring, tags);
          require(tags.equals(List.of(1L, 2L, 3L)), "taken " + tags);
          require(ring.isEmpty(), "a claim is left");
        });
  }

  @Test
  void shouldTakeEachPostOfTwoSubmittersOnce() {
    Lincheck.runConcurrentTest(
        INVOCATIONS,
        () -> {
          SubmissionRing ring = new SubmissionRing(4, 64);
          both(
              () -> {
                post(ring, 1);
                post(ring, 2);
              },
              () -> post(ring, 3));
          List<Long> tags = new ArrayList<>();
          takeAll(ring, tags);
          require(tags.size() == 3 && new HashSet<>(tags).size() == 3, "taken " + tags);
          require(tags.indexOf(1L) < tags.indexOf(2L), "out of order: " + tags);
        });
  }

  @Test
  void shouldRefuseOrKeepAPostWhereRoomIsFreedMeanwhile() {
    Lincheck.runConcurrentTest(
        INVOCATIONS,
        () -> {
          SubmissionRing ring = new SubmissionRing(16, 64);
          for (int tag = 0; tag < 8; tag++) { // 8 bytes each: it is full
            require(post(ring, tag), "no room for " + tag);
          }
          List<Long> tags = new ArrayList<>();
          boolean[] isTaken = new boolean[1];
          both(() -> isTaken[0] = post(ring, 8), () -> takeAll(ring, tags));
          takeAll(ring, tags);
          require(tags.size() == (isTaken[0] ? 9 : 8), "taken " + tags);
        });
  }

  @Test
  void shouldTakeEachAnswerOnceWithItsDetail() {
    Lincheck.runConcurrentTest(
        INVOCATIONS,
        () -> {
          AnswerRing ring = new AnswerRing(2);
          List<String> taken = new ArrayList<>();
          Runnable take =
              () -> {
                while (ring.hasNext()) {
                  taken.add(ring.kind() + ":" + ring.number() + ":" + ring.code() + ring.take());
                }
              };
          ring.put(1, 10, 100, "a");
          both(() -> ring.put(2, 20, 200, null), take);
          take.run();
          ring.put(3, 30, 300, "c"); // in the slot of the first
          take.run();
          require(
              taken.equals(List.of("1:10:100a", "2:20:200null", "3:30:300c")), "taken " + taken);
        });
  }

  @Test
  void shouldHearOfEachCancelWhileOthersCome() {
    Lincheck.runConcurrentTest(
        INVOCATIONS,
        () -> {
          CancelSet cancels = new CancelSet(4);
          List<Integer> taken = new ArrayList<>();
          cancels.add(1);
          both(
              () -> {
                cancels.add(1); // perhaps again, perhaps anew
                cancels.add(1 << 20 | 1); // of the same place
              },
              () -> cancels.takeAll(taken::add));
          cancels.takeAll(taken::add);
          require(taken.contains(1) && taken.contains(1 << 20 | 1), "taken " + taken);
          require(taken.size() <= 3, "too often: " + taken);
          int before = taken.size();
          cancels.takeAll(taken::add);
          require(taken.size() == before, "left behind: " + taken);
        });
  }

  @Test
  void shouldReserveBytesOnlyOnceTheyAreFreed() {
    Lincheck.runConcurrentTest(
        INVOCATIONS,
        () -> {
          InboundBytes ring = new InboundBytes(2 * PLACE);
          long first = ring.tryReserve(PLACE);
          long second = ring.tryReserve(PLACE);
          ring.bytes()[InboundBytes.offsetOf(first)] = 1;
          ring.bytes()[InboundBytes.offsetOf(second)] = 2;
          long[] third = new long[1];
          both(
              () -> {
                third[0] = ring.tryReserve(PLACE);
                if (third[0] != InboundBytes.NO_ROOM) {
                  ring.bytes()[InboundBytes.offsetOf(third[0])] = 3;
                }
              },
              () -> {
                int read = ring.bytes()[InboundBytes.offsetOf(first)];
                require(read == 1, "the first was overwritten by " + read);
                ring.free(first);
              });
          require(ring.bytes()[InboundBytes.offsetOf(second)] == 2, "the second was overwritten");
          if (third[0] == InboundBytes.NO_ROOM) {
            third[0] = ring.tryReserve(PLACE);
          }
          require(InboundBytes.offsetOf(third[0]) == InboundBytes.offsetOf(first), "elsewhere");
          require(ring.tryReserve(1) == InboundBytes.NO_ROOM, "reserved what is not free");
        });
  }
}
