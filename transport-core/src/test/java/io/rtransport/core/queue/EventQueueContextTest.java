package io.rtransport.core.queue;

import static io.rtransport.core.queue.EventQueueContext.INTERRUPT;
import static io.rtransport.core.queue.EventQueueContext.SET_PRIMARY;
import static io.rtransport.core.queue.EventQueueContext.SET_SECONDARY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The document's table, cell by cell, under all control bits, and the clock that it goes by. */
class EventQueueContextTest {
  private static final long DELAY_NS = 1_000;
  private static final boolean EMPTY = true;
  private static final boolean NOT_EMPTY = false;

  private long polled;

  /** All eight settings of the three bits. */
  private static List<boolean[]> settings() {
    List<boolean[]> all = new ArrayList<>();
    for (int bits = 0; bits < 8; bits++) {
      all.add(new boolean[] {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
    }
    return all;
  }

  static List<EventQueueControls> validSettings() {
    return settings().stream()
        .filter(s -> s[0] || !s[1])
        .map(s -> new EventQueueControls(s[0], s[1], s[2]))
        .toList();
  }

  private EventQueueContext context(EventQueueControls controls, long delayNs) {
    return new EventQueueContext(controls, delayNs, () -> polled);
  }

  /** A context whose timestamp is {@code timestampNs}. */
  private EventQueueContext contextWith(EventQueueControls controls, long timestampNs) {
    EventQueueContext context = context(controls, DELAY_NS);
    context.onCompletionEvent(EMPTY, timestampNs - DELAY_NS);
    assertThat(context.timestampNs()).isEqualTo(timestampNs);
    return context;
  }

  @Test
  void shouldRefusePsumIntWithoutPsumAndNoOtherSetting() {
    int refused = 0;
    for (boolean[] s : settings()) {
      if (s[1] && !s[0]) {
        refused++;
        assertThatThrownBy(() -> new EventQueueControls(s[0], s[1], s[2]))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("interruptWithPrimary=true needs primarySummary=true, which is false");
      }
    }
    assertThat(refused).isEqualTo(2);
    assertThatThrownBy(() -> new EventQueueControls(true, true, false, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("selfTuning=true needs interruptWithPrimary=false, which is true");
    assertThat(validSettings()).hasSize(6).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("validSettings")
  void shouldSetThePrimaryByteAndTheTimestampWhereTheEqIsEmptyWhateverTheTime(
      EventQueueControls controls) {
    int expected =
        (controls.primarySummary() ? SET_PRIMARY : 0)
            | (controls.secondarySummary() ? SET_SECONDARY : 0)
            | (controls.interruptWithPrimary() ? INTERRUPT : 0);
    for (long sinceTimestampNs : new long[] {-DELAY_NS, -1, 0, 1, 10 * DELAY_NS}) {
      EventQueueContext context = contextWith(controls, 5_000);
      long dueBefore = context.interruptsDue();
      long nowNs = 5_000 + sinceTimestampNs;
      assertThat(context.onCompletionEvent(EMPTY, nowNs)).isEqualTo(expected);
      assertThat(context.timestampNs()).isEqualTo(nowNs + DELAY_NS);
      assertThat(context.interruptsDue() - dueBefore)
          .isEqualTo(controls.interruptWithPrimary() ? 1 : 0);
    }
  }

  @ParameterizedTest
  @MethodSource("validSettings")
  void shouldDoNothingMoreWhereTheEqIsNotEmptyAndTheTimestampHasNotPassed(
      EventQueueControls controls) {
    int expected = controls.secondarySummary() ? SET_SECONDARY : 0;
    for (long sinceTimestampNs : new long[] {-DELAY_NS, -1, 0}) {
      EventQueueContext context = contextWith(controls, 5_000);
      long dueBefore = context.interruptsDue();
      assertThat(context.onCompletionEvent(NOT_EMPTY, 5_000 + sinceTimestampNs))
          .isEqualTo(expected);
      assertThat(context.timestampNs()).isEqualTo(5_000);
      assertThat(context.interruptsDue()).isEqualTo(dueBefore);
    }
  }

  @ParameterizedTest
  @MethodSource("validSettings")
  void shouldInterruptWhereTheEqIsNotEmptyAndTheTimestampHasPassed(EventQueueControls controls) {
    int expected = (controls.secondarySummary() ? SET_SECONDARY : 0) | INTERRUPT;
    for (long lateNs : new long[] {1, DELAY_NS, Long.MAX_VALUE}) {
      EventQueueContext context = contextWith(controls, 5_000);
      long dueBefore = context.interruptsDue();
      long nowNs = 5_000 + lateNs;
      assertThat(context.onCompletionEvent(NOT_EMPTY, nowNs)).isEqualTo(expected);
      assertThat(context.timestampNs()).isEqualTo(nowNs + DELAY_NS);
      assertThat(context.interruptsDue()).isEqualTo(dueBefore + 1);
    }
  }

  @ParameterizedTest
  @MethodSource("validSettings")
  void shouldCompareTheTimestampForACompletionOnAPendingQueueToo(EventQueueControls controls) {
    EventQueueContext context = contextWith(controls, 5_000);
    assertThat(context.onFurtherCompletion(5_000)).isZero();
    assertThat(context.timestampNs()).isEqualTo(5_000);
    assertThat(context.onFurtherCompletion(5_001)).isEqualTo(INTERRUPT);
    assertThat(context.timestampNs()).isEqualTo(5_001 + DELAY_NS);
  }

  @Test
  void shouldInterruptAtEachLaterTimeWhereTheDelayIsZeroAndNotAtAnEqualOne() {
    EventQueueContext context = context(EventQueueControls.moderated(), 0);
    assertThat(context.onCompletionEvent(EMPTY, 7)).isEqualTo(SET_PRIMARY);
    assertThat(context.onCompletionEvent(NOT_EMPTY, 7)).isZero();
    assertThat(context.onCompletionEvent(NOT_EMPTY, 8)).isEqualTo(INTERRUPT);
    assertThat(context.onFurtherCompletion(8)).isZero();
    assertThat(context.onFurtherCompletion(9)).isEqualTo(INTERRUPT);
  }

  @Test
  void shouldGoOnWhereTheClockWrapsWhileTheEqIsIdle() {
    EventQueueContext context = contextWith(EventQueueControls.moderated(), Long.MAX_VALUE - 10);
    assertThat(context.onCompletionEvent(EMPTY, Long.MIN_VALUE + 5)).isEqualTo(SET_PRIMARY);
    assertThat(context.timestampNs()).isEqualTo(Long.MIN_VALUE + 5 + DELAY_NS);
    assertThat(context.onCompletionEvent(NOT_EMPTY, Long.MIN_VALUE + 5 + DELAY_NS)).isZero();
  }

  @Test
  void shouldGoOnWhereTheClockWrapsWhileTheEqIsBusy() {
    EventQueueContext context = context(EventQueueControls.moderated(), DELAY_NS);
    context.onCompletionEvent(EMPTY, Long.MAX_VALUE - DELAY_NS / 2);
    long timestampNs = context.timestampNs();
    assertThat(timestampNs).isNegative();
    assertThat(context.onCompletionEvent(NOT_EMPTY, Long.MAX_VALUE)).isZero();
    assertThat(context.onCompletionEvent(NOT_EMPTY, Long.MIN_VALUE)).isZero();
    assertThat(context.onCompletionEvent(NOT_EMPTY, timestampNs)).isZero();
    assertThat(context.onCompletionEvent(NOT_EMPTY, timestampNs + 1)).isEqualTo(INTERRUPT);
  }

  @Test
  void shouldTakeADifferenceOfHalfTheRangeForNotLater() {
    EventQueueContext context = contextWith(EventQueueControls.moderated(), 5_000);
    assertThat(context.onCompletionEvent(NOT_EMPTY, 5_000 + Long.MIN_VALUE)).isZero();
    assertThat(context.onCompletionEvent(NOT_EMPTY, 5_000 + Long.MIN_VALUE - 1))
        .isEqualTo(INTERRUPT);
  }

  @Test
  void shouldMoveTheTimestampOnWhereTheConsumerHasPolledEntriesSinceItWasSet() {
    EventQueueContext context = contextWith(EventQueueControls.moderated(), 5_000);
    polled += 3;
    assertThat(context.onCompletionEvent(NOT_EMPTY, 5_001)).isZero();
    assertThat(context.timestampNs()).isEqualTo(5_001 + DELAY_NS);
    assertThat(context.interruptsDue()).isZero();
    // It has stopped: the next time that the timestamp passes is an interrupt.
    assertThat(context.onCompletionEvent(NOT_EMPTY, 5_002 + DELAY_NS)).isEqualTo(INTERRUPT);
    assertThat(context.interruptsDue()).isOne();
  }

  @Test
  void shouldNotTakeEntriesPolledBeforeTheTimestampForKeepingUp() {
    polled = 9;
    EventQueueContext context = contextWith(EventQueueControls.moderated(), 5_000);
    assertThat(context.onFurtherCompletion(5_001)).isEqualTo(INTERRUPT);
  }

  @Test
  void shouldKeepTheTimestampWhereTheDelayIsSetAndTakeItAtTheNext() {
    EventQueueContext context = contextWith(EventQueueControls.moderated(), 5_000);
    context.delayNs(7);
    assertThat(context.delayNs()).isEqualTo(7);
    assertThat(context.timestampNs()).isEqualTo(5_000);
    context.onFurtherCompletion(5_001);
    assertThat(context.timestampNs()).isEqualTo(5_008);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, EventQueueContext.DELAY_NS_MAX + 1, Long.MIN_VALUE})
  void shouldRefuseADelayOutsideItsRange(long delayNs) {
    assertThatThrownBy(() -> context(EventQueueControls.moderated(), delayNs))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("delayNs=" + delayNs + " is not in the range 0..10000000000");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, EventQueueContext.DELAY_NS_MAX})
  void shouldTakeADelayInsideItsRange(long delayNs) {
    assertThat(context(EventQueueControls.moderated(), delayNs).delayNs()).isEqualTo(delayNs);
  }
}
