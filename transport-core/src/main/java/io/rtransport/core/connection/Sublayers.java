package io.rtransport.core.connection;

import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.solicitation.SolicitationSublayer;
import io.rtransport.core.stats.Bound;
import io.rtransport.core.time.DeadlineWheel;
import io.rtransport.core.transaction.OutboxEntry;

/**
 * A connection's sublayers, made when something is asked of them, and dropped again as long as they
 * are as they were made: a connection that has carried nothing yet holds none, for thousands may
 * wait so. From its first numbered packet or transaction on it keeps them.
 */
final class Sublayers {
  private final Connection connection;
  private final long firstRoundTripNs;
  private SublayerStack stack;
  private boolean isTouched;

  /**
   * @param firstRoundTripNs measured by the handshake, or negative
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

  /** Null while there are none. */
  SublayerStack inUse() {
    return stack;
  }

  /** Null while there are none. */
  SolicitationSublayer solicitationInUse() {
    return stack == null ? null : stack.solicitation;
  }

  /** At the end of each turn. */
  void dropUntouched() {
    if (!isTouched && stack != null) {
      isTouched = !stack.isUntouched();
      if (!isTouched) {
        stack = null;
      }
    }
  }

  // ---- what is asked of them and must not make them

  /** Those that are made later ask the connection. */
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

  /** Why the connection must end, or null. */
  CloseReason failure() {
    return stack == null ? null : stack.failure();
  }

  boolean wantsCreditPing() {
    return stack != null && stack.wantsCreditPing();
  }

  /** Whether a transaction of either direction has not ended. */
  boolean hasUnended() {
    return stack != null && stack.hasUnended();
  }

  /** How long {@code bound} has held the connection, ns. */
  long heldNs(Bound bound, long nowNs) {
    return stack == null ? 0 : stack.bounds.ns(bound, nowNs);
  }

  /** What is in flight because the path is long, bytes. */
  long longPathBytes() {
    return stack == null ? 0 : stack.longPathBytes();
  }

  /** UDP payload of the longest packet that is sent now. */
  int datagramLengthBytes(AgreedParameters agreed) {
    return stack == null ? agreed.both().datagramLengthBytes() : stack.window.path(0).mtu().bytes();
  }

  /** Gives every transaction its end, and back what the window holds. */
  void end(CloseReason reason, long nowNs) {
    isTouched = true;
    if (stack != null) {
      try {
        stack.transaction.endAll(reason.code(), reason.text());
      } finally { // whatever a payload's source has thrown
        stack.window.close();
        stack.bounds.onTurn(Bound.NONE, nowNs);
      }
    }
  }
}
