package io.rtransport.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.Limits;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The RSNs of posts against a map, from any first numbers: both wrap. */
class PostNumbersTest {
  private static final int MASK = Integer.MAX_VALUE;

  @Test
  void shouldTellTheRsnOfEachPostThatHasOne() {
    int found = 0;
    int without = 0;
    for (long seed = 1; seed <= 300; seed++) {
      Random random = new Random(seed);
      int post = random.nextBoolean() ? 0 : MASK - random.nextInt(60);
      int rsn = random.nextBoolean() ? -random.nextInt(60) : random.nextInt();
      int begunOfTen = random.nextInt(11);
      PostNumbers numbers = new PostNumbers();
      Map<Integer, Integer> expected = new HashMap<>();
      int first = post;
      numbers.begin(post, rsn);
      for (int i = 0; i < 300; i++) {
        if (random.nextInt(10) < begunOfTen) {
          expected.put(post, rsn++);
          post = post + 1 & MASK;
        } else {
          post = post + 1 & MASK;
          numbers.begin(post, rsn);
        }
        int asked = first + random.nextInt(i + 3) & MASK; // also of one that is to come
        Integer is = expected.get(asked);
        assertThat(numbers.rsnOf(asked, post, rsn))
            .as("seed %s, post %s of %s", seed, asked, post)
            .isEqualTo(is == null ? PostNumbers.NONE : Integer.toUnsignedLong(is));
        found += is == null ? 0 : 1;
        without += is == null ? 1 : 0;
      }
    }
    assertThat(found).isPositive();
    assertThat(without).isPositive();
  }

  @Test
  void shouldFindWhatMayBeOpenBehindMoreThanAllNumbers() {
    PostNumbers numbers = new PostNumbers();
    int post = 7;
    int rsn = 100;
    numbers.begin(post, rsn);
    for (int i = 0; i < 20; i++) { // ten times around in posts, five in RSNs
      post = post + (1 << 30) & MASK;
      rsn += 1 << 30;
      assertThat(numbers.isLong(post)).isTrue();
      numbers.keep(post, rsn);
      assertThat(numbers.isLong(post)).isFalse();
    }
    int span = Limits.RSN_SPAN_MAX;
    assertThat(numbers.rsnOf(post - 1 & MASK, post, rsn))
        .isEqualTo(Integer.toUnsignedLong(rsn - 1));
    assertThat(numbers.rsnOf(post - span & MASK, post, rsn))
        .isEqualTo(Integer.toUnsignedLong(rsn - span));
    assertThat(numbers.rsnOf(post - span - 1 & MASK, post, rsn)).isEqualTo(PostNumbers.NONE);
  }

  /** Each second post gets none: as many runs are kept as RSNs may be open. */
  @Test
  void shouldForgetRunsThatAreTooOld() {
    PostNumbers numbers = new PostNumbers();
    int post = 0;
    int rsn = 0;
    numbers.begin(post, rsn);
    for (int i = 0; i < 3 * Limits.RSN_SPAN_MAX; i++) {
      post += 2;
      rsn++;
      numbers.begin(post, rsn);
    }
    int span = Limits.RSN_SPAN_MAX;
    assertThat(numbers.rsnOf(post - 2 * span, post, rsn)).isEqualTo(rsn - span);
    assertThat(numbers.rsnOf(post - 2 * span - 2, post, rsn)).isEqualTo(PostNumbers.NONE);
    assertThat(numbers.runs()).isLessThanOrEqualTo(span + 1);
  }
}
