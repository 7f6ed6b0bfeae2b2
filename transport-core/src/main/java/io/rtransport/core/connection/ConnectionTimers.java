package io.rtransport.core.connection;

import io.rtransport.core.time.DeadlineWheel;
import java.util.Arrays;
import java.util.StringJoiner;

/** Timers of a connection that belong to no sublayer: a fixed set, each with one deadline. */
final class ConnectionTimers {
  enum Timer {
    /** Repeats CONNECT. */
    CONNECT,
    /** Gives the handshake up. */
    CONNECT_LIMIT,
    /** Repeats PING. */
    PING,
    /** Ends a connection that has been silent. */
    IDLE,
    /** Asks whether the peer is alive while a transaction is open. */
    LIVENESS,
    /** Keeps a silent connection alive. */
    KEEPALIVE,
    /** Repeats PATH_CHALLENGE. */
    PATH,
    /** Repeats CLOSE. */
    CLOSE,
    /** Ends two waits: first that for open transactions, then that for CLOSE_ACK. */
    CLOSE_LIMIT,
    /** Forgets an ended connection. */
    LINGER
  }

  private static final Timer[] ALL = Timer.values();

  private final long[] deadlines = new long[ALL.length];
  private long nextNs = DeadlineWheel.NONE;

  ConnectionTimers() {
    stopAll();
  }

  void set(Timer timer, long deadlineNs) {
    deadlines[timer.ordinal()] = deadlineNs;
    recompute();
  }

  void stop(Timer timer) {
    set(timer, DeadlineWheel.NONE);
  }

  void stopAll() {
    Arrays.fill(deadlines, DeadlineWheel.NONE);
    nextNs = DeadlineWheel.NONE;
  }

  /** Stops all timers but three, which outlive the connection's transactions. */
  void stopAllBut(Timer first, Timer second, Timer third) {
    for (Timer timer : ALL) {
      if (timer != first && timer != second && timer != third) {
        deadlines[timer.ordinal()] = DeadlineWheel.NONE;
      }
    }
    recompute();
  }

  boolean isSet(Timer timer) {
    return deadlines[timer.ordinal()] != DeadlineWheel.NONE;
  }

  /** Returns whether the timer has expired, and stops it if it has. */
  boolean expire(Timer timer, long nowNs) {
    if (deadlines[timer.ordinal()] > nowNs) {
      return false;
    }
    stop(timer);
    return true;
  }

  long nextDeadlineNs() {
    return nextNs;
  }

  /** Returns the timers that are set, each with the ms left at {@code nowNs}. */
  String toString(long nowNs) {
    StringJoiner set = new StringJoiner(", ", "[", "]");
    for (Timer timer : ALL) {
      if (isSet(timer)) {
        set.add(timer + " in " + (deadlines[timer.ordinal()] - nowNs) / 1_000_000 + " ms");
      }
    }
    return set.toString();
  }

  private void recompute() {
    long next = DeadlineWheel.NONE;
    for (long deadline : deadlines) {
      next = Math.min(next, deadline);
    }
    nextNs = next;
  }
}
