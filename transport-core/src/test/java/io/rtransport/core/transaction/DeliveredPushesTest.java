package io.rtransport.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DeliveredPushesTest {
  private final DeliveredPushes pushes = new DeliveredPushes(1024);

  @Test
  void shouldKeepEachFieldOfAPushAcrossTheWrap() {
    assertThat(pushes.add(-1, DeliveredPushes.LENGTH_MAX, true, false)).isTrue();
    assertThat(pushes.add(0, 0, false, true)).isTrue();
    assertThat(pushes.add(1, 5, false, false)).isTrue();
    long first = pushes.find(-1);
    assertThat(DeliveredPushes.rsnOf(first)).isEqualTo(-1);
    assertThat(DeliveredPushes.lengthOf(first)).isEqualTo(DeliveredPushes.LENGTH_MAX);
    assertThat(DeliveredPushes.heldBytesOf(first)).isEqualTo(DeliveredPushes.LENGTH_MAX);
    assertThat(DeliveredPushes.isUnawaited(first)).isFalse();
    long second = pushes.find(0);
    assertThat(DeliveredPushes.rsnOf(second)).isZero();
    assertThat(DeliveredPushes.lengthOf(second)).isZero();
    assertThat(DeliveredPushes.isUnawaited(second)).isTrue();
    assertThat(DeliveredPushes.heldBytesOf(pushes.find(1))).isZero();
    assertThat(pushes.find(2)).isEqualTo(DeliveredPushes.NONE);
  }

  @Test
  void shouldHoldAWindowOfThemAndNoMoreThanItsBound() {
    for (int rsn = 0; rsn < 1024; rsn++) {
      assertThat(pushes.add(rsn, 1, true, false)).as("RSN " + rsn).isTrue();
    }
    assertThat(pushes.add(1024, 1, true, false)).isFalse();
    pushes.remove(0);
    assertThat(pushes.add(1024, 1, true, false)).isTrue();
    assertThat(pushes.size()).isEqualTo(1024);
  }

  @Test
  void shouldNotGrowForAPeerThatChoosesRsnsThatMeet() {
    assertThat(pushes.add(0, 1, true, false)).isTrue();
    assertThat(pushes.add(64, 1, true, false)).as("the place in the first ring").isFalse();
    assertThat(pushes.find(64)).isEqualTo(DeliveredPushes.NONE);
  }

  @Test
  void shouldAgreeWithAMapWhateverComes() {
    SplittableRandom random = new SplittableRandom(11);
    Map<Integer, Integer> expected = new HashMap<>();
    int refused = 0;
    for (int i = 0; i < 100_000; i++) {
      int rsn = -300 + i / 100 + random.nextInt(1500);
      Integer length = expected.get(rsn);
      long push = pushes.find(rsn);
      assertThat(push != DeliveredPushes.NONE).isEqualTo(length != null);
      if (length == null) {
        if (pushes.add(rsn, i & 0xFFFF, false, false)) {
          expected.put(rsn, i & 0xFFFF);
        } else {
          refused++;
        }
      } else {
        assertThat(DeliveredPushes.lengthOf(push)).isEqualTo(length);
        pushes.remove(rsn);
        expected.remove(rsn);
      }
      assertThat(pushes.size()).isEqualTo(expected.size());
    }
    assertThat(refused).isPositive();
    for (int place = 0; place < pushes.places(); place++) {
      long push = pushes.pushAt(place);
      if (push != DeliveredPushes.NONE) {
        assertThat(expected.remove(DeliveredPushes.rsnOf(push))).isNotNull();
        pushes.remove(DeliveredPushes.rsnOf(push));
      }
    }
    assertThat(pushes.isEmpty()).isTrue();
    assertThat(expected).isEmpty();
  }
}
