package io.rtransport.core.connection;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.rail.PairHealth;
import io.rtransport.core.stats.Bound;
import io.rtransport.core.time.DeadlineWheel;
import io.rtransport.core.transaction.OutboxEntry;

/**
 * Owner of a connection's sublayers: makes them when they are first needed. At the end of a turn it
 * drops them if they are unchanged. So a connection that has carried nothing holds none: thousands
 * may wait like this. From its first numbered packet or transaction on, a connection keeps its
 * sublayers.
 */
final class Sublayers {
  private final Connection connection;
  private long firstRoundTripNs;
  private SublayerStack stack;
  private boolean isTouched;

  /**
   * @param firstRoundTripNs round trip that the handshake measured, ns; negative: none
   */
  Sublayers(Connection connection, long firstRoundTripNs) {
    this.connection = connection;
    this.firstRoundTripNs = firstRoundTripNs;
  }

  SublayerStack get(long nowNs) {
    if (stack == null) {
      stack = connection.newStack();
      if (firstRoundTripNs >= 0) {
        stack.window.onRttSample(0, firstRoundTripNs, nowNs);
      }
      stack.openPaths(connection.peerPaths, nowNs);
      if (connection.isEnded()) {
        stack.window.close(); // made to answer a question; it holds nothing
      }
    }
    return stack;
  }

  /** Returns the sublayers; null while there are none. */
  SublayerStack inUse() {
    return stack;
  }

  /** Drops the sublayers if they are unchanged. Called at the end of each turn. */
  void dropUntouched() {
    if (!isTouched && stack != null) {
      isTouched = !stack.isUntouched();
      if (!isTouched) {
        stack.window.close(); // gives back what the loop reserves for it
        stack = null;
      }
    }
  }

  // ---- calls that must not make the sublayers

  /** Returns whether nothing seems to get through on a path, as its timer shows. */
  boolean isPortDoubtful(int pathIndex) {
    return stack != null && stack.window.isSilentTwice(pathIndex);
  }

  /** Returns the round trip that was measured, ns; 0: none was. */
  long roundTripNs() {
    return stack == null ? Math.max(0, firstRoundTripNs) : stack.window.totals().smoothedRttNs();
  }

  /** Passes the flush window on. Sublayers that are made later ask the connection for it. */
  void flushWindowNs(int windowNs) {
    if (stack != null) {
      stack.solicitation.flushWindowNs(windowNs);
    }
  }

  void wholeLengthMax(int lengthBytes) {
    if (stack != null) {
      stack.solicitation.wholeLengthMax(lengthBytes);
    }
  }

  /**
   * Notes that the peer has another address on a path, a round trip of about {@code roundTripNs}
   * away. What the handshake measured holds for the old host only.
   */
  void onPathMoved(int pathIndex, boolean isOtherHost, long roundTripNs, long nowNs) {
    if (isOtherHost && pathIndex == 0) {
      firstRoundTripNs = roundTripNs;
    }
    if (stack != null) {
      stack.window.onPathMoved(pathIndex, isOtherHost, roundTripNs, nowNs);
    }
  }

  /** Opens a path. Sublayers that are made later ask {@link PeerPaths} for the open ones. */
  void openPath(int pathIndex, int pathId, long nowNs) {
    if (stack != null) {
      stack.openPath(pathIndex, pathId, nowNs);
    }
  }

  /** Passes the health of a path's ends on. Sublayers that are made later ask for it. */
  void health(int pathIndex, PairHealth ofBothEnds) {
    if (stack != null) {
      stack.window.health(pathIndex, ofBothEnds);
    }
  }

  /** Passes on a report that a path does not work. */
  void onPathReported(int pathIndex, long nowNs) {
    if (stack != null) {
      stack.window.onPathReported(pathIndex, nowNs);
    }
  }

  /** Passes on that the system takes no packets of a path. */
  void onPathRefused(int pathIndex, long nowNs) {
    if (stack != null) {
      stack.window.onPathRefused(pathIndex, nowNs);
    }
  }

  void closePath(int pathIndex, long nowNs) {
    if (stack != null) {
      stack.window.closePath(pathIndex, nowNs);
    }
  }

  /** Returns one bit for each path that takes packets; as long as nothing was sent, for all. */
  int usablePaths() {
    return stack == null ? -1 : stack.window.usablePaths();
  }

  /** Returns one bit for each path index that a closed path still has packets at. */
  int heldPaths() {
    return stack == null ? 0 : stack.window.heldPaths();
  }

  /** Returns the index of the path for packets without a rule of their own; −1: not known. */
  int bestPath() {
    return stack == null ? PacketBurst.NO_PATH : stack.window.bestPath();
  }

  /** Passes a PONG on. Returns whether it answers a PING of a path, or a probe of its MTU. */
  boolean onPong(int id, int arrivalIndex, long nowNs) {
    return stack != null && stack.window.onPong(id, arrivalIndex, nowNs);
  }

  /** Returns the credit limit that the peer is told, bytes. */
  long creditLimitBytes(AgreedParameters agreed) {
    return stack == null ? agreed.rx().initialCreditBytes() : stack.solicitation.creditLimitBytes();
  }

  /** Returns whether both directions have finished. */
  boolean isFinishing() {
    return stack != null && stack.transaction.isFinishing();
  }

  /** Returns whether the peer closes: it takes no transaction that begins from now on. */
  boolean isPeerClosing() {
    return stack != null && stack.solicitation.isPeerClosing();
  }

  boolean poll(OutboxEntry into) {
    return stack != null && stack.solicitation.poll(into);
  }

  void dropBurst() {
    if (stack != null) {
      stack.solicitation.dropBurst();
    }
  }

  void onTimeout(long nowNs) {
    if (stack != null) {
      stack.window.onTimeout(nowNs);
      stack.solicitation.onTimeout(nowNs);
      stack.transaction.onTimeout(nowNs);
    }
  }

  long nextDeadlineNs() {
    return stack == null ? DeadlineWheel.NONE : stack.nextDeadlineNs();
  }

  /** Returns why the connection must end, or null. */
  CloseReason failure() {
    return stack == null ? null : stack.failure();
  }

  boolean wantsCreditPing() {
    return stack != null && stack.wantsCreditPing();
  }

  /** Returns whether a transaction of either direction is open. */
  boolean hasUnended() {
    return stack != null && stack.hasUnended();
  }

  /** Returns how long {@code bound} has held back the connection, ns. */
  long heldNs(Bound bound, long nowNs) {
    return stack == null ? 0 : stack.bounds.ns(bound, nowNs);
  }

  /** Returns the bytes in flight that only the length of the path requires. */
  long longPathBytes() {
    return stack == null ? 0 : stack.window.totals().longPathBytes();
  }

  /** Returns the UDP payload of the longest packet that is sent now, bytes. */
  int datagramLengthBytes(AgreedParameters agreed) {
    return stack == null ? agreed.both().datagramLengthBytes() : stack.window.datagramLengthBytes();
  }

  /** Ends every transaction, and frees what the window holds. */
  void end(CloseReason reason, long nowNs) {
    isTouched = true;
    if (stack != null) {
      try {
        stack.solicitation.endAll(reason.code(), reason.text());
      } finally { // even if a payload's source has thrown
        stack.window.close();
        stack.bounds.onTurn(Bound.NONE, nowNs);
      }
    }
  }
}
