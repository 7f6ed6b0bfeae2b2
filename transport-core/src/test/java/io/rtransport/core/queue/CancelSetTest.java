package io.rtransport.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The set of posts that are given up, against a set of the library, and with threads that race. */
class CancelSetTest {
  private static List<Integer> takeAll(CancelSet set) {
    List<Integer> taken = new ArrayList<>();
    set.takeAll(taken::add);
    return taken;
  }

  @Test
  void shouldGiveEachPostOnceHoweverOftenItIsAdded() {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      CancelSet set = new CancelSet(1 + random.nextInt(100));
      Set<Integer> expected = new HashSet<>();
      int first = random.nextBoolean() ? 0 : Integer.MAX_VALUE - 40;
      for (int step = 0; step < 400; step++) {
        String at = "seed " + seed + ", step " + step;
        if (random.nextInt(20) == 0) {
          List<Integer> taken = takeAll(set);
          assertThat(taken).as(at).doesNotHaveDuplicates();
          assertThat(new HashSet<>(taken)).as(at).isEqualTo(expected);
          expected.clear();
        } else if (expected.size() < 64) {
          int number = first + random.nextInt(1 << 30) % 300 & Integer.MAX_VALUE;
          assertThat(set.add(number)).as(at).isTrue();
          expected.add(number);
        }
      }
    }
  }

  /** Both sides of the limit, with numbers that all want the same place. */
  @Test
  void shouldRefuseOnlyOtherPostsOnceItIsFull() {
    CancelSet set = new CancelSet(33); // 128 places
    for (int i = 0; i < 128; i++) {
      assertThat(set.add(i << 7)).isTrue();
    }
    assertThat(set.add(5)).isFalse();
    assertThat(set.add(3 << 7)).isTrue();
    assertThat(takeAll(set)).hasSize(128).contains(127 << 7);
    assertThat(set.add(5)).isTrue();
    assertThat(takeAll(set)).containsExactly(5);
    assertThat(takeAll(set)).isEmpty();
  }

  @Test
  void shouldLoseNoneWhereThreadsRace() throws Exception {
    int threads = 3;
    int each = 50_000;
    CancelSet set = new CancelSet(1 << 10);
    AtomicInteger refused = new AtomicInteger();
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int first = t * each;
      all.add(
          new Thread(
              () -> {
                for (int i = 0; i < each; i++) {
                  while (!set.add(first + i)) {
                    refused.incrementAndGet();
                    Thread.onSpinWait();
                  }
                }
              }));
    }
    all.forEach(Thread::start);
    int[] taken = new int[threads * each];
    while (all.stream().anyMatch(Thread::isAlive)) {
      set.takeAll(number -> taken[number]++);
    }
    set.takeAll(number -> taken[number]++);
    assertThat(taken).as("refused %s", refused).containsOnly(1);
  }

  @Test
  void shouldNameASizeThatIsNotValid() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CancelSet(0))
        .withMessage("postsMax=0 is not in the range 1..131072");
  }
}
