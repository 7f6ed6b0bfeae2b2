package io.rtransport.core.rail;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Health of one interface, ours or a peer's: its value, what it lost it for, and when it is asked
 * next. {@link RailHealth} guards it; {@link #health}, {@link #isFailed} and {@link #pingDueNs} can
 * be read by any thread.
 */
final class NiHealth {
  private static final int HEALTH_MAX = RailHealthConfig.HEALTH_MAX;

  /** Part of an interval by which PINGs of different interfaces are moved apart. */
  private static final int JITTER_PART = 8;

  /** How long a health counts though no path uses the interface: nobody asks it then. */
  static final long COUNTS_UNUSED_NS = TimeUnit.SECONDS.toNanos(60);

  private final NiKey key;
  private final String name;
  private final boolean isLocal;
  private final RandomGenerator random;
  private volatile int health = HEALTH_MAX;
  private volatile boolean isFailed;

  /** Open pairs over this interface. */
  int users;

  /** Whether this interface lost too much, with which peer last, and when. */
  private boolean wasLossy;

  private long lossyPeerId;
  private long lossyNs;

  private final Map<Cause, Long> chargedNs = new EnumMap<>(Cause.class);
  private final Map<Cause, Long> charges = new EnumMap<>(Cause.class);
  private final Map<Cause, Long> timeouts = new EnumMap<>(Cause.class);
  private final Map<NiError, Long> errors = new EnumMap<>(NiError.class);
  private final Deque<NiReport.Change> history = new ArrayDeque<>(2);
  private long pingsSent;
  private long pingsFailed;
  private volatile long pingDueNs;
  private long pingIntervalNs;

  NiHealth(NiKey key, boolean isLocal, RandomGenerator random) {
    this.key = key;
    this.name = key.text();
    this.isLocal = isLocal;
    this.random = random;
  }

  NiKey key() {
    return key;
  }

  /** Returns its name as a report has it. */
  String name() {
    return name;
  }

  int health() {
    return health;
  }

  /** Returns its health for a selection: that of long ago counts only while a path uses it. */
  int healthAt(long nowNs) {
    boolean isOld = users == 0 && !isFull() && nowNs - history.getLast().atNs() >= COUNTS_UNUSED_NS;
    return isOld ? HEALTH_MAX : health;
  }

  boolean isFailed() {
    return isFailed;
  }

  boolean isFull() {
    return health == HEALTH_MAX;
  }

  /** Returns whether it has failed hard, or has no health left. */
  boolean isDown() {
    return isFailed || Band.of(health) == Band.NONE;
  }

  /** Sets whether it has failed hard. Returns whether that is a change. */
  boolean failed(boolean hasFailed) {
    boolean isChange = isFailed != hasFailed;
    isFailed = hasFailed;
    return isChange;
  }

  /** Counts a timeout of a path over this interface. */
  void countTimeout(Cause cause) {
    timeouts.merge(cause, 1L, Long::sum);
  }

  void count(NiError error) {
    errors.merge(error, 1L, Long::sum);
  }

  /**
   * Takes health off, unless the same cause did so less than {@code intervalNs} ago.
   *
   * @return whether it has changed
   */
  boolean charge(Cause cause, int amount, long intervalNs, RailHealthConfig config, long nowNs) {
    Long lastNs = chargedNs.get(cause);
    if (amount == 0 || lastNs != null && nowNs - lastNs < intervalNs) {
      return false;
    }
    chargedNs.put(cause, nowNs);
    charges.merge(cause, 1L, Long::sum);
    if (isFull()) {
      pingIntervalNs = config.ns(HealthParameter.PING_INTERVAL_MIN_MILLIS);
      pingDueNs = nowNs + pingIntervalNs - jitterNs(config);
    }
    return set(Math.max(0, health - amount), nowNs);
  }

  private boolean set(int value, long nowNs) {
    if (value == health) {
      return false;
    }
    health = value;
    if (history.size() == NiReport.HISTORY_MAX) {
      history.removeFirst();
    }
    history.addLast(new NiReport.Change(nowNs, value));
    return true;
  }

  /**
   * Notes that packets to a peer are lost. Returns whether those to another one were lost less than
   * {@code withinNs} ago.
   */
  boolean isLossyWithAnother(long peerId, long withinNs, long nowNs) {
    boolean isAnother = wasLossy && lossyPeerId != peerId && nowNs - lossyNs < withinNs;
    wasLossy = true;
    lossyPeerId = peerId;
    lossyNs = nowNs;
    return isAnother;
  }

  // ---- recovery

  /** Returns when it is asked by PING next; {@link Long#MAX_VALUE} at full health. */
  long pingDueNs() {
    return isFull() || isFailed ? Long.MAX_VALUE : pingDueNs;
  }

  /** Notes that a PING leaves now. The next one follows later, if this one is not answered. */
  void onPing(RailHealthConfig config, long nowNs) {
    if (isFull()) {
      return;
    }
    pingsSent++;
    pingDueNs = nowNs + pingIntervalNs - jitterNs(config);
    pingIntervalNs =
        Math.min(2 * pingIntervalNs, config.ns(HealthParameter.PING_INTERVAL_MAX_MILLIS));
  }

  /** By the letter a PING leaves once a second, neither more nor less. */
  private long jitterNs(RailHealthConfig config) {
    return config.isLetter() ? 0 : random.nextLong(1 + pingIntervalNs / JITTER_PART);
  }

  /**
   * Notes that a PING was answered.
   *
   * @param increment health that it gives back; 0 while the path loses too much
   * @return whether the health has changed
   */
  boolean onAnswered(int increment, RailHealthConfig config, long nowNs) {
    if (isFull()) {
      return false;
    }
    pingIntervalNs = config.ns(HealthParameter.PING_INTERVAL_MIN_MILLIS);
    pingDueNs = nowNs + pingIntervalNs - jitterNs(config);
    return set(Math.min(HEALTH_MAX, health + increment), nowNs);
  }

  /** Notes that a PING was not answered. */
  void onUnanswered() {
    pingsFailed += isFull() ? 0 : 1;
  }

  NiReport report() {
    return new NiReport(
        name,
        isLocal,
        health,
        isFailed,
        users,
        Map.copyOf(charges),
        Map.copyOf(errors),
        pingsSent,
        pingsFailed,
        pingDueNs(),
        List.copyOf(history),
        Map.copyOf(timeouts));
  }
}
