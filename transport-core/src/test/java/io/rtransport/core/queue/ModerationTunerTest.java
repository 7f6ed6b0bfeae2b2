package io.rtransport.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** What self-tuning decides, on loads that are made up and virtual time. */
class ModerationTunerTest {
  private static final int LAST = ModerationTuner.STEPS - 1;
  private static final long MS = 1_000_000;

  private final ModerationTuner tuner = new ModerationTuner();
  private long nowNs;
  private long polled;

  /** One entry comes, waits for the chosen delay, and wakes; then the consumer sleeps again. */
  private void one(long gapNs) {
    nowNs += gapNs;
    tuner.onWaiting(1, polled, nowNs);
    if (!tuner.isCountReached()) {
      nowNs += tuner.delayNs();
    }
    tuner.onWakeUp(nowNs);
    polled++;
  }

  /** Entries that come evenly: those of a delay are woken for together, up to the count. */
  private void even(long apartNs, long durationNs) {
    long untilNs = nowNs + durationNs;
    long nextNs = nowNs;
    while (nextNs < untilNs) {
      long wakeAtNs = nextNs + tuner.delayNs();
      int waiting = 0;
      while (nextNs <= wakeAtNs && (waiting == 0 || !tuner.isCountReached())) {
        nowNs = nextNs;
        tuner.onWaiting(1, polled, nowNs);
        waiting++;
        nextNs += apartNs;
      }
      nowNs = tuner.isCountReached() ? nowNs : wakeAtNs;
      tuner.onWakeUp(nowNs);
      polled += waiting;
    }
  }

  /** A load whose cost for each step is given: so many wake-ups for a thousand completions. */
  private void costs(IntToDoubleFunction wakeUpsOfStep, int wakeUps) {
    for (int i = 0; i < wakeUps; i++) {
      nowNs += MS;
      tuner.onTaken((int) (1_000 / wakeUpsOfStep.applyAsDouble(tuner.step())));
      tuner.onWakeUp(nowNs);
    }
  }

  /** A load whose completions for each millisecond and wake-up depend on the step. */
  private void rates(IntToDoubleFunction completionsOfStep, int wakeUps) {
    costs(step -> 1_000 / completionsOfStep.applyAsDouble(step), wakeUps);
  }

  @Test
  void shouldBeginByWakingAtOnce() {
    assertThat(tuner.step()).isZero();
    assertThat(tuner.delayNs()).isZero();
    assertThat(tuner.count()).isOne();
  }

  @Test
  void shouldHaveStepsInsideTheBoundsOfDelayAndThreshold() {
    long delayBefore = -1;
    int countBefore = 0;
    for (int step = 0; step <= LAST; step++) {
      assertThat(tuner.step()).isEqualTo(step);
      assertThat(tuner.delayNs()).isBetween(delayBefore + 1, EventQueueContext.DELAY_NS_MAX);
      assertThat(tuner.count()).isBetween(Math.max(1, countBefore), EventConsumer.THRESHOLD_MAX);
      delayBefore = tuner.delayNs();
      countBefore = tuner.count();
      int expected = step + 1;
      for (int i = 0; step < LAST && tuner.step() != expected && i < 1_000; i++) {
        costs(at -> 1_000 >> at, 1);
      }
    }
  }

  @Test
  void shouldStayAtOnceWhereEntriesAreFew() {
    long stepped = 0;
    for (int i = 0; i < 5_000; i++) {
      one(10 * MS);
      stepped += tuner.step();
    }
    // It looks at the next step now and then, and never goes further.
    assertThat(stepped).isLessThan(5_000 / 16);
  }

  @Test
  void shouldGatherEntriesWhereTheyAreMany() {
    even(10_000, 1_000 * MS);
    // Best: sqrt(2 × 5 µs × 100 × 10 µs) = 100 µs.
    assertThat(tuner.delayNs()).isBetween(50_000L, 200_000L);
  }

  @Test
  void shouldTakeAShorterDelayWhereEntriesAreManyMore() {
    even(100, 1_000 * MS);
    // By the delay alone 10 µs would be best; the shortest steps are 0 and 25 µs.
    assertThat(tuner.delayNs()).isBetween(25_000L, 50_000L);
  }

  @Test
  void shouldWakeForABurstByItsCountBeforeTheDelay() {
    for (int burst = 0; burst < 2_000; burst++) {
      nowNs += 10 * MS;
      int waiting = 0;
      while (waiting < 64) {
        tuner.onWaiting(1, polled, nowNs);
        waiting++;
        if (tuner.isCountReached()) {
          tuner.onWakeUp(nowNs);
          polled += waiting;
          waiting = 64;
        }
      }
    }
    assertThat(tuner.count()).isBetween(32, 64);
  }

  @Test
  void shouldFollowALoadThatChangesAtOnceInBothDirections() {
    even(10_000, 3_000 * MS); // its rests are as long as they get
    assertThat(tuner.delayNs()).isBetween(50_000L, 200_000L);
    for (int i = 0; i < 150; i++) { // a rest would last 6.4 s at this rate
      one(10 * MS);
    }
    assertThat(tuner.delayNs()).isLessThanOrEqualTo(50_000); // 5.5 µs for each, of 5 at best
    even(10_000, 150 * MS);
    assertThat(tuner.delayNs()).isBetween(50_000L, 200_000L);
  }

  @Test
  void shouldGoToTheLastStepAndNoFurtherWhereEachIsBetter() {
    costs(step -> 1_000 >> step, 64 * 100);
    assertThat(tuner.step()).isBetween(LAST - 1, LAST);
    int atLast = 0;
    for (int i = 0; i < 64 * 100; i++) {
      costs(step -> 1_000 >> step, 1);
      assertThat(tuner.step()).isBetween(LAST - 1, LAST);
      atLast += tuner.step() == LAST ? 1 : 0;
    }
    assertThat(atLast).isGreaterThan(64 * 90);
  }

  @Test
  void shouldComeBackToTheFirstStepAndNoFurtherWhereEachIsWorse() {
    costs(step -> 1_000 >> step, 64 * 100);
    costs(step -> 1 << step, 64 * 100);
    int atFirst = 0;
    for (int i = 0; i < 64 * 100; i++) {
      costs(step -> 1 << step, 1);
      assertThat(tuner.step()).isBetween(0, 1);
      atFirst += tuner.step() == 0 ? 1 : 0;
    }
    assertThat(atFirst).isGreaterThan(64 * 90);
  }

  @Test
  void shouldNotWakeSeldomerWhereThatCostsCompletions() {
    // A closed loop: entries for each wake-up double with each step, and a quarter fewer come.
    int atOnce = 0;
    for (int i = 0; i < 64 * 200; i++) {
      nowNs += (long) (MS * Math.pow(2.7, tuner.step()));
      tuner.onTaken(1_000 << tuner.step());
      tuner.onWakeUp(nowNs);
      atOnce += tuner.step() == 0 ? 1 : 0;
    }
    assertThat(atOnce).isGreaterThan(64 * 180);
  }

  @Test
  void shouldTakeMoreCompletionsASecondThoughEachCostsMore() {
    rates(step -> 100 << step, 64 * 100);
    assertThat(tuner.step()).isGreaterThanOrEqualTo(LAST - 1);
  }

  @Test
  void shouldDecideNothingWithoutWakeUps() {
    for (int i = 0; i < 100_000; i++) {
      tuner.onTaken(64);
    }
    assertThat(tuner.step()).isZero();
  }

  @Test
  void shouldForgetWhatWaitedWhereTheConsumerHasPolledMeanwhile() {
    costs(step -> 1_000 >> step, 64 * 10);
    int count = tuner.count();
    assertThat(count).isGreaterThan(1);
    tuner.onWaiting(count - 1, polled, nowNs);
    assertThat(tuner.isCountReached()).isFalse();
    polled += count - 1; // at the end of its wait, without a wake-up
    tuner.onWaiting(1, polled, nowNs);
    assertThat(tuner.isCountReached()).isFalse();
    tuner.onWaiting(count - 1, polled, nowNs);
    assertThat(tuner.isCountReached()).isTrue();
  }
}
