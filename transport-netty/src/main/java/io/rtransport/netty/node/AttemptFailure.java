package io.rtransport.netty.node;

import io.netty.channel.ConnectTimeoutException;
import io.rtransport.core.node.NodeCode;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.RtException;
import java.util.Set;
import java.util.concurrent.CompletionException;

/** What the failure of a message's attempt says to its origin, or to a router. */
final class AttemptFailure {
  private static final Set<Integer> OF_ONE_MESSAGE =
      Set.of(
          CloseCode.REFUSED_BY_SINK.code(),
          CloseCode.APPLICATION_ERROR.code(),
          CloseCode.CANCELLED.code(),
          CloseCode.DEADLINE.code());

  private AttemptFailure() {}

  /**
   * Returns whether the message was surely not executed. A next hop whose sink failed never had the
   * whole message: it is a router whose own next hop failed in mid-message, or has no room for it.
   */
  static boolean isSurelyNotExecuted(Throwable failure) {
    return RtException.outcomeOf(failure) == Outcome.NOT_EXECUTED || isOfASink(failure);
  }

  /**
   * Returns whether the connection has ended with the message, or takes no more: not if only this
   * one message was given up or refused.
   */
  static boolean isOfConnection(Throwable failure) {
    if (!(failure instanceof RtException e) || !e.isFromTransport()) {
      return false;
    }
    boolean isOpen = e.outcome() == Outcome.NOT_EXECUTED || e.outcome() == Outcome.UNKNOWN;
    return isOpen && !OF_ONE_MESSAGE.contains(e.code());
  }

  private static boolean isOfASink(Throwable failure) {
    return failure instanceof RtException e
        && e.outcome() == Outcome.FAILED
        && e.isFromTransport()
        && e.code() == CloseCode.REFUSED_BY_SINK.code();
  }

  /**
   * Returns whether a router has answered that another route is to be taken. A failure of this side
   * alone, as on a connection that has just ended, says nothing of the route.
   */
  static boolean leadsNowhere(Throwable failure) {
    if (failure instanceof RtException e && e.outcome() == Outcome.FAILED && !e.isFromTransport()) {
      NodeCode code = NodeCode.of(e.code());
      return code == NodeCode.NO_ROUTE || code == NodeCode.LOST;
    }
    return isOfASink(failure);
  }

  /** Returns whether somebody has answered, in whatever way. */
  static boolean isAnswer(Throwable failure) {
    Outcome outcome = failure instanceof RtException e ? e.outcome() : null;
    return outcome == Outcome.FAILED || outcome == Outcome.COMPLETED;
  }

  /** Returns whether an attempt to connect met nothing but silence. */
  static boolean isSilence(Throwable failure) {
    return causeOf(failure) instanceof ConnectTimeoutException;
  }

  /** Returns what a future failed with. */
  static Throwable causeOf(Throwable failure) {
    boolean isWrapped = failure instanceof CompletionException && failure.getCause() != null;
    return isWrapped ? failure.getCause() : failure;
  }

  /** Returns the peer's text, without the outcome and code before it. */
  static String textOf(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    int end = message.indexOf("): ");
    return end < 0 ? "" : message.substring(end + 3);
  }
}
