package io.rtransport.netty.facade;

import io.rtransport.core.connection.CloseCode;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.netty.RtException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.RejectedExecutionException;

/** Says of whatever fails a channel's write what became of the transaction. */
final class Failures {
  private Failures() {}

  /** {@code cause} as an outcome; what is one already stays as it is. */
  static RtException of(Throwable cause) {
    if (cause instanceof RtException known) {
      return known;
    }
    Outcome outcome = Outcome.UNKNOWN;
    CloseCode code = CloseCode.INTERNAL_ERROR;
    if (cause instanceof ClosedChannelException || cause instanceof RejectedExecutionException) {
      outcome = Outcome.NOT_EXECUTED; // what had left the queue has an outcome of the core's
      code = CloseCode.CLOSING;
    } else if (cause instanceof IllegalArgumentException) {
      outcome = Outcome.NOT_EXECUTED; // longer than was agreed
      code = CloseCode.REFUSED_BY_SINK;
    } else if (cause instanceof IOException) {
      outcome = Outcome.COMPLETED; // the peer has answered, and the pull's own sink had no place
      code = CloseCode.REFUSED_BY_SINK;
    }
    String text = cause.getMessage() == null ? "" : cause.getMessage();
    RtException failure = new RtException(outcome, code.code(), text, true);
    failure.initCause(cause);
    return failure;
  }
}
