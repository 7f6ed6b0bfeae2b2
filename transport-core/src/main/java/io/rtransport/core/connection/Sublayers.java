package io.rtransport.core.connection;

import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.solicitation.SolicitationSublayer;
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
  private final long firstRoundTripNs;
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
    }
    return stack;
  }

  /** Returns the sublayers; null while there are none. */
  SublayerStack inUse() {
    return stack;
  }

  /** Returns the solicitation sublayer; null while there is none. */
  SolicitationSublayer solicitationInUse() {
    return stack == null ? null : stack.solicitation;
  }

  /** Drops the sublayers if they are unchanged. Called at the end of each turn. */
  void dropUntouched() {
    if (!isTouched && stack != null) {
      isTouched = !stack.isUntouched();
      if (!isTouched) {
        stack = null;
      }
    }
  }

  // ---- calls that must not make the sublayers

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
    return stack == null ? 0 : stack.longPathBytes();
  }

  /** Returns the UDP payload of the longest packet that is sent now, bytes. */
  int datagramLengthBytes(AgreedParameters agreed) {
    return stack == null ? agreed.both().datagramLengthBytes() : stack.window.path(0).mtu().bytes();
  }

  /** Ends every transaction, and frees what the window holds. */
  void end(CloseReason reason, long nowNs) {
    isTouched = true;
    if (stack != null) {
      try {
        stack.transaction.endAll(reason.code(), reason.text());
      } finally { // even if a payload's source has thrown
        stack.window.close();
        stack.bounds.onTurn(Bound.NONE, nowNs);
      }
    }
  }
}
