package io.rtransport.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random verbs against an oracle of plain collections: each entry comes once and in its queue's
 * order, a poll that finds nothing leaves nothing, and a sleeper is woken when it must be. A
 * failure prints its seed; {@code -Drt.queue.seed=N} runs that alone.
 */
class QueueModelTest {
  private static final int SEEDS = 600;
  private static final int STEPS = 3_000;
  private static final int QUEUES = 70;

  /** A queue as the oracle sees it. */
  private static final class Model {
    final CompletionQueue real;
    final EventQueue events;
    final int capacity;
    final Queue<Long> unpolled = new ArrayDeque<>();
    int posted;
    int unannounced;

    Model(CompletionQueue real, EventQueue events, int capacity) {
      this.real = real;
      this.events = events;
      this.capacity = capacity;
    }
  }

  @Test
  void shouldDoWhatTheOracleDoes() {
    long one = Long.getLong("rt.queue.seed", 0);
    for (long seed = one == 0 ? 1 : one; seed <= (one == 0 ? SEEDS : one); seed++) {
      try {
        new Run(seed).play();
      } catch (AssertionError | RuntimeException failure) {
        throw new AssertionError("seed " + seed + ": -Drt.queue.seed=" + seed, failure);
      }
    }
  }

  private static final class Run implements QueueHandler {
    private final SplittableRandom random;
    private final QueueWorld world = new QueueWorld(2, QUEUES);
    private final List<EventQueue> eventQueues = new ArrayList<>();
    private final List<Model> models = new ArrayList<>();
    private final Model[][] bySlot = new Model[2][QUEUES];
    private long nowNs;
    private long nextTag;
    private boolean isArmed;
    private int unparksAtArm;

    Run(long seed) {
      random = new SplittableRandom(seed);
      List<EventQueueControls> settings = EventQueueContextTest.validSettings();
      for (int i = 0; i < 2; i++) {
        EventQueueControls controls = settings.get(random.nextInt(settings.size()));
        eventQueues.add(world.consumer.addEventQueue(controls, random.nextInt(3) * 500L));
      }
      // The clock wraps during a part of the runs.
      nowNs = random.nextBoolean() ? Long.MAX_VALUE - STEPS * 20L : random.nextLong();
    }

    void play() {
      for (int step = 0; step < STEPS; step++) {
        nowNs += random.nextInt(100);
        fireDeadlines();
        switch (random.nextInt(10)) {
          case 0 -> open();
          case 1, 2, 3 -> post();
          case 4, 5, 6 -> complete();
          case 7 -> poll();
          case 8 -> arm();
          default -> remove();
        }
        check();
      }
      drainAll();
    }

    private Model any() {
      return models.isEmpty() ? null : models.get(random.nextInt(models.size()));
    }

    private void open() {
      EventQueue events = eventQueues.get(random.nextInt(2));
      int capacity = 1 + random.nextInt(4);
      CompletionQueue opened = world.consumer.open(events, capacity, 0);
      if (opened != null) {
        assertThat(bySlot[events.index()][opened.slot()]).isNull();
        Model model = new Model(opened, events, capacity);
        bySlot[events.index()][opened.slot()] = model;
        models.add(model);
      }
    }

    private void post() {
      Model model = any();
      if (model != null) {
        boolean hasRoom = model.posted + model.unpolled.size() < model.capacity;
        Claim expected =
            model.real.isClosed() ? Claim.CLOSED : hasRoom ? Claim.TAKEN : Claim.BACK_PRESSURED;
        assertThat(model.real.tryPost(1)).isEqualTo(expected);
        model.posted += expected == Claim.TAKEN ? 1 : 0;
      }
    }

    private void complete() {
      Model model = any();
      if (model != null && model.posted > 0) {
        model.posted--;
        model.unpolled.add(nextTag);
        model.real.store(nextTag++, 0, 0, 0, 0, 0, 0);
        model.unannounced++;
        if (random.nextInt(3) > 0) {
          announce(model);
        }
      }
    }

    private void announce(Model model) {
      if (model.unannounced > 0) {
        model.events.announce(model.real, model.unannounced, nowNs);
        model.unannounced = 0;
      }
    }

    private void announceAll() {
      models.forEach(this::announce);
    }

    private void poll() {
      world.consumer.disarm();
      isArmed = false;
      int limit = 1 + random.nextInt(5);
      long before = unpolled();
      int taken = world.consumer.poll(this, limit);
      assertThat(before - unpolled()).isEqualTo(taken);
      if (taken < limit) {
        assertThat(models).allMatch(m -> m.unpolled.size() <= m.unannounced);
      }
    }

    private void arm() {
      announceAll();
      isArmed = false;
      long seen = world.consumer.storedCount();
      boolean isLeft = unpolled() > 0;
      if (world.consumer.arm(seen, 0)) {
        assertThat(isLeft).isFalse();
        isArmed = true;
        unparksAtArm = world.parker.unparks;
      }
    }

    private void remove() {
      Model model = any();
      if (model != null) {
        model.real.close();
        boolean isFinished = model.posted == 0 && model.unannounced == 0;
        assertThat(world.consumer.remove(model.real, this)).isEqualTo(isFinished);
        if (isFinished) {
          assertThat(model.unpolled).isEmpty();
          models.remove(model);
          bySlot[model.events.index()][model.real.slot()] = null;
        }
      }
    }

    private void fireDeadlines() {
      for (EventQueue events : eventQueues) {
        events.onTimeout(nowNs);
      }
    }

    /** Whoever sleeps with entries announced has been woken, or will be within the delay. */
    private void check() {
      if (isArmed && world.parker.unparks == unparksAtArm) {
        for (EventQueue events : eventQueues) {
          boolean hasAnnounced =
              models.stream()
                  .anyMatch(m -> m.events == events && m.unpolled.size() > m.unannounced);
          if (hasAnnounced) {
            assertThat(events.hasDeadline()).isTrue();
            assertThat(events.deadlineNs() - nowNs).isBetween(-100L, events.delayNs());
          }
        }
      }
      for (EventQueue events : eventQueues) {
        long due =
            events.count(QueueCounter.INTERRUPTS_DUE)
                + events.count(QueueCounter.COUNTS_DUE)
                + events.count(QueueCounter.DEADLINES_DUE)
                + events.count(QueueCounter.EVENTS_DUE);
        assertThat(events.count(QueueCounter.WAKE_UPS) + events.count(QueueCounter.SUPPRESSED))
            .isEqualTo(due);
      }
    }

    private long unpolled() {
      return models.stream().mapToLong(m -> m.unpolled.size()).sum();
    }

    private void drainAll() {
      announceAll();
      while (world.consumer.poll(this, 3) > 0) {}
      assertThat(unpolled()).isZero();
      for (EventQueue events : eventQueues) {
        assertThat(QueueWorld.pendingCount(events)).isZero();
        assertThat(events.ring().isEmpty()).isTrue();
      }
    }

    @Override
    public void onCompletion(Completion completion) {
      Model model = bySlot[completion.eventQueue()][completion.slot()];
      assertThat(model.unpolled.poll()).isEqualTo(completion.tag());
    }
  }
}
