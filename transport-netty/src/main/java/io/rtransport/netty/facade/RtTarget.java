package io.rtransport.netty.facade;

import io.rtransport.core.connection.CloseReason;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.RtSink;

/**
 * What an application does for its peers: five callbacks, of which it overrides those that it has a
 * use for. A listener shares one target among its connections.
 *
 * <p>All are called on the connection's event loop, those of one connection one after the other,
 * {@link #onConnect} first and {@link #onClose} last; none may block. A push or pull whose callback
 * throws before it was answered fails for the peer with {@code UNKNOWN} and {@code
 * APPLICATION_ERROR}; the exception is logged on this side.
 */
public interface RtTarget {
  /** A connection is set up. */
  default void onConnect(RtConnection connection) {}

  /**
   * A push is announced: where are its bytes to go? Asked before any of them have been sent if it
   * is a long one, else when the first come.
   *
   * @param lengthBytes of the whole message
   * @param header the application header; not to be changed
   * @return null for a buffer (the default), a sink, {@link RtSink#refuse}, or {@link RtSink#later}
   *     to be asked again
   */
  default RtSink onOffer(RtConnection connection, long lengthBytes, byte[] header) {
    return null;
  }

  /** A push is here, whole, and is to be answered. By default it is refused with code 0. */
  default void onPush(RtConnection connection, InboundPush push) {
    push.fail(0, "this side takes no pushes");
  }

  /** The peer wants bytes: a response or a failure is due. By default it is refused with code 0. */
  default void onPull(RtConnection connection, RtPullRequest request) {
    request.fail(0, "this side answers no pulls");
  }

  /**
   * The connection has ended, by either side or by itself. Answers to what is still open go
   * nowhere.
   */
  default void onClose(RtConnection connection, CloseReason reason) {}
}
