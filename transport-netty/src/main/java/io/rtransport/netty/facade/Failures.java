package io.rtransport.netty.facade;

import io.rtransport.core.connection.CloseCode;
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
    CloseCode code = CloseCode.INTERNAL_ERROR;
    if (cause instanceof ClosedChannelException || cause instanceof RejectedExecutionException) {
      code = CloseCode.CLOSING;
    } else if (cause instanceof IllegalArgumentException) {
      code = CloseCode.REFUSED_BY_SINK; // longer than was agreed
    } else if (cause instanceof IOException) {
      code =
          CloseCode.REFUSED_BY_SINK; // the peer has answered, and the pull's own sink had no place
    }
    String text = cause.getMessage() == null ? "" : cause.getMessage();
    RtException failure = new RtException(RtException.outcomeOf(cause), code.code(), text, true);
    failure.initCause(cause);
    return failure;
  }
}
