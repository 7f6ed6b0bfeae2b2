package io.rtransport.netty.node;

import io.rtransport.netty.facade.InboundPush;
import java.util.function.LongConsumer;

/**
 * One PUT that is being executed, and the last copy of it that waits for its end: it is sent again
 * when a connection has ended, so there is nobody behind an earlier copy. Any thread.
 */
final class Execution {
  /** Codes of the node itself. Those of applications are not negative. */
  static final int UNKNOWN_CODE = -1;

  static final int THREW_CODE = -2;

  static final String THREW = "the application threw over it";

  private final LongConsumer onEnd;
  private InboundPush waiting;
  private boolean isEnded;
  private long result;
  private String text = "";

  /**
   * @param onEnd called with the result, once
   */
  Execution(InboundPush first, LongConsumer onEnd) {
    this.onEnd = onEnd;
    waiting = first;
  }

  /** Takes a copy that came later. It gets the answer, in place of the one before. */
  void join(InboundPush copy) {
    InboundPush former = null;
    synchronized (this) {
      if (!isEnded) {
        former = waiting;
        waiting = copy;
      }
    }
    if (former == null) {
      answer(copy, result, text);
    } else {
      former.fail(UNKNOWN_CODE, "it came again");
    }
  }

  /** Ends it, if nobody has. Returns whether this call did. */
  boolean end(long newResult, String newText) {
    InboundPush last;
    synchronized (this) {
      if (isEnded) {
        return false;
      }
      isEnded = true;
      result = newResult;
      text = newText;
      last = waiting;
      waiting = null;
    }
    onEnd.accept(newResult);
    answer(last, newResult, newText);
    return true;
  }

  /** Returns the result of a message that the application has executed well. */
  static long completed() {
    return Long.MAX_VALUE;
  }

  /** Returns the result of one that has failed with a code. */
  static long failed(int code) {
    return code;
  }

  /** Answers a copy with a result. */
  static void answer(InboundPush copy, long result, String text) {
    if (result == completed()) {
      copy.acknowledge();
    } else {
      copy.fail((int) result, text);
    }
  }
}
