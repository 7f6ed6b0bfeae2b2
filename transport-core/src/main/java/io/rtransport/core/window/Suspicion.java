package io.rtransport.core.window;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.time.Backoff;
import java.util.random.RandomGenerator;

/**
 * Decides which of several paths take packets, within milliseconds. A connection with one path has
 * no such object.
 *
 * <pre>
 *              overdue, and another path has shown since that it works
 *   USABLE ────────────────────────────────────────────────────────────▶ SUSPECT
 *      ▲                                                                    │
 *      └───────────────── the answer to a PING on the path ─────────────────┘
 * </pre>
 *
 * <p>A path is <b>overdue</b> when it had no acknowledgement for a probe delay ({@link
 * Path#overdueNs}). That alone may be the peer's pause, or a path that lost everything. So the
 * other paths must show the difference: by the acknowledgement of a packet of their own, or by the
 * answer to a PING. While the peer is silent on all paths, nothing changes, and no path is blamed.
 *
 * <p>The packets of a suspect path are resent on others at once. The path itself is asked by PING,
 * at once and then by a growing interval, as long as the connection has sent something of late. So
 * an idle connection has no work. The last usable path never becomes suspect.
 */
final class Suspicion {
  /** Largest interval between two PINGs on a path, in nanoseconds. */
  static final long PING_INTERVAL_NS_MAX = 500_000_000;

  /** Time after the last send in which suspect paths are asked, in nanoseconds. */
  static final long ACTIVE_NS = 10_000_000_000L;

  private static final int NONE = PathSet.NONE;

  /** What is known of one path. */
  private static final class Watch {
    final Backoff backoff;

    /** Whether the path is asked: it is suspect, or the answer decides about another path. */
    boolean isAsked;

    boolean isAwaited;
    int id;
    long sentNs;

    /** When the first PING left that was not answered. */
    long firstSentNs;

    /** PINGs since the path was asked. */
    int pings;

    long dueNs = Long.MAX_VALUE;

    /** When a PING on this path was last answered. */
    long answeredNs;

    boolean wasAnswered;

    Watch(RandomGenerator random) {
      this.backoff = new Backoff(random);
    }
  }

  private final PathSet paths;
  private final SentPackets sent;
  private final RandomGenerator random;
  private final Watch[] watches = new Watch[PathSet.COUNT_MAX];
  private final long peerAckDelayNs;
  private long activeNs;
  private long judgedNs = Long.MIN_VALUE;

  Suspicion(PathSet paths, SentPackets sent, long peerAckDelayNs, RandomGenerator random) {
    this.paths = paths;
    this.sent = sent;
    this.peerAckDelayNs = peerAckDelayNs;
    this.random = random;
  }

  private Watch watch(int index) {
    Watch watch = watches[index];
    if (watch == null) {
      watch = new Watch(random);
      watches[index] = watch;
    }
    return watch;
  }

  /** Asks a path that was just opened. The answer gives its first round trip. */
  void onOpened(int index, long nowNs) {
    ask(watch(index), nowNs);
  }

  /** Notes that a numbered packet was sent on some path. */
  void onSent(long nowNs) {
    activeNs = nowNs;
  }

  // ---- judging

  /** Judges all paths: after acknowledgements, after the answer to a PING, and at a deadline. */
  void judge(long nowNs) {
    judgedNs = nowNs;
    int overdue = 0;
    for (int rest = paths.usableMask(); rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      overdue |= nowNs >= overdueNs(i) ? 1 << i : 0;
    }
    long sinceNs = Long.MAX_VALUE; // of those that are still usable
    for (int rest = overdue; rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      if (hasOtherShown(i, overdueNs(i))) {
        suspect(i, nowNs);
      } else {
        sinceNs = Math.min(sinceNs, overdueNs(i));
      }
    }
    overdue &= paths.usableMask();
    for (int rest = paths.usableMask(); overdue != 0 && rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      boolean isOnlyOverdue = overdue == 1 << i;
      if (!isOnlyOverdue && !hasShown(i, sinceNs) && !watch(i).isAsked) {
        ask(watch(i), nowNs);
      }
    }
  }

  /** Returns when a path is overdue: because of its packets, or of an unanswered PING. */
  private long overdueNs(int index) {
    Path path = paths.at(index);
    Watch watch = watches[index];
    long byPackets = path.overdueNs();
    return watch == null || !watch.isAwaited
        ? byPackets
        : Math.min(byPackets, watch.firstSentNs + path.answerNs(peerAckDelayNs));
  }

  /** Returns whether a usable path other than {@code index} has shown that it works since then. */
  private boolean hasOtherShown(int index, long sinceNs) {
    for (int rest = paths.usableMask() & ~(1 << index); rest != 0; rest &= rest - 1) {
      if (hasShown(Integer.numberOfTrailingZeros(rest), sinceNs)) {
        return true;
      }
    }
    return false;
  }

  private boolean hasShown(int index, long sinceNs) {
    Watch watch = watches[index];
    return paths.at(index).hasProgressedSince(sinceNs)
        || watch != null && watch.wasAnswered && watch.answeredNs - sinceNs >= 0;
  }

  private void suspect(int index, long nowNs) {
    sent.counters().increment(CounterId.PATHS_SUSPECTED);
    paths.usable(index, false);
    paths.at(index).onSuspected(nowNs);
    sent.moveAway(index);
    ask(watch(index), nowNs);
  }

  /** Notes that a path takes no more packets because it is closed. It is not asked any more. */
  void onClosing(int index) {
    watches[index] = null;
  }

  // ---- asking

  private void ask(Watch watch, long nowNs) {
    watch.isAsked = true;
    watch.wasAnswered = false;
    watch.isAwaited = false;
    watch.pings = 0;
    watch.backoff.reset();
    watch.dueNs = nowNs;
  }

  /** Returns the index of a path on which a PING leaves now, or NONE. */
  int duePing(long nowNs) {
    for (int i = 0; i < paths.size(); i++) {
      Watch watch = watches[i];
      if (watch != null && paths.at(i) != null && nowNs >= dueNs(watch)) {
        return i;
      }
    }
    return NONE;
  }

  private long dueNs(Watch watch) {
    boolean isActive = watch.dueNs - activeNs <= ACTIVE_NS;
    return watch.isAsked && isActive ? watch.dueNs : Long.MAX_VALUE;
  }

  /** Notes that a PING with this id left on a path. */
  void onPinged(int index, int id, long nowNs) {
    Watch watch = watch(index);
    watch.id = id;
    watch.firstSentNs = watch.isAwaited ? watch.firstSentNs : nowNs;
    watch.isAwaited = true;
    watch.pings++;
    watch.sentNs = nowNs;
    watch.dueNs = nowNs + Math.min(PING_INTERVAL_NS_MAX, watch.backoff.nextDelayNs());
  }

  /**
   * Handles a PONG that came back on path {@code index}. Returns whether it answers this path's
   * last PING.
   */
  boolean onPong(int index, int id, long nowNs) {
    Watch watch = watches[index];
    if (watch == null || !watch.isAwaited || watch.id != id) {
      return false;
    }
    watch.isAwaited = false;
    watch.wasAnswered = true;
    watch.answeredNs = nowNs;
    watch.isAsked = false;
    watch.dueNs = Long.MAX_VALUE;
    Path path = paths.at(index);
    path.onRttSample(nowNs - watch.sentNs, nowNs);
    if (!paths.isUsable(index)) {
      sent.counters().increment(CounterId.PATHS_RETURNED);
      paths.usable(index, true);
      path.onReturned(watch.pings == 1, nowNs);
    }
    judge(nowNs);
    return true;
  }

  // ---- time

  /** Returns when {@link #judge} or {@link #duePing} has work without input. */
  long deadlineNs() {
    long soonest = Long.MAX_VALUE;
    for (int rest = paths.usableMask(); rest != 0; rest &= rest - 1) {
      long sinceNs = overdueNs(Integer.numberOfTrailingZeros(rest));
      if (sinceNs > judgedNs) { // an overdue path is judged by what comes in
        soonest = Math.min(soonest, sinceNs);
      }
    }
    for (Watch watch : watches) {
      if (watch != null) {
        soonest = Math.min(soonest, dueNs(watch));
      }
    }
    return soonest;
  }
}
