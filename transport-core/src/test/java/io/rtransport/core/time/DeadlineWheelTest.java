package io.rtransport.core.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeadlineWheelTest {
  private static final long MS = 1_000_000;
  private static final long TICK_NS = DeadlineWheel.TICK_NS;
  private static final long TURN_NS = DeadlineWheel.TURN_NS;

  /** The beginning of a tick: ticks are counted from before all clocks. */
  private static final long TICK_BEGINS_NS = 1_000 * TICK_NS;

  private final DeadlineWheel wheel = new DeadlineWheel();

  @Test
  void shouldHaveNoDeadlineWhenNothingIsSet() {
    wheel.set(3, DeadlineWheel.NONE, 0);

    assertThat(wheel.nextDeadlineNs()).isEqualTo(DeadlineWheel.NONE);
    assertThat(wheel.pollExpired(Long.MAX_VALUE - 1)).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1_234_567_891_234L, -9_876_543_219_876L})
  void shouldExpireAtTheDeadlineAndNotBefore(long clockNs) {
    wheel.set(7, clockNs + 100, clockNs);

    assertThat(wheel.pollExpired(clockNs + 99)).isEqualTo(-1);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(clockNs + 100);
    assertThat(wheel.pollExpired(clockNs + 100)).isEqualTo(7);
    assertThat(wheel.pollExpired(clockNs + 100)).isEqualTo(-1);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(DeadlineWheel.NONE);
  }

  @Test
  void shouldWaitForTheLaterDeadlineAfterItWasMovedBack() {
    wheel.set(1, 100, 0);
    wheel.set(1, 250, 0);

    assertThat(wheel.nextDeadlineNs()).as("moving later is a written field").isEqualTo(100);
    assertThat(wheel.pollExpired(200)).isEqualTo(-1);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(250);
    assertThat(wheel.pollExpired(250)).isEqualTo(1);
  }

  @Test
  void shouldForgetTheOlderEntryOfWhatWasMovedSooner() {
    wheel.set(1, 300_000 * MS, 0);
    wheel.set(1, 20 * MS, 0);

    assertThat(wheel.pollExpired(20 * MS)).isEqualTo(1);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(DeadlineWheel.NONE);
  }

  @Test
  void shouldNeverExpireWhatWasStopped() {
    wheel.set(1, 100, 0);
    wheel.set(1, DeadlineWheel.NONE, 0);

    assertThat(wheel.nextDeadlineNs()).isEqualTo(DeadlineWheel.NONE);
    assertThat(wheel.pollExpired(1_000)).isEqualTo(-1);
  }

  @Test
  void shouldNotExpireWhatIsStoppedByWhatExpiresBesideIt() {
    int expired = 0;
    for (int slot = 0; slot < 100; slot++) {
      wheel.set(slot, 100, 0);
    }
    for (int slot = wheel.pollExpired(TICK_NS); slot >= 0; slot = wheel.pollExpired(TICK_NS)) {
      expired++;
      wheel.set(slot ^ 1, DeadlineWheel.NONE, TICK_NS);
    }

    assertThat(expired).isEqualTo(50);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(DeadlineWheel.NONE);
  }

  @Test
  void shouldBeDueWhileSomeOfWhatHasComeUpIsUntaken() {
    wheel.set(1, 100, 0);
    wheel.set(2, 100, 0);

    assertThat(wheel.pollExpired(100)).isEqualTo(1);
    assertThat(wheel.nextDeadlineNs()).isLessThanOrEqualTo(100);
  }

  @Test
  void shouldWakeNobodyForAFarDeadlineThatSharesASpokeWithANearOne() {
    wheel.set(1, 100 * TURN_NS + TICK_NS, 0);
    wheel.set(2, TICK_NS, 0);

    assertThat(wheel.pollExpired(TICK_NS)).isEqualTo(2);
    assertThat(wheel.pollExpired(TICK_NS)).isEqualTo(-1);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(100 * TURN_NS + TICK_NS);
    assertThat(wheel.pollExpired(100 * TURN_NS)).isEqualTo(-1);
    assertThat(wheel.polls()).isEqualTo(1);
  }

  @Test
  void shouldJumpTenSecondsInOneStepAndToEachOccupiedSpokeBetween() {
    wheel.set(1, TICK_NS, 0);
    assertThat(wheel.pollExpired(TICK_NS)).isEqualTo(1);
    long polls = wheel.polls();
    long[] deadlines = {3 * MS, 700 * MS, 700 * MS + TURN_NS, 9_000 * MS, 10_000 * MS};
    for (int slot = 0; slot < deadlines.length; slot++) {
      wheel.set(slot, deadlines[slot], TICK_NS);
    }

    int expired = 0;
    while (wheel.pollExpired(10_000 * MS) >= 0) {
      expired++;
    }
    assertThat(expired).isEqualTo(deadlines.length);
    assertThat(wheel.polls() - polls).isLessThanOrEqualTo(deadlines.length);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(DeadlineWheel.NONE);
  }

  @Test
  void shouldExpireAFullSpokeAtOnceAndOneMoreATickLaterAtMost() {
    long deadlineNs = TICK_BEGINS_NS + 5;
    for (int slot = 0; slot < DeadlineWheel.SPOKE_MAX; slot++) {
      wheel.set(slot, deadlineNs, TICK_BEGINS_NS);
    }
    assertThat(countExpired(deadlineNs)).isEqualTo(DeadlineWheel.SPOKE_MAX);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(DeadlineWheel.NONE);

    deadlineNs += TURN_NS / 2;
    for (int slot = 0; slot <= DeadlineWheel.SPOKE_MAX; slot++) {
      wheel.set(slot, deadlineNs, deadlineNs - 1);
    }
    assertThat(countExpired(deadlineNs)).isEqualTo(DeadlineWheel.SPOKE_MAX);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(deadlineNs - 5 + TICK_NS);
    assertThat(countExpired(deadlineNs - 5 + TICK_NS)).isEqualTo(1);
  }

  @Test
  void shouldTakeTenThousandEqualDeadlinesInTwoStepsAndWithoutGrowing() {
    int connections = 10_000;
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    new DeadlineWheel().set(0, 1, 0); // loads classes
    long before = threads.getCurrentThreadAllocatedBytes();
    DeadlineWheel fresh = new DeadlineWheel();
    for (int slot = connections - 1; slot >= 0; slot--) { // its arrays grow once
      fresh.set(slot, TICK_BEGINS_NS + 5, TICK_BEGINS_NS);
    }
    int expired = countExpired(fresh, TICK_BEGINS_NS + 5);
    long secondNs = fresh.nextDeadlineNs();
    int late = countExpired(fresh, secondNs);
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;

    assertThat(expired).isEqualTo(DeadlineWheel.SPOKE_MAX);
    assertThat(secondNs).isBetween(TICK_BEGINS_NS + 6, TICK_BEGINS_NS + 5 + TICK_NS);
    assertThat(late).isEqualTo(connections - DeadlineWheel.SPOKE_MAX);
    assertThat(fresh.nextDeadlineNs()).isEqualTo(DeadlineWheel.NONE);
    assertThat(fresh.polls()).isEqualTo(2);
    // 20 bytes a slot, and the wheel, which is the same for one connection and for 10,000.
    assertThat(bytes).isBetween(20L * connections, 20L * connections + 82_000);
  }

  /** All in one spoke, if turns were not told apart: 300 s and some turns away. */
  private void setFarOnesInTheSpokeOf(long deadlineNs, int idle) {
    for (int slot = 0; slot < idle; slot++) {
      wheel.set(slot, deadlineNs + (2_240 + slot % 10) * TURN_NS, deadlineNs - MS);
    }
  }

  @Test
  void shouldExpireNearDeadlinesOnTimeAmongTenThousandFarOnesOfTheSameSpoke() {
    int idle = 10_000;
    setFarOnesInTheSpokeOf(TICK_BEGINS_NS, idle);
    for (int slot = 0; slot < DeadlineWheel.SPOKE_MAX; slot++) {
      wheel.set(idle + slot, TICK_BEGINS_NS + slot, TICK_BEGINS_NS - TICK_NS);
    }

    for (int slot = 0; slot < DeadlineWheel.SPOKE_MAX; slot++) {
      assertThat(wheel.nextDeadlineNs()).isEqualTo(TICK_BEGINS_NS + slot);
      assertThat(wheel.pollExpired(TICK_BEGINS_NS + slot)).isEqualTo(idle + slot);
    }
    assertThat(wheel.nextDeadlineNs()).isEqualTo(TICK_BEGINS_NS + 2_240 * TURN_NS);
  }

  @Test
  void shouldExpireNearDeadlinesThatFindNoPlaceATickLaterAndLookAtNoFarOne() {
    int idle = 10_000;
    int near = 100;
    setFarOnesInTheSpokeOf(TICK_BEGINS_NS, idle);
    for (int turn = 0; turn < 20; turn++) {
      long deadlineNs = TICK_BEGINS_NS + turn * TURN_NS;
      for (int slot = 0; slot < near; slot++) {
        wheel.set(idle + slot, deadlineNs, deadlineNs - MS);
      }
      assertThat(countExpired(deadlineNs)).isEqualTo(DeadlineWheel.SPOKE_MAX);
      assertThat(wheel.nextDeadlineNs()).isEqualTo(deadlineNs + TICK_NS);
      assertThat(countExpired(deadlineNs + TICK_NS)).isEqualTo(near - DeadlineWheel.SPOKE_MAX);
    }
    assertThat(wheel.looks()).isEqualTo(20 * near);
  }

  @Test
  void shouldExpireTenThousandFarDeadlinesWithinTheirTickAndLookAtEachNineTimesAtTheMost() {
    int idle = 10_000;
    SplittableRandom random = new SplittableRandom(1);
    long[] deadlines = new long[idle];
    for (int slot = 0; slot < idle; slot++) {
      deadlines[slot] = 100 * TURN_NS + random.nextLong(3 * DeadlineWheel.FAR_LIST_NS);
      wheel.set(slot, deadlines[slot], 0);
    }

    int expired = 0;
    long wakeUps = 0;
    while (wheel.nextDeadlineNs() != DeadlineWheel.NONE) {
      long nowNs = wheel.nextDeadlineNs();
      wakeUps++;
      for (int slot = wheel.pollExpired(nowNs); slot >= 0; slot = wheel.pollExpired(nowNs)) {
        assertThat(nowNs - deadlines[slot]).isBetween(0L, TICK_NS);
        expired++;
      }
    }
    assertThat(expired).isEqualTo(idle);
    assertThat(wakeUps).as("none for nothing").isLessThanOrEqualTo(idle);
    assertThat(wheel.looks()).isBetween(2L * idle, 9L * idle);
  }

  @Test
  void shouldTakeWhatIsATurnAwayForFarAndWhatIsSoonerForNear() {
    int more = DeadlineWheel.SPOKE_MAX + 1;
    long farNs = TICK_BEGINS_NS + TURN_NS;
    for (int slot = 0; slot < more; slot++) {
      wheel.set(slot, farNs, TICK_BEGINS_NS);
    }
    assertThat(countExpired(farNs)).isEqualTo(more);

    for (int slot = 0; slot < more; slot++) {
      wheel.set(slot, farNs + TURN_NS - 1, farNs);
    }
    assertThat(countExpired(farNs + TURN_NS - 1)).isEqualTo(DeadlineWheel.SPOKE_MAX);
    assertThat(countExpired(farNs + TURN_NS)).isEqualTo(1);
  }

  @Test
  void shouldExpireTenThousandEqualFarDeadlinesOnTimeInOneStep() {
    int idle = 10_000;
    long farNs = 300_000 * MS;
    for (int slot = 0; slot < idle; slot++) {
      wheel.set(slot, farNs, 0);
    }
    assertThat(countExpired(farNs - 1)).isZero();
    assertThat(wheel.polls()).isZero();
    assertThat(countExpired(farNs)).isEqualTo(idle);
    assertThat(wheel.polls()).isEqualTo(1);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(DeadlineWheel.NONE);
  }

  @Test
  void shouldMoveAFarDeadlineSoonerAndLaterAndForgetIt() {
    long farNs = 300_000 * MS;
    wheel.set(1, farNs, 0);
    wheel.set(1, farNs + DeadlineWheel.FAR_LIST_NS, 0);
    assertThat(wheel.nextDeadlineNs()).as("moving later is a written field").isEqualTo(farNs);
    assertThat(wheel.pollExpired(farNs)).isEqualTo(-1);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(farNs + DeadlineWheel.FAR_LIST_NS);

    wheel.set(1, farNs + 5 * MS, farNs);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(farNs + 5 * MS);
    assertThat(wheel.pollExpired(farNs + 5 * MS)).isEqualTo(1);
    wheel.set(1, 2 * farNs, farNs + 5 * MS);
    wheel.set(1, DeadlineWheel.NONE, farNs + 5 * MS);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(DeadlineWheel.NONE);
  }

  @Test
  void shouldWakeUpOnceForNothingWhereTheSoonestFarDeadlineOfAListWasStopped() {
    long farNs = 100 * DeadlineWheel.FAR_LIST_NS;
    for (int slot = 0; slot < 100; slot++) {
      wheel.set(slot, farNs + slot, 0);
    }
    for (int slot = 0; slot < 99; slot++) {
      wheel.set(slot, DeadlineWheel.NONE, 0);
    }
    assertThat(wheel.nextDeadlineNs()).isEqualTo(farNs);
    assertThat(wheel.pollExpired(farNs)).isEqualTo(-1);
    assertThat(wheel.nextDeadlineNs()).isEqualTo(farNs + 99);
    assertThat(wheel.pollExpired(farNs + 99)).isEqualTo(99);
  }

  @Test
  void shouldAllocateNothingOnceItsSlotsWereUsed() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long nowNs = 0;
    long allocated = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) { // the first ones load classes
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int step = 0; step < 20_000; step++) {
        nowNs += 10_000;
        wheel.set(step % 1_000, nowNs + (step % 7) * MS, nowNs);
        for (int slot = wheel.pollExpired(nowNs); slot >= 0; slot = wheel.pollExpired(nowNs)) {
          wheel.set(slot, nowNs + 25 * MS, nowNs);
        }
      }
      allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(allocated).isZero();
  }

  /** Seven slots never overflow a spoke; two hundred within some ticks do most of the time. */
  @ParameterizedTest
  @ValueSource(ints = {DeadlineWheel.SPOKE_MAX, 200})
  void shouldAgreeWithAPlainArrayUnderRandomUse(int slots) {
    long latestNs = slots <= DeadlineWheel.SPOKE_MAX ? 0 : TICK_NS;
    for (long seed = 1; seed <= 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      DeadlineWheel tested = new DeadlineWheel();
      long[] oracle = new long[slots];
      Arrays.fill(oracle, DeadlineWheel.NONE);
      long[] spansNs = {1_000, 4 * TICK_NS, TURN_NS, 5 * TURN_NS, 1_000 * TURN_NS};
      long now = random.nextLong(-TURN_NS, 1_000_000 * TURN_NS);
      for (int step = 0; step < 2_000; step++) {
        int slot = random.nextInt(slots);
        long spanNs = spansNs[random.nextInt(spansNs.length)];
        long deadline = random.nextInt(8) == 0 ? DeadlineWheel.NONE : now + random.nextLong(spanNs);
        tested.set(slot, deadline, now);
        oracle[slot] = deadline;
        now += random.nextLong(random.nextInt(20) == 0 ? 3 * TURN_NS : spanNs / 40 + 1);
        boolean isTold = tested.nextDeadlineNs() - latestNs <= least(oracle);
        boolean isEarly = false;
        for (int due = tested.pollExpired(now); due >= 0; due = tested.pollExpired(now)) {
          isEarly |= oracle[due] > now;
          oracle[due] = DeadlineWheel.NONE;
        }
        boolean isMissed = least(oracle) <= now - latestNs;
        if (!isTold || isEarly || isMissed) {
          fail(
              "seed %d step %d: told %s early %s missed %s", seed, step, isTold, isEarly, isMissed);
        }
      }
    }
  }

  private static long least(long[] deadlines) {
    long least = DeadlineWheel.NONE;
    for (long deadline : deadlines) {
      least = Math.min(least, deadline);
    }
    return least;
  }

  private int countExpired(long nowNs) {
    return countExpired(wheel, nowNs);
  }

  private static int countExpired(DeadlineWheel wheel, long nowNs) {
    int count = 0;
    while (wheel.pollExpired(nowNs) >= 0) {
      count++;
    }
    return count;
  }
}
