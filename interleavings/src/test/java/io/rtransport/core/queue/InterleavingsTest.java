package io.rtransport.core.queue;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The protocol under lincheck's model checker: two threads on the real classes, switched at each
 * access to shared memory. It goes through interleavings in an order of its own, few switches
 * first, up to the number of invocations. Memory is sequentially consistent here, so a missing
 * fence is not seen: that is what the jcstress tests are for.
 */
@Tag("proof")
class InterleavingsTest {
  private static final int INVOCATIONS = Integer.getInteger("rt.interleavings", 5_000);

  /** Runs both actors on threads of their own, then the check, for each interleaving. */
  private static void check(
      Supplier<Stage> stages, Consumer<Stage> loop, Consumer<Stage> consumer, Consumer<Stage> end) {
    Lincheck.runConcurrentTest(
        INVOCATIONS,
        () -> {
          Stage stage = stages.get();
          Thread first = new Thread(() -> loop.accept(stage));
          Thread second = new Thread(() -> consumer.accept(stage));
          first.start();
          second.start();
          join(first);
          join(second);
          end.accept(stage);
        });
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException(what);
    }
  }

  private static Stage with(EventQueueControls controls, int firsts, int seconds) {
    Stage stage = new Stage(controls, 4, 1);
    for (int i = 0; i < firsts; i++) {
      stage.complete(stage.first, i);
    }
    for (int i = 0; i < seconds; i++) {
      stage.complete(stage.second, i);
    }
    return stage;
  }

  private static void allPolled(Stage stage, int count) {
    int polled = stage.pollAll();
    require(polled == count, "polled " + polled + " of " + count);
    require(stage.pendingCount() == 0, "CEC " + stage.pendingCount());
    require(stage.events.ring().isEmpty(), "an EQE is left");
  }

  private static void armAfterPoll(Stage stage) {
    long seen = stage.consumer.storedCount();
    stage.pollOnce(8);
    stage.isArmed = stage.consumer.arm(seen, 0);
  }

  private static void awake(Stage stage, int count) {
    stage.events.onTimeout(Stage.DELAY_NS);
    if (stage.isArmed && stage.polled < count) {
      require(stage.unparks > 0, "sleeps on an entry");
    }
  }

  @Test
  void shouldLoseNoWakeUpWithPsumInt() {
    check(
        () -> with(EventQueueControls.immediate(), 0, 0),
        s -> s.complete(s.first, 1),
        InterleavingsTest::armAfterPoll,
        s -> awake(s, 1));
  }

  @Test
  void shouldLoseNoWakeUpWhereItIsModerated() {
    check(
        () -> with(EventQueueControls.moderated(), 1, 0),
        s -> s.complete(s.first, 1),
        InterleavingsTest::armAfterPoll,
        s -> awake(s, 2));
  }

  @Test
  void shouldEnterAQueueOnceWhereBothMarkIt() {
    check(
        () -> with(Stage.ALL, 2, 0),
        s -> s.complete(s.first, 1),
        s -> s.pollOnce(1),
        s -> {
          require(s.pendingCount() == (s.first.isPending() ? 1 : 0), "CEC " + s.pendingCount());
          allPolled(s, 3);
        });
  }

  @Test
  void shouldLeaveNoEntryWhereTheBitIsReset() {
    check(
        () -> with(Stage.ALL, 1, 0),
        s -> s.complete(s.first, 1),
        s -> s.pollOnce(8),
        s -> allPolled(s, 2));
  }

  @Test
  void shouldFindAllByTheBytesAfterALimit() {
    check(
        () -> with(Stage.ALL, 2, 1),
        s -> {
          s.complete(s.second, 1);
          s.complete(s.first, 2);
        },
        s -> s.pollOnce(1),
        s -> allPolled(s, 5));
  }

  @Test
  void shouldFindTheOtherQueueByTheBytes() {
    check(
        () -> with(new EventQueueControls(true, false, false), 1, 0),
        s -> s.complete(s.second, 1),
        s -> {
          s.pollOnce(8);
          s.pollOnce(8);
        },
        s -> allPolled(s, 2));
  }

  @Test
  void shouldEndEachPostOnceWhereTheQueueIsClosed() {
    check(
        () -> with(Stage.ALL, 0, 0),
        s -> s.isTaken = s.complete(s.first, 1) == Claim.TAKEN,
        s -> {
          s.first.close();
          s.consumer.remove(s.first, s);
        },
        s -> allPolled(s, s.isTaken ? 1 : 0));
  }

  @Test
  void shouldLoseNoKindOfALinkEvent() {
    check(
        () -> with(Stage.ALL, 0, 0),
        s -> {
          s.events.putLinkEvent(1, 1, 0);
          s.events.putLinkEvent(1, 2, 0);
        },
        s -> s.consumer.pollLinks(s),
        s -> {
          s.consumer.pollLinks(s);
          require(s.kinds == 6, "kinds " + s.kinds);
        });
  }

  /** It finds what is wrong: here the consumer arms by a count that it read after its poll. */
  @Test
  void shouldFindALostWakeUpWhereTheCountIsReadAfterThePoll() {
    assertThatThrownBy(
            () ->
                check(
                    () -> with(EventQueueControls.immediate(), 0, 0),
                    s -> s.complete(s.first, 1),
                    s -> {
                      s.pollOnce(8);
                      boolean isEmpty = s.events.ring().isEmpty();
                      s.events.arm(0);
                      s.isArmed = isEmpty;
                    },
                    s -> awake(s, 1)))
        .hasMessageContaining("sleeps on an entry");
  }
}
