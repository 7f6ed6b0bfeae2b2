package io.rtransport.netty;

import io.netty.channel.socket.ChannelOutputShutdownException;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;

/**
 * Failure of one transaction. It says whether the transaction may have been executed, and who says
 * so: the peer's application, or RT.
 */
public final class RtException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Outcome outcome;
  private final int code;
  private final boolean isFromTransport;

  /**
   * @param code a {@link CloseCode} if {@code isFromTransport}, else a code of the peer's
   *     application
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

  /**
   * Returns the outcome of a transaction whose promise failed with {@code cause}, for any type of
   * {@code cause}. It answers the question "may I do it again?".
   *
   * <p>It also takes the failure of a {@link java.util.concurrent.CompletableFuture}, as dependent
   * futures and {@code get} see it.
   *
   * @return {@link Outcome#NOT_EXECUTED} if nothing left this side; {@link Outcome#COMPLETED} for a
   *     pull that the peer answered, whose own sink failed over the answer; {@link Outcome#UNKNOWN}
   *     if nobody knows; else {@link #outcome}
   */
  public static Outcome outcomeOf(Throwable cause) {
    if (cause instanceof RtException known) {
      return known.outcome;
    }
    boolean isWrapper =
        cause instanceof CompletionException
            || cause instanceof ExecutionException
            || cause instanceof CancellationException;
    if (isWrapper && cause.getCause() != null) {
      return outcomeOf(cause.getCause());
    }
    boolean isUnsent =
        cause instanceof ClosedChannelException
            || cause instanceof ChannelOutputShutdownException
            || cause instanceof NotYetConnectedException
            || cause instanceof RejectedExecutionException
            || cause instanceof CancellationException
            || cause instanceof IllegalArgumentException
            || cause instanceof UnsupportedOperationException;
    if (isUnsent) {
      return Outcome.NOT_EXECUTED;
    }
    return cause instanceof SinkFailure ? Outcome.COMPLETED : Outcome.UNKNOWN;
  }

  /**
   * Returns the failure of a transaction that RT, on this side, gave up before anything of it left.
   */
  static RtException notExecuted(CloseCode code) {
    return new RtException(Outcome.NOT_EXECUTED, code.code(), code.sentence(), true);
  }

  /**
   * Returns what is known of the execution: the peer's application certainly did not execute the
   * transaction, or answered it with an error, or nobody can say.
   */
  public Outcome outcome() {
    return outcome;
  }

  /**
   * Returns a {@link CloseCode} if {@link #isFromTransport}, else the code of the peer's
   * application.
   */
  public int code() {
    return code;
  }

  /**
   * Returns whether RT, on either side, reports the failure, and {@link #code} is one of RT's
   * codes. If false, the peer's application reports it.
   */
  public boolean isFromTransport() {
    return isFromTransport;
  }
}
