package io.rtransport.core.connection;

import io.rtransport.core.time.DeadlineWheel;
import java.util.concurrent.TimeUnit;

/**
 * Decides when the only path of an initiator may take another source port, and how long the former
 * one is kept. A translator (NAT) or a firewall on the way may hold a dead entry, which eats
 * everything from one source port. A new port gets a new entry.
 *
 * <p>Each port is an interface of ours with a number of its own. At most three are open at a time:
 * the present one, the last one by which the peer was heard, and, until its driver has closed it,
 * one by which nothing came. The last one by which the peer was heard is kept until something has
 * come by the present one, and three to six timeouts longer. Until then the peer sends there, and a
 * closed port would answer that nobody listens.
 *
 * <p>The first change is free. The next one waits a second, and each further one twice as long as
 * the one before, up to 32 s. A path without a change for a minute begins anew.
 *
 * <p>Made when a connection first wants another port. Confined to the event loop.
 */
final class SourcePorts {
  /** Least time from one change to the next. It doubles with each. */
  static final long INTERVAL_NS_MIN = TimeUnit.SECONDS.toNanos(1);

  static final long INTERVAL_NS_MAX = TimeUnit.SECONDS.toNanos(32);

  /** Time without a change after which the interval begins anew. */
  static final long CALM_NS = TimeUnit.MINUTES.toNanos(1);

  private boolean hasChanged;
  private long changedNs;
  private long intervalNs = INTERVAL_NS_MIN;

  /** The pair by which the peer was heard last; null: that is the present one. */
  private Pair former;

  /** Datagrams that had come by the path when its pair became the present one. */
  private long receivedBefore;

  /** Whether something came by the former pair since then. */
  private boolean hasFormerBrought;

  /** Whether something had come by the present pair at the last look. */
  private boolean isProven;

  private long lookIntervalNs;
  private long lookNs = DeadlineWheel.NONE;

  /** Returns whether a change may be made now. */
  boolean isDue(long nowNs) {
    return !hasChanged || nowNs - changedNs >= intervalNs;
  }

  /** Counts a change against the next ones. */
  private void count(long nowNs) {
    if (hasChanged) {
      boolean isCalm = nowNs - changedNs >= CALM_NS;
      intervalNs = isCalm ? INTERVAL_NS_MIN : Math.min(2 * intervalNs, INTERVAL_NS_MAX);
    }
    hasChanged = true;
    changedNs = nowNs;
  }

  /** Notes that the handshake asks by a second port too. */
  void onAsked(long nowNs) {
    count(nowNs);
  }

  /**
   * Notes that the handshake is over: the peer has answered by another pair than {@code other}, by
   * which late answers may still come.
   */
  void onSetUp(Pair other, long keptNs, long nowNs) {
    former = other;
    receivedBefore = -1; // the answer counts for no path
    isProven = true;
    lookIntervalNs = keptNs;
    lookNs = nowNs + keptNs;
  }

  /**
   * Notes that the path takes another pair.
   *
   * @param from its pair until now
   * @param received datagrams that have come by the path
   * @param keptNs how long a pair that is no longer needed is kept, ns
   */
  void onChanged(Pair from, long received, long keptNs, long nowNs) {
    count(nowNs);
    former = isHeard(received) ? from : former;
    receivedBefore = received;
    hasFormerBrought = false;
    isProven = false;
    lookIntervalNs = keptNs;
    lookNs = nowNs + keptNs;
  }

  /** Notes that the path goes back to its former pair. */
  void onReturned(long received, long nowNs) {
    count(nowNs);
    forgetFormer();
    receivedBefore = received;
  }

  /** Notes that a packet came by the former pair. */
  void onFormer() {
    hasFormerBrought = true;
  }

  /** Returns whether the peer was heard by the present pair: by the first one it always was. */
  private boolean isHeard(long received) {
    return former == null || received > receivedBefore;
  }

  /** Returns whether the former pair brings packets and the present one none: then it is better. */
  boolean isFormerBetter(long received) {
    return hasFormerBrought && !isHeard(received);
  }

  /** Returns the pair that is kept beside the present one; null: there is none. */
  Pair former() {
    return former;
  }

  /** Returns whether the former pair is not needed any more. Forgets it then. */
  boolean looksDone(long received, long nowNs) {
    if (nowNs < lookNs) {
      return false;
    }
    boolean isDone = isProven;
    isProven = isHeard(received);
    lookNs = nowNs + lookIntervalNs;
    if (isDone) {
      forgetFormer();
    }
    return isDone;
  }

  private void forgetFormer() {
    former = null;
    lookNs = DeadlineWheel.NONE;
  }

  long deadlineNs() {
    return lookNs;
  }
}
