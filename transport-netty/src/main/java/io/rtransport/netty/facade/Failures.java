package io.rtransport.netty.facade;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.RtException;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;

/** Turns any failure of a channel's write into the outcome of its transaction. */
final class Failures {
  private Failures() {}

  /** Returns {@code cause} as an {@link RtException}; one that already is stays as it is. */
  static RtException of(Throwable cause) {
    if (cause instanceof RtException known) {
      return known;
    }
    Outcome outcome = RtException.outcomeOf(cause);
    CloseCode code = CloseCode.INTERNAL_ERROR;
    if (outcome == Outcome.COMPLETED || cause instanceof IllegalArgumentException) {
      code = CloseCode.REFUSED_BY_SINK; // the pull's own sink, or longer than agreed
    } else if (cause instanceof IOException && outcome == Outcome.NOT_EXECUTED
        || cause instanceof RejectedExecutionException) {
      code = CloseCode.CLOSING;
    }
    String text = cause.getMessage() == null ? "" : cause.getMessage();
    RtException failure = new RtException(outcome, code.code(), text, true);
    failure.initCause(cause);
    return failure;
  }
}
