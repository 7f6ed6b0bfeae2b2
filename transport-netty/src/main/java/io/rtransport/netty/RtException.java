package io.rtransport.netty;

import io.rtransport.core.connection.CloseCode;
import io.rtransport.core.transaction.Outcome;
import java.io.IOException;

/** Why a transaction did not complete, what is known of it, and who says so: the peer's application, or RT. */
public final class RtException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Outcome outcome;
  private final int code;
  private final boolean isFromTransport;

  /**
   * @param code a {@link CloseCode} if {@code isFromTransport}, else the peer's application's own
   */
  public RtException(Outcome outcome, int code, String text, boolean isFromTransport) {
    super(
        outcome
            + (isFromTransport
                ? " (" + CloseCode.nameOf(code) + ")"
                : " (application code " + Integer.toUnsignedString(code) + ")")
            + (text.isEmpty() ? "" : ": " + text));
    this.outcome = outcome;
    this.code = code;
    this.isFromTransport = isFromTransport;
  }

  /** Whether the peer's application certainly did not execute it, answered with an error, or nobody can say. */
  public Outcome outcome() {
    return outcome;
  }

  /** The peer's application's own code, or one of {@link CloseCode} if {@link #isFromTransport}. */
  public int code() {
    return code;
  }

  /** Whether RT, on either side, says so, and {@link #code} is RT's; else the peer's application does. */
  public boolean isFromTransport() {
    return isFromTransport;
  }
}
