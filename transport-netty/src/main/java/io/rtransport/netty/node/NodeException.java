package io.rtransport.netty.node;

import io.rtransport.core.outcome.MessageStatus;
import java.io.IOException;

/** Failure of one message of a node: whether it may have been executed, and why it ended. */
public final class NodeException extends IOException {
  private static final long serialVersionUID = 1L;

  private final MessageStatus status;
  private final int code;

  NodeException(MessageStatus status, int code, String text) {
    super(
        status
            + (status == MessageStatus.FAILED ? " (code " + code + ")" : "")
            + (text.isEmpty() ? "" : ": " + text));
    this.status = status;
    this.code = code;
  }

  /** Returns how the message ended; not COMPLETED. */
  public MessageStatus status() {
    return status;
  }

  /** Returns the code of the peer's application, for FAILED; else 0. */
  public int code() {
    return code;
  }
}
