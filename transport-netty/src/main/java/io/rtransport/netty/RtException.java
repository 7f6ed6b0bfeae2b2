package io.rtransport.netty;

import io.rtransport.core.transaction.Outcome;
import java.io.IOException;

/** Why a transaction did not complete, and what is known of it. */
public final class RtException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Outcome outcome;
  private final int code;

  public RtException(Outcome outcome, int code, String text) {
    super(
        outcome
            + " (code "
            + Integer.toUnsignedString(code)
            + ")"
            + (text.isEmpty() ? "" : ": " + text));
    this.outcome = outcome;
    this.code = code;
  }

  /** Whether the peer's application certainly did not execute it, answered with an error, or nobody can say. */
  public Outcome outcome() {
    return outcome;
  }

  /** The peer's application's code where it {@link Outcome#FAILED}, else one of {@link io.rtransport.core.connection.CloseCode}. */
  public int code() {
    return code;
  }
}
