package io.rtransport.netty;

import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.wire.CloseCode;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;

/**
 * The connection under a channel ended otherwise than by a close: what {@code exceptionCaught} gets
 * before {@code channelInactive}.
 */
public final class ConnectionLostException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient CloseReason reason;

  public ConnectionLostException(CloseReason reason) {
    super("connection lost: " + reason);
    this.reason = reason;
  }

  /**
   * Whether a connection that ended so was lost: not closed by either side, nor ended on purpose by
   * this one.
   */
  static boolean isLoss(CloseReason reason) {
    boolean isOurAbort = !reason.isByPeer() && reason.code() == CloseCode.ABORTED.code();
    return !reason.isNormal()
        && !isOurAbort
        && reason.code() >= 0
        && reason.code() < CloseCode.APPLICATION_CODE_MIN;
  }

  /** What fails the writes of a channel that is closed, {@code reason} or null why. */
  static ClosedChannelException closed(CloseReason reason) {
    ClosedChannelException closed = new ClosedChannelException();
    if (reason != null) {
      closed.initCause(new ConnectionLostException(reason));
    }
    return closed;
  }

  /** Why; null after serialization. */
  public CloseReason reason() {
    return reason;
  }
}
