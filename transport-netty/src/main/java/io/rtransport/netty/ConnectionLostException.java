package io.rtransport.netty;

import io.rtransport.core.connection.CloseReason;
import java.io.IOException;

/** The connection under a channel ended otherwise than by a close: what {@code exceptionCaught} gets before {@code channelInactive}. */
public final class ConnectionLostException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient CloseReason reason;

  public ConnectionLostException(CloseReason reason) {
    super("connection lost: " + reason);
    this.reason = reason;
  }

  /** Why; null after serialization. */
  public CloseReason reason() {
    return reason;
  }
}
