package io.rtransport.netty;

import io.netty.channel.socket.ChannelOutputShutdownException;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.wire.CloseCode;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;

/**
 * Why a transaction did not complete, what is known of it, and who says so: the peer's application,
 * or RT.
 */
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

  /**
   * What became of a transaction whose promise failed with {@code cause}, whichever type that has:
   * the one answer to "may I do it again?".
   *
   * <p>Of a failure of a {@link java.util.concurrent.CompletableFuture} too, as its dependents and
   * {@code get} see it.
   *
   * @return {@link Outcome#NOT_EXECUTED} for what never left this side, {@link Outcome#COMPLETED}
   *     for a pull that the peer did answer, whose own sink failed over the answer, {@link
   *     Outcome#UNKNOWN} for what nobody knows, else {@link #outcome}
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

  /** RT, on this side, gave it up before anything of it had left. */
  static RtException notExecuted(CloseCode code) {
    return new RtException(Outcome.NOT_EXECUTED, code.code(), code.sentence(), true);
  }

  /**
   * Whether the peer's application certainly did not execute it, answered with an error, or nobody
   * can say.
   */
  public Outcome outcome() {
    return outcome;
  }

  /** The peer's application's own code, or one of {@link CloseCode} if {@link #isFromTransport}. */
  public int code() {
    return code;
  }

  /**
   * Whether RT, on either side, says so, and {@link #code} is RT's; else the peer's application
   * does.
   */
  public boolean isFromTransport() {
    return isFromTransport;
  }
}
