package io.rtransport.demo.initiator;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.demo.protocol.ErrorCode;
import io.rtransport.netty.RtException;
import java.io.IOException;

/** Failure of a request: its known outcome, and a sentence for people. */
public final class RequestException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Outcome outcome;
  private final ErrorCode code;

  private RequestException(Outcome outcome, ErrorCode code, String text, Throwable cause) {
    super(text, cause);
    this.outcome = outcome;
    this.code = code;
  }

  static RequestException of(String text) {
    return new RequestException(Outcome.FAILED, null, text, null);
  }

  /** Returns the exception for a failed write's promise, with a sentence. */
  static RequestException of(Throwable cause) {
    if (!(cause instanceof RtException e)) {
      String why = cause.getMessage() == null ? "it was closed" : cause.getMessage();
      return new RequestException(Outcome.UNKNOWN, null, "the connection ended: " + why, cause);
    }
    return of(e.outcome(), e.isFromTransport(), e.code(), e.getMessage(), e);
  }

  /** Returns the exception for an end that has no text. */
  static RequestException of(Outcome outcome, boolean isFromTransport, int code) {
    String text = "the target answered with code " + Integer.toUnsignedString(code);
    return of(outcome, isFromTransport, code, text, null);
  }

  private static RequestException of(
      Outcome outcome, boolean isFromTransport, int number, String own, Throwable cause) {
    ErrorCode code = isFromTransport ? null : ErrorCode.ofCode(number);
    String text = code != null ? code.text() : isFromTransport ? sentence(number) : own;
    return new RequestException(outcome, code, text, cause);
  }

  private static String sentence(int code) {
    for (CloseCode reason : CloseCode.values()) {
      if (reason.code() == code) {
        boolean isOfMessage =
            reason == CloseCode.REFUSED_BY_SINK || reason == CloseCode.APPLICATION_ERROR;
        return (isOfMessage ? "" : "the connection ended: ") + reason.sentence();
      }
    }
    return "the connection ended with code " + Integer.toUnsignedString(code);
  }

  /** Returns whether the target certainly did not do it, refused it, or the outcome is unknown. */
  public Outcome outcome() {
    return outcome;
  }

  /** Returns why the target refused it, or null. */
  public ErrorCode code() {
    return code;
  }
}
