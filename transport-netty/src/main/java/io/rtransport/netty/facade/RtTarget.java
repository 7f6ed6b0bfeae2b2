package io.rtransport.netty.facade;

import io.rtransport.core.outcome.CloseReason;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.RtSink;

/**
 * Callbacks of an application that serves its peers. There are five; the application overrides
 * those that it needs. A listener shares one target among its connections.
 *
 * <p>All callbacks run on the connection's event loop, and must not block. Those of one connection
 * run one after the other, {@link #onConnect} first and {@link #onClose} last. If the callback of a
 * push or pull throws before it was answered, the transaction fails for the peer with {@code
 * UNKNOWN} and {@code APPLICATION_ERROR}. The exception is logged on this side.
 */
public interface RtTarget {
  /** Tells that a connection is set up. */
  default void onConnect(RtConnection connection) {}

  /**
   * Decides where the bytes of an announced push go. A long push is asked about before any of its
   * bytes have been sent, a short one when its first bytes come.
   *
   * @param lengthBytes of the whole message
   * @param header the application header; it must not be changed
   * @return null for a buffer (the default), a sink, {@link RtSink#refuse}, or {@link RtSink#later}
   *     to be asked again
   */
  default RtSink onOffer(RtConnection connection, long lengthBytes, byte[] header) {
    return null;
  }

  /** Takes a whole push, which must be answered. By default it is refused with code 0. */
  default void onPush(RtConnection connection, InboundPush push) {
    push.fail(0, "this side takes no pushes");
  }

  /**
   * Takes a pull of the peer, which must be answered with a response or a failure. By default it is
   * refused with code 0.
   */
  default void onPull(RtConnection connection, RtPullRequest request) {
    request.fail(0, "this side answers no pulls");
  }

  /**
   * Tells that the connection has ended, by either side or by itself. Answers to open transactions
   * have no effect.
   */
  default void onClose(RtConnection connection, CloseReason reason) {}
}
