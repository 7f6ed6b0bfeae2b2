package io.rtransport.core.window;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.window.RetransmissionEngine.Resend;

/**
 * The timers of the sending half. They decide when the soonest is due and which packets are resent.
 * The pump that follows sends them. A path that is suspect, or with nothing unacknowledged, has no
 * timer running. After a pause of the process the caller must receive before it calls this.
 */
final class WindowTimers {
  private static final int NONE = RetransmissionEngine.NONE;

  private final SentPackets sent;

  WindowTimers(SentPackets sent) {
    this.sent = sent;
  }

  /** Returns the soonest deadline of all paths; {@link Long#MAX_VALUE} if no timer runs. */
  long nextDeadlineNs() {
    long soonest = Long.MAX_VALUE;
    for (int i = 0; i < sent.pathCount(); i++) {
      Path path = sent.path(i);
      if (path != null && path.unacknowledgedCount() > 0 && sent.paths().isUsable(i)) {
        soonest = Math.min(soonest, path.lossDeadlineNs());
        soonest = Math.min(soonest, path.probeDeadlineNs());
        soonest = Math.min(soonest, adpDeadlineNs(i));
        soonest = Math.min(soonest, sent.noProgress().reachesAtNs(path.adp().totalNs()));
      }
    }
    return soonest;
  }

  private long adpDeadlineNs(int pathIndex) {
    Path path = sent.path(pathIndex);
    if (path.expiry().isTimerStale()) {
      int oldest = sent.oldest(pathIndex, NONE);
      if (oldest != NONE) {
        path.expiry().timerFrom(sent.engine().lastSentNs(oldest));
      }
    }
    return path.adpDeadlineNs();
  }

  /**
   * Handles the timers that are due.
   *
   * @return whether no path made progress for its total time, and something is unacknowledged
   */
  boolean onTimeout(long nowNs) {
    int waiting = 0;
    int exhausted = 0;
    for (int i = 0; i < sent.pathCount(); i++) {
      Path path = sent.path(i);
      if (path == null || path.unacknowledgedCount() == 0 || !sent.paths().isUsable(i)) {
        continue;
      }
      waiting++;
      long totalNs = path.adp().totalNs();
      if (nowNs >= path.lossDeadlineNs()) {
        path.loss().detect(sent, nowNs);
      }
      boolean isExpired = nowNs >= adpDeadlineNs(i);
      boolean isDue = isExpired || nowNs >= sent.noProgress().reachesAtNs(totalNs);
      if (isDue && sent.noProgress().hasReached(totalNs, nowNs)) {
        exhausted++;
      } else if (isExpired) {
        onAdpTimeout(i, nowNs);
      } else if (nowNs >= path.probeDeadlineNs()) {
        onProbe(path, nowNs);
      }
    }
    return waiting > 0 && exhausted == waiting;
  }

  /** Resends the path's oldest packets, at most two. They are found by a scan of the engine. */
  private void onAdpTimeout(int pathIndex, long nowNs) {
    sent.counters().increment(CounterId.TIMEOUTS);
    int oldest = sent.oldest(pathIndex, NONE);
    int second = sent.oldest(pathIndex, oldest);
    if (second != NONE) {
      sent.queue().addFirst(second, Resend.TIMEOUT);
    }
    sent.queue().addFirst(oldest, Resend.TIMEOUT);
    sent.path(pathIndex).onAdpTimeout(second == NONE ? 1 : 2, nowNs);
  }

  private void onProbe(Path path, long nowNs) {
    if (!sent.probes().tryTake(path.blindResends().areDoubtful(), nowNs)) {
      path.probe().onPutOff(nowNs);
      sent.counters().increment(CounterId.PROBES_PUT_OFF);
      return;
    }
    path.probe().onSent();
    int newest = path.ring().newestSlot();
    if (newest != NONE && !sent.queue().contains(newest)) {
      sent.queue().addFirst(newest, Resend.PROBE);
    }
  }
}
