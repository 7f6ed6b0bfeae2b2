package io.rtransport.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Polling, marking again, arming and waiting, on one thread and virtual time. */
class EventConsumerTest {
  private static final long DELAY_NS = 1_000;
  private static final EventQueueControls ALL = new EventQueueControls(true, false, true);

  private final QueueWorld world = new QueueWorld(4, 256);

  static java.util.List<EventQueueControls> validSettings() {
    return EventQueueContextTest.validSettings();
  }

  private EventQueue events(EventQueueControls controls) {
    return world.consumer.addEventQueue(controls, DELAY_NS);
  }

  private long wakeUps(EventQueue events) {
    return events.count(QueueCounter.WAKE_UPS);
  }

  // ---- polling

  @ParameterizedTest
  @MethodSource("validSettings")
  void shouldPollAllOf64QueuesByTheBytesWithALimitOfOneAndThenSilence(EventQueueControls controls) {
    EventQueue events = events(controls);
    for (int q = 0; q < 64; q++) {
      CompletionQueue queue = world.open(events, 3);
      for (int i = 0; i < 3; i++) {
        QueueWorld.complete(events, queue, q, i);
      }
    }
    int polls = 0;
    while (world.poll(1) == 1) {
      polls++;
    }
    assertThat(polls).isEqualTo(192);
    Map<Long, Integer> counts = new HashMap<>();
    world.tags.forEach(tag -> counts.merge(tag, 1, Integer::sum));
    assertThat(counts).hasSize(64).allSatisfy((tag, count) -> assertThat(count).isEqualTo(3));
    assertThat(QueueWorld.pendingCount(events)).isZero();
    // Marked again at the tail: each queue had its turn before any had its second.
    assertThat(world.tags.subList(0, 64)).doesNotHaveDuplicates();
  }

  @Test
  void shouldFindTheQueuesOfSeveralGroupsWhereOnlySecondaryBytesAreOn() {
    EventQueue events = events(new EventQueueControls(false, false, true));
    CompletionQueue last = null;
    for (int q = 0; q < 256; q++) {
      last = world.open(events, 2);
    }
    QueueWorld.complete(events, last, 77, 0);
    assertThat(world.poll(8)).isOne();
    assertThat(world.tags).containsExactly(77L);
    assertThat(world.poll(8)).isZero();
  }

  @Test
  void shouldLetEachEventQueueHaveItsTurnWhereOneNeverEmpties() {
    EventQueue busy = events(ALL);
    EventQueue other = events(ALL);
    CompletionQueue first = world.open(busy, 8);
    CompletionQueue second = world.open(other, 8);
    for (int i = 0; i < 8; i++) {
      QueueWorld.complete(busy, first, 1, 0);
    }
    QueueWorld.complete(other, second, 2, 0);
    world.poll(2);
    world.poll(2);
    assertThat(world.tags).contains(2L);
  }

  @Test
  void shouldPutAQueueOnTheEventQueueOnceUntilItsBitIsReset() {
    EventQueue events = events(ALL);
    CompletionQueue queue = world.open(events, 8);
    for (int i = 0; i < 8; i++) {
      QueueWorld.complete(events, queue, i, 0);
      assertThat(QueueWorld.pendingCount(events)).isOne();
    }
    assertThat(world.poll(8)).isEqualTo(8);
    assertThat(QueueWorld.pendingCount(events)).isZero();
    assertThat(events.ring().isEmpty()).isTrue();
  }

  @Test
  void shouldLeaveWhatFollowsWhereAHandlerThrows() {
    EventQueue events = events(ALL);
    CompletionQueue queue = world.open(events, 8);
    for (int i = 0; i < 4; i++) {
      QueueWorld.complete(events, queue, i, 0);
    }
    world.beside =
        () -> {
          if (world.tags.size() == 2) {
            throw new IllegalArgumentException("handler");
          }
        };
    assertThatThrownBy(() -> world.poll(8)).hasMessage("handler");
    assertThat(world.poll(8)).isEqualTo(2);
    assertThat(world.tags).containsExactly(0L, 1L, 2L, 3L);
    assertThat(QueueWorld.pendingCount(events)).isZero();
  }

  @Test
  void shouldLetAHandlerPostAgainIntoTheRoomOfItsEntry() {
    EventQueue events = events(ALL);
    CompletionQueue queue = world.open(events, 1);
    QueueWorld.complete(events, queue, 1, 0);
    Claim[] claim = new Claim[1];
    world.beside = () -> claim[0] = queue.tryPost(1);
    world.poll(1);
    assertThat(claim[0]).isEqualTo(Claim.TAKEN);
  }

  @Test
  void shouldRefuseToBeCalledFromAHandler() {
    EventQueue events = events(ALL);
    CompletionQueue queue = world.open(events, 8);
    Map<String, Runnable> verbs =
        Map.of(
            "poll", () -> world.poll(1),
            "pollLinks", () -> world.consumer.pollLinks(world),
            "arm", () -> world.consumer.arm(0, 0),
            "open", () -> world.open(events, 1),
            "remove", () -> world.consumer.remove(queue, world),
            "addEventQueue", () -> events(ALL));
    int refused = 0;
    for (Map.Entry<String, Runnable> verb : verbs.entrySet()) {
      QueueWorld.complete(events, queue, 1, 0);
      world.beside = verb.getValue();
      assertThatThrownBy(() -> world.poll(1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(verb.getKey() + " was called from a handler of this consumer");
      refused++;
    }
    assertThat(refused).isEqualTo(6);
  }

  // ---- events that are no completions

  @ParameterizedTest
  @MethodSource("validSettings")
  void shouldNotCountEventsThatAreNoCompletions(EventQueueControls controls) {
    EventQueue events = events(controls);
    assertThat(events.putEvent(0)).isTrue();
    assertThat(events.putEvent(Long.MAX_VALUE)).isTrue();
    assertThat(QueueWorld.pendingCount(events)).isZero();
    long dueBefore = events.count(QueueCounter.INTERRUPTS_DUE);
    CompletionQueue queue = world.open(events, 1);
    // Not empty, and CEC is 0: the first column of the table.
    QueueWorld.complete(events, queue, 5, 0);
    assertThat(events.count(QueueCounter.INTERRUPTS_DUE) - dueBefore)
        .isEqualTo(controls.interruptWithPrimary() ? 1 : 0);
    assertThat(events.deadlineNs()).isEqualTo(DELAY_NS);
    assertThat(world.poll(8)).isEqualTo(3);
    assertThat(world.events).containsExactly(0L, Long.MAX_VALUE);
  }

  @Test
  void shouldRefuseEventsBeyondTheirPlacesAndStillTakeEachCompletion() {
    QueueWorld small = new QueueWorld(1, 2);
    EventQueue events = small.consumer.addEventQueue(ALL, 0);
    CompletionQueue first = small.open(events, 1);
    CompletionQueue second = small.open(events, 1);
    assertThat(events.putEvent(1)).isTrue();
    assertThat(events.putEvent(2)).isTrue();
    assertThat(events.putEvent(3)).isFalse();
    QueueWorld.complete(events, first, 10, 0);
    QueueWorld.complete(events, second, 11, 0);
    assertThat(small.poll(1)).isOne();
    assertThat(events.putEvent(4)).isTrue();
    assertThat(events.putEvent(5)).isFalse();
    assertThat(small.poll(8)).isEqualTo(4);
    assertThat(small.events).containsExactly(1L, 2L, 4L);
    assertThat(small.tags).containsExactly(10L, 11L);
  }

  @Test
  void shouldRefuseAnEventBelowZero() {
    assertThatThrownBy(() -> events(ALL).putEvent(-1)).hasMessageStartingWith("value=-1 is not");
  }

  // ---- removing

  @Test
  void shouldLowerTheCounterWhereAPendingQueueIsRemovedAndSkipItsStaleEntry() {
    QueueWorld small = new QueueWorld(1, 1);
    EventQueue events = small.consumer.addEventQueue(ALL, 0);
    CompletionQueue queue = small.open(events, 2);
    QueueWorld.complete(events, queue, 1, 0);
    QueueWorld.complete(events, queue, 2, 0);
    queue.close();
    assertThat(QueueWorld.pendingCount(events)).isOne();
    assertThat(small.consumer.remove(queue, small)).isTrue();
    assertThat(QueueWorld.pendingCount(events)).isZero();
    assertThat(small.tags).containsExactly(1L, 2L);
    // The slot is free when its stale entry is skipped, and not before.
    assertThat(small.open(events, 1)).isNull();
    assertThat(small.poll(8)).isZero();
    assertThat(small.consumer.staleSkipped()).isOne();
    CompletionQueue next = small.open(events, 1);
    assertThat(next.slot()).isEqualTo(queue.slot());
    assertThat(next.generation()).isEqualTo(queue.generation() + 1);
    QueueWorld.complete(events, next, 3, 0);
    assertThat(small.poll(8)).isOne();
  }

  @Test
  void shouldRefuseToRemoveAQueueTwice() {
    EventQueue events = events(ALL);
    CompletionQueue queue = world.open(events, 1);
    queue.close();
    assertThat(world.consumer.remove(queue, world)).isTrue();
    assertThatThrownBy(() -> world.consumer.remove(queue, world))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("slot=0 has another queue, or none");
    assertThat(world.open(events, 1).slot()).isZero();
  }

  // ---- moderation

  @ParameterizedTest
  @ValueSource(ints = {1, 256})
  void shouldNeverWakeAConsumerThatPolls(int queues) {
    EventQueue events = events(EventQueueControls.immediate());
    CompletionQueue[] all = new CompletionQueue[queues];
    for (int q = 0; q < queues; q++) {
      all[q] = world.open(events, 4);
    }
    for (int i = 0; i < 100_000; i++) {
      QueueWorld.complete(events, all[i % queues], i, i * 100L);
      if (i % 7 == 0) {
        world.poll(64);
      }
      if (i % 1_000 == 0) {
        while (world.poll(64) > 0) {}
      }
      while (all[(i + 1) % queues].posted() == 4) {
        world.poll(64);
      }
    }
    System.out.println(
        queues + " queues, PSUM+INT: due " + events.count(QueueCounter.INTERRUPTS_DUE));
    assertThat(events.count(QueueCounter.INTERRUPTS_DUE)).isPositive();
    assertThat(wakeUps(events)).isZero();
    assertThat(world.parker.unparks).isZero();
    assertThat(events.count(QueueCounter.SUPPRESSED))
        .isEqualTo(events.count(QueueCounter.INTERRUPTS_DUE));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 256})
  void shouldFindNoInterruptDueWhereAConsumerKeepsUpThoughTheQueueIsNeverEmpty(int queues) {
    EventQueue events = events(EventQueueControls.moderated());
    CompletionQueue[] all = new CompletionQueue[queues];
    for (int q = 0; q < queues; q++) {
      all[q] = world.open(events, 64);
      QueueWorld.complete(events, all[q], q, 0);
      QueueWorld.complete(events, all[q], q, 0);
    }
    for (int i = 0; i < 10_000; i++) {
      QueueWorld.complete(events, all[i % queues], i, i * 100L);
      assertThat(world.poll(1)).isOne();
    }
    assertThat(QueueWorld.pendingCount(events)).isPositive();
    System.out.println(
        queues + " queues, moderated: due " + events.count(QueueCounter.INTERRUPTS_DUE));
    assertThat(events.count(QueueCounter.INTERRUPTS_DUE)).isZero();
    assertThat(wakeUps(events)).isZero();
  }

  @Test
  void shouldWakeASleeperAtOnceWithPsumInt() {
    EventQueue events = events(EventQueueControls.immediate());
    CompletionQueue queue = world.open(events, 4);
    assertThat(world.consumer.arm(0, 0)).isTrue();
    QueueWorld.complete(events, queue, 1, 50);
    assertThat(wakeUps(events)).isOne();
    assertThat(events.hasDeadline()).isFalse();
    QueueWorld.complete(events, queue, 2, 51 + DELAY_NS);
    assertThat(wakeUps(events)).isOne();
    assertThat(events.count(QueueCounter.SUPPRESSED)).isOne();
  }

  @Test
  void shouldWakeASleeperOnceADelayWithoutPsumInt() {
    EventQueue events = events(EventQueueControls.moderated());
    CompletionQueue queue = world.open(events, 64);
    world.consumer.arm(0, 0);
    for (int i = 0; i <= 20; i++) {
      QueueWorld.complete(events, queue, i, i * 50L);
    }
    assertThat(wakeUps(events)).isZero();
    assertThat(events.hasDeadline()).isTrue();
    QueueWorld.complete(events, queue, 99, DELAY_NS + 1);
    assertThat(wakeUps(events)).isOne();
    assertThat(events.count(QueueCounter.INTERRUPTS_DUE)).isOne();
    assertThat(events.hasDeadline()).isFalse();
  }

  @Test
  void shouldWakeASleeperAtTheTimestampForALoneLastCompletion() {
    EventQueue events = events(EventQueueControls.moderated());
    CompletionQueue queue = world.open(events, 4);
    assertThat(events.hasDeadline()).isFalse();
    world.consumer.arm(0, 0);
    QueueWorld.complete(events, queue, 1, 40);
    assertThat(events.hasDeadline()).isTrue();
    assertThat(events.deadlineNs()).isEqualTo(40 + DELAY_NS);
    events.onTimeout(39 + DELAY_NS);
    assertThat(world.parker.unparks).isZero();
    assertThat(events.hasDeadline()).isTrue();
    events.onTimeout(40 + DELAY_NS);
    assertThat(world.parker.unparks).isOne();
    assertThat(events.count(QueueCounter.DEADLINES_DUE)).isOne();
    assertThat(events.hasDeadline()).isFalse();
  }

  @Test
  void shouldTuneItselfFromWakingAtOnceToGatheringAndBack() {
    EventQueue events = events(EventQueueControls.selfTuned());
    CompletionQueue queue = world.open(events, 1_024);
    assertThat(events.delayNs()).isZero(); // not the delay that was given
    world.consumer.arm(0, 0);
    QueueWorld.complete(events, queue, 1, 0);
    assertThat(world.parker.unparks).isOne(); // by the count of one, without a deadline
    assertThat(events.count(QueueCounter.COUNTS_DUE)).isOne();
    world.poll(1_024);

    long nowNs = sleepThrough(events, queue, 0, 2_000_000_000L, 10_000);
    assertThat(events.delayNs()).isBetween(50_000L, 200_000L);
    int unparks = world.parker.unparks;
    sleepThrough(events, queue, nowNs, nowNs + 100_000_000L, 10_000);
    assertThat(world.parker.unparks - unparks).isBetween(100_000 / 210, 100_000 / 25);

    for (int i = 0; i < 1_000; i++) { // a hundred a second
      nowNs += 10_000_000;
      nowNs = sleepThrough(events, queue, nowNs, nowNs + 1, 10_000);
    }
    assertThat(events.delayNs()).isLessThanOrEqualTo(50_000);
  }

  /** Entries come evenly, to a consumer that polls all when it is woken, and sleeps again. */
  private long sleepThrough(
      EventQueue events, CompletionQueue queue, long fromNs, long untilNs, long apartNs) {
    long nowNs = fromNs;
    long nextNs = fromNs;
    int unparks = world.parker.unparks;
    world.consumer.arm(world.consumer.storedCount(), 0);
    while (nowNs < untilNs || events.hasDeadline()) {
      if (events.hasDeadline() && (events.deadlineNs() <= nextNs || nextNs >= untilNs)) {
        nowNs = events.deadlineNs();
        events.onTimeout(nowNs);
      } else {
        nowNs = nextNs;
        nextNs += apartNs;
        QueueWorld.complete(events, queue, 1, nowNs);
      }
      if (world.parker.unparks != unparks) {
        unparks = world.parker.unparks;
        world.poll(1_024);
        world.consumer.arm(world.consumer.storedCount(), 0);
      }
    }
    return nowNs;
  }

  @Test
  void shouldRefuseADelayWhereItTunesItself() {
    EventQueue events = events(EventQueueControls.selfTuned());
    assertThatThrownBy(() -> events.delayNs(5))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("delayNs=5, valid: without selfTuning");
  }

  @Test
  void shouldHaveNoDeadlineForAConsumerThatIsNotArmedOrHasPolledAll() {
    EventQueue events = events(EventQueueControls.moderated());
    CompletionQueue queue = world.open(events, 4);
    QueueWorld.complete(events, queue, 1, 40);
    assertThat(events.hasDeadline()).isFalse();
    world.poll(8);
    world.consumer.arm(world.consumer.storedCount(), 0);
    QueueWorld.complete(events, queue, 2, 50);
    world.consumer.disarm();
    world.poll(8);
    world.consumer.arm(world.consumer.storedCount(), 0);
    events.onTimeout(50 + DELAY_NS);
    assertThat(world.parker.unparks).isZero();
    assertThat(events.hasDeadline()).isFalse();
  }

  @Test
  void shouldWakeASleeperAtItsThresholdAndNotBefore() {
    EventQueue events = events(EventQueueControls.moderated());
    CompletionQueue queue = world.open(events, 8);
    world.consumer.arm(0, 3);
    QueueWorld.complete(events, queue, 1, 0);
    QueueWorld.complete(events, queue, 2, 0);
    assertThat(wakeUps(events)).isZero();
    QueueWorld.complete(events, queue, 3, 0);
    assertThat(wakeUps(events)).isOne();
    assertThat(events.count(QueueCounter.COUNTS_DUE)).isOne();
    assertThat(events.count(QueueCounter.INTERRUPTS_DUE)).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldWakeAfterAllOtherWrites(boolean isLate) {
    EventQueue events =
        events(isLate ? EventQueueControls.moderated() : EventQueueControls.immediate());
    CompletionQueue queue = world.open(events, 8);
    world.consumer.arm(0, 0);
    if (isLate) {
      QueueWorld.complete(events, queue, 1, 0);
    }
    int[] polledInside = {-1};
    world.parker.whenUnparked =
        () -> {
          assertThat(world.consumer.storedCount()).isEqualTo(isLate ? 2 : 1);
          polledInside[0] = world.poll(8);
        };
    QueueWorld.complete(events, queue, 2, 2 * DELAY_NS);
    // Whoever wakes finds all of it by the summary byte.
    assertThat(polledInside[0]).isEqualTo(isLate ? 2 : 1);
    assertThat(QueueWorld.pendingCount(events)).isZero();
  }

  // ---- arming and waiting

  @Test
  void shouldRefuseToArmWhereSomethingWasStoredSinceTheCount() {
    EventQueue events = events(EventQueueControls.moderated());
    CompletionQueue queue = world.open(events, 8);
    QueueWorld.complete(events, queue, 1, 0);
    long seen = world.consumer.storedCount();
    // A further completion on a pending queue: CEC stays as it was, the count does not.
    QueueWorld.complete(events, queue, 2, 0);
    world.poll(8);
    assertThat(world.consumer.arm(seen, 0)).isFalse();
    assertThat(world.consumer.arm(world.consumer.storedCount(), 0)).isTrue();
  }

  @Test
  void shouldRefuseToArmWhereAPollHasLeftSomethingAtItsLimit() {
    EventQueue events = events(EventQueueControls.moderated());
    CompletionQueue queue = world.open(events, 8);
    QueueWorld.complete(events, queue, 1, 0);
    QueueWorld.complete(events, queue, 2, 0);
    long seen = world.consumer.storedCount();
    world.poll(1);
    assertThat(world.consumer.arm(seen, 0)).isFalse();
    QueueWorld.complete(events, queue, 3, 2 * DELAY_NS);
    assertThat(wakeUps(events)).isZero();
  }

  @Test
  void shouldReturnFromAWaitWithWhatCameMeanwhile() {
    EventQueue events = events(EventQueueControls.immediate());
    CompletionQueue queue = world.open(events, 8);
    world.parker.meanwhile =
        () -> {
          world.parker.nowNs += 300;
          QueueWorld.complete(events, queue, 1, 300);
        };
    assertThat(world.consumer.await(world, 8, 5_000, 0)).isOne();
    assertThat(world.parker.nowNs).isEqualTo(300);
    assertThat(world.tags).containsExactly(1L);
  }

  @Test
  void shouldSleepOnAfterAWakeUpWithoutAnEntryAndEndAtTheTimeout() {
    events(EventQueueControls.immediate());
    world.parker.meanwhile =
        () -> {
          world.parker.nowNs += 300;
          world.parker.unpark();
        };
    assertThat(world.consumer.await(world, 8, 5_000, 0)).isZero();
    assertThat(world.parker.parks).isEqualTo(2);
    assertThat(world.parker.nowNs).isEqualTo(5_300 - 300);
  }

  @Test
  void shouldEndAWaitAtASignalAndTheNextOneIfNobodyWaits() {
    events(EventQueueControls.immediate());
    world.parker.meanwhile = world.consumer::signal;
    assertThat(world.consumer.await(world, 8, 5_000, 0)).isZero();
    assertThat(world.parker.nowNs).isZero();
    world.consumer.signal();
    assertThat(world.consumer.await(world, 8, 5_000, 0)).isZero();
    assertThat(world.parker.nowNs).isZero();
    assertThat(world.consumer.await(world, 8, 5_000, 0)).isZero();
    assertThat(world.parker.nowNs).isEqualTo(5_000);
  }

  @Test
  void shouldNotSleepWhereTheTimeoutIsZero() {
    EventQueue events = events(EventQueueControls.immediate());
    assertThat(world.consumer.await(world, 8, 0, 0)).isZero();
    assertThat(world.parker.parks).isZero();
    QueueWorld.complete(events, world.open(events, 1), 1, 0);
    assertThat(world.consumer.await(world, 8, 0, 0)).isOne();
  }

  @Test
  void shouldNotBeArmedAfterAWait() {
    EventQueue first = events(EventQueueControls.immediate());
    EventQueue second = events(EventQueueControls.immediate());
    CompletionQueue queue = world.open(first, 8);
    CompletionQueue other = world.open(second, 8);
    world.parker.meanwhile = () -> QueueWorld.complete(first, queue, 1, 0);
    world.consumer.await(world, 8, 5_000, 0);
    QueueWorld.complete(second, other, 2, 0);
    assertThat(wakeUps(second)).isZero();
  }

  // ---- bounds

  @Test
  void shouldRefuseNumbersOutsideTheirRanges() {
    refused("limit=0 is not in the range 1..65536", () -> world.poll(0));
    refused("limit=65537 is not in the range 1..65536", () -> world.poll(65_537));
    refused("threshold=-1 is not in the range 0..65536", () -> world.consumer.arm(0, -1));
    refused("threshold=65537 is not in the range 0..65536", () -> world.consumer.arm(0, 65_537));
    refused(
        "timeoutNs=-1 is not in the range 0..86400000000000",
        () -> world.consumer.await(world, 1, -1, 0));
    refused(
        "timeoutNs=86400000000001 is not in the range 0..86400000000000",
        () -> world.consumer.await(world, 1, EventConsumer.TIMEOUT_NS_MAX + 1, 0));
    refused("eventQueuesMax=0 is not in the range 1..1024", () -> consumer(0, 1, 1));
    refused("eventQueuesMax=1025 is not in the range 1..1024", () -> consumer(1_025, 1, 1));
    refused("completionQueuesMax=0 is not in the range 1..4096", () -> consumer(1, 0, 1));
    refused("completionQueuesMax=4097 is not in the range 1..4096", () -> consumer(1, 4_097, 1));
    refused("linkSubjectsMax=0 is not in the range 1..65536", () -> consumer(1, 1, 0));
    refused("linkSubjectsMax=65537 is not in the range 1..65536", () -> consumer(1, 1, 65_537));
  }

  private static void refused(String message, Runnable verb) {
    assertThatThrownBy(verb::run).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }

  private EventConsumer consumer(int eventQueues, int completionQueues, int subjects) {
    return new EventConsumer(eventQueues, completionQueues, subjects, world.parker);
  }

  @Test
  void shouldTakeNumbersAtTheEndsOfTheirRanges() {
    consumer(1, 1, 1).addEventQueue(ALL, 0);
    EventConsumer large = consumer(1_024, 4_096, 65_536);
    EventQueue events = large.addEventQueue(ALL, EventQueueContext.DELAY_NS_MAX);
    for (int q = 0; q < 4_096; q++) {
      CompletionQueue queue = large.open(events, 1, 0);
      QueueWorld.complete(events, queue, q, 0);
    }
    assertThat(large.open(events, 1, 0)).isNull();
    assertThat(large.poll(world, EventConsumer.LIMIT_MAX)).isEqualTo(4_096);
    assertThat(large.arm(large.storedCount(), EventConsumer.THRESHOLD_MAX)).isTrue();
  }

  @Test
  void shouldRefuseOneEventQueueMoreThanItMayHave() {
    EventConsumer small = consumer(1, 1, 1);
    small.addEventQueue(ALL, 0);
    assertThatThrownBy(() -> small.addEventQueue(ALL, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("eventQueues=2 is not in the range 1..1");
  }
}
