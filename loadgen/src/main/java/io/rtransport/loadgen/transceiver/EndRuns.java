package io.rtransport.loadgen.transceiver;

import io.rtransport.loadgen.workload.Session;

/**
 * Decides which ends of a connection's messages are told together. On an ordered connection ends
 * come in order, and a run of them is one {@link Session.Listener#onCompletedThrough}, like a
 * cumulative acknowledgement for tcp. An end that comes before an earlier one, or is a failure, is
 * told by itself. Confined to one thread.
 */
final class EndRuns {
  private final Session.Listener listener;
  private final boolean isOrdered;

  /** One more than the highest number that has ended. */
  private long next;

  /** Numbers below {@link #next} that have not ended. */
  private long missing;

  /** Last number of the run that was not told yet. */
  private long runEnd;

  private boolean hasRun;

  EndRuns(Session.Listener listener, boolean isOrdered) {
    this.listener = listener;
    this.isOrdered = isOrdered;
  }

  /** Takes an end. Each number ends once. */
  void onEnd(long sequence, boolean isCompleted) {
    boolean isInOrder = missing == 0 && sequence == next;
    if (sequence >= next) {
      missing += sequence - next;
      next = sequence + 1;
    } else {
      missing--;
    }
    if (isOrdered && isInOrder && isCompleted) {
      runEnd = sequence;
      hasRun = true;
      return;
    }
    tell();
    if (isCompleted) {
      listener.onCompleted(sequence);
    } else {
      listener.onFailed(sequence);
    }
  }

  /** Tells the run, if there is one. */
  void tell() {
    if (hasRun) {
      hasRun = false;
      listener.onCompletedThrough(runEnd);
    }
  }
}
