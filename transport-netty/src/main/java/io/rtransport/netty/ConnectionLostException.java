package io.rtransport.netty;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;

/**
 * The connection under a channel ended otherwise than by a close. {@code exceptionCaught} gets this
 * exception before {@code channelInactive}.
 */
public final class ConnectionLostException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient CloseReason reason;

  public ConnectionLostException(CloseReason reason) {
    super("connection lost: " + reason);
    this.reason = reason;
  }

  /**
   * Returns whether a connection that ended with {@code reason} was lost: neither side closed it,
   * and this side did not abort it on purpose.
   */
  static boolean isLoss(CloseReason reason) {
    boolean isOurAbort = !reason.isByPeer() && reason.code() == CloseCode.ABORTED.code();
    return !reason.isNormal()
        && !isOurAbort
        && reason.code() >= 0
        && reason.code() < CloseCode.APPLICATION_CODE_MIN;
  }

  /**
   * Returns the exception that fails the writes of a closed channel; {@code reason} may be null.
   */
  static ClosedChannelException closed(CloseReason reason) {
    ClosedChannelException closed = new ClosedChannelException();
    if (reason != null) {
      closed.initCause(new ConnectionLostException(reason));
    }
    return closed;
  }

  /** Returns why the connection ended; null after serialization. */
  public CloseReason reason() {
    return reason;
  }
}
