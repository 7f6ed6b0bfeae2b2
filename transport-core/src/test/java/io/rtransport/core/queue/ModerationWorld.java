package io.rtransport.core.queue;

import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * One event loop and one consumer on virtual time, with prices: what a load costs under some
 * moderation. The loop stores and announces at once. The consumer needs time to wake and time for
 * each entry; it polls until nothing is left, arms and sleeps.
 *
 * <p>The prices are those that the tuner assumes, but the tuner sees none of this: only what the
 * event queue tells it.
 */
final class ModerationWorld implements Parker, QueueHandler {
  /** Time that a consumer needs to wake. */
  static final long WAKE_UP_NS = ModerationTuner.WAKE_UP_COST_NS;

  /** Time that a consumer needs for an entry. */
  static final long ENTRY_NS = 200;

  private static final int CAPACITY = CompletionQueue.CAPACITY_MAX;
  private static final long NEVER = Long.MAX_VALUE;

  /** Times at which entries come, ascending; {@link Long#MAX_VALUE} when no more come. */
  interface Load {
    long nextNs(SplittableRandom random, long lastNs);
  }

  private final EventConsumer consumer = new EventConsumer(1, 1, 1, this);
  private final EventQueue events;
  private final CompletionQueue queue;
  private final SplittableRandom random;
  private final PriorityQueue<Long> returns = new PriorityQueue<>(); // of a closed loop
  private long nowNs;
  private long readyNs; // when the consumer goes on; NEVER while it sleeps
  private long roundTripNs; // 0: an open loop

  long wakeUps;
  long completions;
  long latencyNs;
  private long delayMicrosNs; // the chosen delay, summed over time

  ModerationWorld(EventQueueControls controls, long delayNs, long seed) {
    random = new SplittableRandom(seed);
    events = consumer.addEventQueue(controls, delayNs);
    queue = consumer.open(events, CAPACITY, 0);
  }

  /** Runs a load of a rate that does not depend on the consumer. */
  void open(Load load, long untilNs) {
    long nextNs = load.nextNs(random, nowNs);
    while (nowNs < untilNs) {
      long atNs = nextAfter(nextNs);
      if (atNs >= untilNs) {
        break;
      }
      advance(atNs);
      if (atNs == nextNs) {
        store();
        nextNs = load.nextNs(random, nextNs);
      }
    }
    advance(untilNs);
  }

  /** Runs a load of so many messages under way: one returns a round trip after it was handled. */
  void closed(int inFlight, long newRoundTripNs, long untilNs) {
    roundTripNs = newRoundTripNs;
    for (int i = 0; i < inFlight; i++) {
      returns.add(nowNs + random.nextLong(2 * roundTripNs));
    }
    while (nowNs < untilNs) {
      long nextNs = returns.isEmpty() ? NEVER : returns.peek();
      long atNs = nextAfter(nextNs);
      if (atNs >= untilNs) {
        break;
      }
      advance(atNs);
      if (atNs == nextNs) {
        returns.poll();
        store();
      }
    }
    returns.clear();
    roundTripNs = 0;
    advance(untilNs);
  }

  private long nextAfter(long entryNs) {
    long deadlineNs = events.hasDeadline() ? Math.max(nowNs, events.deadlineNs()) : NEVER;
    return Math.min(entryNs, Math.min(deadlineNs, readyNs));
  }

  private void advance(long atNs) {
    delayMicrosNs += (atNs - nowNs) * events.delayNs() / 1_000;
    nowNs = atNs;
    if (events.hasDeadline() && nowNs >= events.deadlineNs()) {
      events.onTimeout(nowNs);
    }
    if (nowNs >= readyNs) {
      consume();
    }
  }

  private void store() {
    if (queue.tryPost(1) != Claim.TAKEN) {
      throw new IllegalStateException("the load is more than the consumer can do");
    }
    queue.store(nowNs, 0, 0, 0, 0, 0, 0);
    events.announce(queue, 1, nowNs);
  }

  private void consume() {
    int taken = consumer.poll(this, EventConsumer.LIMIT_MAX);
    if (taken > 0) {
      completions += taken;
      readyNs = nowNs + taken * ENTRY_NS;
    } else {
      readyNs = NEVER;
      if (!consumer.arm(consumer.storedCount(), 0)) {
        throw new IllegalStateException("nothing can come in between on one thread");
      }
    }
  }

  @Override
  public void onCompletion(Completion completion) {
    latencyNs += nowNs - completion.tag();
    if (roundTripNs > 0) {
      returns.add(nowNs + roundTripNs + random.nextLong(roundTripNs));
    }
  }

  @Override
  public void unpark() {
    wakeUps++;
    readyNs = nowNs + WAKE_UP_NS;
    consumer.disarm();
  }

  @Override
  public long nowNs() {
    return nowNs;
  }

  @Override
  public void park(long timeoutNs) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void pause() {}

  /** Returns the cost of a completion, in nanoseconds of a processor. */
  double costNs() {
    return (double)
            (wakeUps * ModerationTuner.WAKE_UP_COST_NS
                + latencyNs / ModerationTuner.WAITING_DIVISOR)
        / completions;
  }

  /** Returns the time between two completions, in nanoseconds. */
  double timeNs() {
    return (double) nowNs / completions;
  }

  /** Returns the mean of the chosen delay, in microseconds. */
  double meanDelayMicros() {
    return (double) delayMicrosNs / nowNs;
  }

  /** Entries at random, so many a second. */
  static Load poisson(double perSecond) {
    return (random, lastNs) ->
        lastNs + Math.max(1, (long) (-Math.log(1 - random.nextDouble()) * 1e9 / perSecond));
  }

  /** Entries {@code apartNs} after one another in bursts of {@code length}, every period. */
  static Load bursts(int length, long apartNs, long periodNs) {
    return (random, lastNs) -> {
      long intoNs = lastNs % periodNs;
      return intoNs < (length - 1) * apartNs ? lastNs + apartNs : lastNs - intoNs + periodNs;
    };
  }
}
