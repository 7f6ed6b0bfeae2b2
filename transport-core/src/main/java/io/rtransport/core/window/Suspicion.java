package io.rtransport.core.window;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.time.Backoff;
import java.util.random.RandomGenerator;

/**
 * Decides which of several paths take packets, within milliseconds. A connection with one path has
 * no such object.
 *
 * <pre>
 *   OPENED ──── answered ────▶ USABLE ──── overdue ────▶ ASKED (takes no new packets)
 *                                ▲                      │   │
 *                                ├──── answered ────────┘   │ not answered for a probe delay,
 *                                │                          ▼ while another path was
 *                                └──── answered ──────── SUSPECT
 * </pre>
 *
 * <p>A path is <b>overdue</b> when it had no acknowledgement for a probe delay ({@link
 * Path#overdueNs}). That alone may be a lost packet, or the peer's pause. So the path is asked by
 * PING, and so are the others that have nothing else to show, also if they have shown before that
 * PING that they work. A path is suspect if its PING stays unanswered for a probe delay while
 * another path has shown after that PING that it works. While the peer is silent on all paths,
 * nothing changes, and no path is blamed.
 *
 * <p>The packets of a suspect path are resent on others at once. The path itself is asked at a
 * growing interval, as long as the connection has sent or received something of late. So an idle
 * connection has no work. The last usable path never becomes suspect.
 */
final class Suspicion {
  /** Largest interval between two PINGs on a path, in nanoseconds. */
  static final long PING_INTERVAL_NS_MAX = 500_000_000;

  /** Least interval between two PINGs on a path that its packets provoke, in nanoseconds. */
  static final long PROVOKED_INTERVAL_NS = 25_000_000;

  /** Time after the last numbered packet in which paths are asked, in nanoseconds. */
  static final long ACTIVE_NS = 10_000_000_000L;

  /** PINGs of a question whose answers count. */
  private static final int PINGS_REMEMBERED = 8;

  private static final int NONE = PathSet.NONE;

  /** The questions on one path. */
  private static final class Watch {
    final Backoff backoff;

    /** Whether the path is to be asked until it answers. */
    boolean isAsked;

    long dueNs;

    /** Whether a PING left since then, the first one's time, and how many there were. */
    boolean isAwaited;

    long firstSentNs;
    int pings;

    // The last PINGs of this question. The answer to any of them counts: on a long path the next
    // one leaves before it.
    final int[] ids = new int[PINGS_REMEMBERED];
    final int[] lengths = new int[PINGS_REMEMBERED];
    final long[] sentNs = new long[PINGS_REMEMBERED];

    boolean hasAnswered;
    long answeredNs;

    /** Whether, and since when, the path is suspect. */
    boolean isSuspect;

    long suspectNs;

    Watch(RandomGenerator random) {
      this.backoff = new Backoff(random);
    }

    /** Returns when the last PING left; the time when the path was asked if none has. */
    long lastSentNs() {
      return pings == 0 ? dueNs : sentNs[(pings - 1) % PINGS_REMEMBERED];
    }

    void onPinged(int id, int length, long nowNs) {
      int slot = pings++ % PINGS_REMEMBERED;
      ids[slot] = id;
      lengths[slot] = length;
      sentNs[slot] = nowNs;
    }

    /** Returns the place of the PING with this id, or NONE. */
    int slotOf(int id) {
      for (int i = 0; i < Math.min(pings, PINGS_REMEMBERED); i++) {
        if (ids[i] == id) {
          return i;
        }
      }
      return NONE;
    }
  }

  private final PathSet paths;
  private final SentPackets sent;
  private final RandomGenerator random;
  private final Watch[] watches = new Watch[Limits.PATHS_MAX];
  private long activeNs;
  private long judgedNs = Long.MIN_VALUE;

  Suspicion(PathSet paths, SentPackets sent, RandomGenerator random) {
    this.paths = paths;
    this.sent = sent;
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

  /** Handles a path that was just opened. It takes packets once it has answered. */
  void onOpened(int index, long nowNs) {
    activeNs = nowNs;
    ask(watch(index), nowNs);
  }

  /** Handles a path that is being closed. It is not asked any more. */
  void onClosing(int index) {
    watches[index] = null;
  }

  /** Handles numbered packets that were sent. */
  void onSent(long nowNs) {
    activeNs = nowNs;
  }

  /**
   * Handles a numbered packet of the peer that came by path {@code index}. If that path takes no
   * packets, it is asked again soon: it seems to work.
   */
  void onReceived(int index, long nowNs) {
    activeNs = nowNs;
    if (index >= 0 && index < paths.size() && paths.at(index) != null && !paths.isUsable(index)) {
      Watch watch = watches[index];
      if (watch != null && watch.isAsked) {
        long intervalNs = Math.max(PROVOKED_INTERVAL_NS, 2 * paths.at(index).smoothedRttNs());
        watch.dueNs = Math.min(watch.dueNs, watch.lastSentNs() + intervalNs);
      }
    }
  }

  // ---- judging

  /** Judges all paths: after acknowledgements, after the answer to a PING, and at a deadline. */
  void judge(long nowNs) {
    judgedNs = nowNs;
    for (int rest = paths.usableMask(); rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      if (watches[i] != null && watches[i].isAwaited) {
        judgeAsked(i, watches[i], nowNs);
      } else if (nowNs >= paths.at(i).overdueNs()) {
        askAll(i, nowNs);
      }
    }
  }

  private void judgeAsked(int index, Watch watch, long nowNs) {
    Path path = paths.at(index);
    if (path.silence().isProvenSince(watch.firstSentNs)) {
      settle(watch); // an acknowledgement came before the answer
    } else if (nowNs >= unansweredNs(path, watch)) {
      if (!hasOtherShown(index, watch.firstSentNs)) {
        askOthers(index, watch.firstSentNs, nowNs);
        return;
      }
      if (isQuestionStale(index, watch)) {
        watch.isAwaited = false;
        watch.dueNs = nowNs;
        return;
      }
      sent.counters().increment(CounterId.PATHS_SUSPECTED);
      watch.isSuspect = true;
      watch.suspectNs = nowNs;
      paths.usable(index, false);
      path.onSuspected(nowNs);
      sent.moveAway(index);
    }
  }

  /**
   * Returns whether the last PING of a path left long before any other path has shown that it
   * works. The peer may have been silent on all paths then, so the path is asked once more.
   */
  private boolean isQuestionStale(int index, Watch watch) {
    long delayNs = paths.at(index).probeDelayNs();
    long freshNs = watch.lastSentNs() + delayNs + delayNs / 4;
    return !hasOtherShownBy(index, watch.firstSentNs, freshNs);
  }

  /** Returns whether another usable path has last shown from {@code sinceNs} to {@code untilNs}. */
  private boolean hasOtherShownBy(int index, long sinceNs, long untilNs) {
    for (int rest = paths.usableMask() & ~(1 << index); rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      if (hasShown(i, sinceNs) && !hasShown(i, untilNs)) {
        return true;
      }
    }
    return false;
  }

  private static long unansweredNs(Path path, Watch watch) {
    return watch.firstSentNs + path.probeDelayNs();
  }

  /**
   * Asks the overdue path, and the others that have shown nothing since it fell silent: one of them
   * has to show that the peer is there.
   */
  private void askAll(int overdue, long nowNs) {
    if (!watch(overdue).isAsked) {
      ask(watch(overdue), nowNs);
    }
    askOthers(overdue, paths.at(overdue).silence().fromNs(), nowNs);
  }

  /**
   * Asks the other usable paths that have shown nothing since then. Where nothing is on its way on
   * them, only the answer to a PING can show that the peer is there. Without it a grant that was
   * lost on a dark path would wait for two timeouts, and all data behind it.
   */
  private void askOthers(int index, long sinceNs, long nowNs) {
    for (int rest = paths.usableMask() & ~(1 << index); rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      if (!watch(i).isAsked && !hasShown(i, sinceNs)) {
        ask(watch(i), nowNs);
      }
    }
  }

  /** Returns whether a usable path other than {@code index} has shown that it works since then. */
  boolean hasOtherShown(int index, long sinceNs) {
    for (int rest = paths.usableMask() & ~(1 << index); rest != 0; rest &= rest - 1) {
      if (hasShown(Integer.numberOfTrailingZeros(rest), sinceNs)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a path has shown since then that it works. */
  boolean hasShown(int index, long sinceNs) {
    Watch watch = watches[index];
    return paths.at(index).silence().isProvenSince(sinceNs)
        || watch != null && watch.hasAnswered && watch.answeredNs - sinceNs >= 0;
  }

  // ---- asking

  /**
   * Handles a report that a path does not work. Anybody can forge that, so the path is only asked,
   * and not more often than packets that it brings may have it asked. The only usable path is not.
   */
  void onReported(int index, long nowNs) {
    if (!paths.isUsable(index) || isInDoubt(index) || !paths.hasOtherUsable(index)) {
      return;
    }
    Watch watch = watch(index);
    if (watch.pings == 0 || nowNs - watch.lastSentNs() >= PROVOKED_INTERVAL_NS) {
      ask(watch, nowNs);
    }
  }

  private static void ask(Watch watch, long nowNs) {
    watch.isAsked = true;
    watch.isAwaited = false;
    watch.pings = 0;
    watch.backoff.reset();
    watch.dueNs = nowNs;
  }

  private static void settle(Watch watch) {
    watch.isAsked = false;
    watch.isAwaited = false;
    watch.isSuspect = false;
  }

  /** Returns whether a path is suspect. One that was opened and has not answered yet is not. */
  boolean isSuspect(int index) {
    return watches[index] != null && watches[index].isSuspect && !paths.isUsable(index);
  }

  /** Returns when the last PING of the question to a path left, or when the question was due. */
  long lastPingNs(int index) {
    return watches[index].lastSentNs();
  }

  /** Returns since when a suspect path is suspect. */
  long suspectSinceNs(int index) {
    return watches[index].suspectNs;
  }

  /** Returns whether at {@code atNs} the connection has sent or received something of late. */
  boolean isActive(long atNs) {
    return atNs - activeNs <= ACTIVE_NS;
  }

  /** Returns whether a path takes no new packets, because it has not answered yet. */
  boolean isInDoubt(int index) {
    return watches[index] != null && watches[index].isAsked;
  }

  /** Returns the index of a path on which a PING leaves now, or NONE. */
  int duePing(long nowNs) {
    for (int i = 0; i < paths.size(); i++) {
      if (watches[i] != null && nowNs >= dueNs(watches[i])) {
        return i;
      }
    }
    return NONE;
  }

  private long dueNs(Watch watch) {
    boolean isWanted = watch.isAsked && isActive(watch.dueNs);
    return isWanted ? watch.dueNs : Long.MAX_VALUE;
  }

  /** Returns the UDP payload of the next PING on a path. */
  int pingBytes(int index) {
    return paths.at(index).mtu().questionBytes(watch(index).pings);
  }

  /** Handles a PING with this id that left on a path. */
  void onPinged(int index, int id, long nowNs) {
    Watch watch = watch(index);
    watch.firstSentNs = watch.isAwaited ? watch.firstSentNs : nowNs;
    watch.isAwaited = true;
    watch.onPinged(id, pingBytes(index), nowNs);
    watch.dueNs = nowNs + Math.min(PING_INTERVAL_NS_MAX, watch.backoff.nextDelayNs());
  }

  /**
   * Handles a PONG that came back on path {@code index}. Returns whether it answers a PING of this
   * path's question.
   */
  boolean onPong(int index, int id, long nowNs) {
    Watch watch = index < paths.size() && paths.at(index) != null ? watches[index] : null;
    int slot = watch == null || !watch.isAwaited ? NONE : watch.slotOf(id);
    if (slot == NONE) {
      return false;
    }
    Path path = paths.at(index);
    path.onRttSample(nowNs - watch.sentNs[slot], nowNs);
    path.silence().onShown(nowNs);
    if (path.mtu().onQuestionAnswered(watch.lengths[slot], nowNs)) {
      path.onMtuChanged();
    }
    if (!paths.isUsable(index)) {
      sent.counters().increment(CounterId.PATHS_RETURNED);
      paths.usable(index, true);
      path.onReturned(watch.pings == 1, nowNs);
    }
    settle(watch);
    watch.hasAnswered = true;
    watch.answeredNs = nowNs;
    judge(nowNs);
    return true;
  }

  // ---- time

  /** Returns when {@link #judge} or {@link #duePing} has work without input. */
  long deadlineNs() {
    long soonest = Long.MAX_VALUE;
    for (int i = 0; i < paths.size(); i++) {
      Path path = paths.at(i);
      Watch watch = watches[i];
      if (path == null) {
        continue;
      }
      if (paths.isUsable(i)) {
        boolean isAwaited = watch != null && watch.isAwaited;
        long judgeNs = isAwaited ? unansweredNs(path, watch) : path.overdueNs();
        if (judgeNs > judgedNs) { // if not, the answer of another path decides
          soonest = Math.min(soonest, judgeNs);
        }
      }
      if (watch != null) {
        soonest = Math.min(soonest, dueNs(watch));
      }
    }
    return soonest;
  }
}
