package io.rtransport.core.queue;

/**
 * Chooses how long, and up to how many entries, a consumer that sleeps is left asleep.
 *
 * <p>It measures what a choice costs for each completion, and moves along a table of steps towards
 * the cheapest. The cost is {@link #WAKE_UP_COST_NS} for each wake-up, and a {@link
 * #WAITING_DIVISOR}th of the time for which entries waited for one. A choice at which clearly fewer
 * completions come a second is worse whatever it costs: a peer with a closed window waits for us.
 *
 * <p>The idea is that of Linux' dynamic interrupt moderation: measure, compare with the sample
 * before, move a step, turn where it was no better, rest on top, and look around again after a rest
 * or where the load has changed. Waiting has a price here. Without one, a load of fixed rate always
 * ends at the longest delay.
 *
 * <pre>
 *             better                    a neighbour was better
 *         +-----------+             +---------------------------+
 *         v           |             v                           |
 *   RESTING --rest over, or load changed--> TRYING --worse--> TRYING the other side
 *         ^                                                     |
 *         +------------------ worse ----------------------------+
 * </pre>
 *
 * <p>A pure decision: time is passed in. Confined to the event loop.
 */
final class ModerationTuner {
  /** What a wake-up costs: two context switches and the call that asks for them. */
  static final long WAKE_UP_COST_NS = 5_000;

  /** So many nanoseconds of an entry's waiting are worth one of a processor. */
  static final long WAITING_DIVISOR = 100;

  /** Number of steps. */
  static final int STEPS = 7;

  private static final long[] DELAYS_NS = {0, 25_000, 50_000, 100_000, 200_000, 400_000, 800_000};

  private static final int[] COUNTS = {1, 32, 64, 64, 128, 128, 256};

  // A measurement ends with a wake-up: after enough of them, or after a longer time with a few.
  private static final int WAKE_UPS_ENOUGH = 64;
  private static final long DURATION_NS_MIN = 10_000_000;
  private static final int WAKE_UPS_FEW = 8;
  private static final long DURATION_NS_LONG = 200_000_000;

  /** A neighbour must be cheaper by a 20th: chance alone is not a reason to move. */
  private static final double CHEAPER = 0.95;

  /** A rate differs if it does by a 16th, and by {@link #DEVIATIONS} deviations of chance. */
  private static final double RATE_DIFFERENCE = 0.0625;

  private static final double DEVIATIONS = 3;

  /** The load has changed if the cost is so many times the one before, or that part of it. */
  private static final double CHANGED = 1.5;

  private static final int REST_MIN = 4;
  private static final int REST_MAX = 32;

  private enum State {
    RESTING,
    TRYING,
    TRYING_OTHER_SIDE
  }

  // What waits for the consumer to be woken.
  private long waiting;
  private long waitingSinceNs;
  private long waitingOffsetsNs;
  private long polledBefore;

  // The measurement that runs.
  private boolean isMeasuring;
  private long startNs;
  private long completions;
  private long wakeUps;
  private long waitedNs;

  // The decision.
  private State state = State.RESTING;
  private int step;
  private int best;
  private int direction = 1;
  private int restsLeft;
  private int rest = REST_MIN;
  private double bestCostNs;
  private double bestRate;

  /** Returns the delay that is chosen, in nanoseconds. */
  long delayNs() {
    return DELAYS_NS[step];
  }

  /** Returns the number of waiting entries at which the consumer is woken before the delay. */
  int count() {
    return COUNTS[step];
  }

  /** Returns the chosen row of the table, 0..{@link #STEPS} - 1. The first wakes at once. */
  int step() {
    return step;
  }

  // ---- what happens

  /** Takes note of entries that were stored while the consumer was awake. */
  void onTaken(int entries) {
    completions += entries;
    waiting = 0;
  }

  /**
   * Takes note of entries that were stored while the consumer was armed.
   *
   * @param polled how many entries the consumer has ever polled: what waited before that has
   *     changed is gone
   */
  void onWaiting(int entries, long polled, long nowNs) {
    completions += entries;
    if (waiting == 0 || polled != polledBefore) {
      waiting = 0;
      waitingOffsetsNs = 0;
      waitingSinceNs = nowNs;
      polledBefore = polled;
    }
    waiting += entries;
    waitingOffsetsNs += entries * (nowNs - waitingSinceNs);
  }

  /** Returns whether enough entries wait to wake the consumer before the delay. */
  boolean isCountReached() {
    return waiting >= count();
  }

  /** Takes note that an armed consumer was woken. The step may change. */
  void onWakeUp(long nowNs) {
    wakeUps++;
    waitedNs += waiting * (nowNs - waitingSinceNs) - waitingOffsetsNs;
    waiting = 0;
    if (!isMeasuring) {
      begin(nowNs);
      return;
    }
    long durationNs = nowNs - startNs;
    boolean isEnough =
        wakeUps >= WAKE_UPS_ENOUGH && durationNs >= DURATION_NS_MIN
            || wakeUps >= WAKE_UPS_FEW && durationNs >= DURATION_NS_LONG;
    if (isEnough) {
      if (completions > 0) {
        decide(
            (double) (wakeUps * WAKE_UP_COST_NS + waitedNs / WAITING_DIVISOR) / completions,
            (double) completions / durationNs,
            Math.max(RATE_DIFFERENCE, DEVIATIONS / Math.sqrt(completions)));
      }
      begin(nowNs);
    }
  }

  private void begin(long nowNs) {
    isMeasuring = true;
    startNs = nowNs;
    completions = 0;
    wakeUps = 0;
    waitedNs = 0;
  }

  // ---- the decision

  private void decide(double costNs, double rate, double rateDifference) {
    switch (state) {
      case RESTING -> {
        boolean isOther =
            costNs > bestCostNs * CHANGED
                || costNs * CHANGED < bestCostNs
                || rate > bestRate * CHANGED * (1 + rateDifference)
                || rate * CHANGED * (1 + rateDifference) < bestRate;
        bestCostNs = costNs;
        bestRate = rate;
        if (isOther) {
          rest = REST_MIN;
          restsLeft = 0;
        }
        if (restsLeft > 0) {
          restsLeft--;
        } else {
          turnAtEdge();
          state = State.TRYING;
          step = best + direction;
        }
      }
      case TRYING, TRYING_OTHER_SIDE -> {
        if (isBetter(costNs, rate, rateDifference)) {
          best = step;
          bestCostNs = costNs;
          bestRate = rate;
          rest = REST_MIN;
          goOn();
        } else {
          turn();
        }
      }
    }
  }

  private boolean isBetter(double costNs, double rate, double rateDifference) {
    if (rate < bestRate * (1 - rateDifference)) {
      return false;
    }
    return rate > bestRate * (1 + rateDifference) || costNs < bestCostNs * CHEAPER;
  }

  /** Tries the next step in the direction that was better; at the edge of the table it rests. */
  private void goOn() {
    if (isInside(best + direction)) {
      state = State.TRYING;
      step = best + direction;
    } else {
      rest();
    }
  }

  /** Tries the other side of the best step, unless both were no better. */
  private void turn() {
    direction = -direction;
    if (state == State.TRYING && isInside(best + direction)) {
      state = State.TRYING_OTHER_SIDE;
      step = best + direction;
    } else {
      rest();
    }
  }

  private void rest() {
    state = State.RESTING;
    step = best;
    restsLeft = rest;
    rest = Math.min(REST_MAX, 2 * rest);
  }

  private void turnAtEdge() {
    if (!isInside(best + direction)) {
      direction = -direction;
    }
  }

  private static boolean isInside(int candidate) {
    return candidate >= 0 && candidate < STEPS;
  }
}
