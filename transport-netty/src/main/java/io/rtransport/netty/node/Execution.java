package io.rtransport.netty.node;

import io.rtransport.netty.facade.InboundPush;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * One PUT that is being executed, and all copies of it that wait for its end: it is sent again when
 * a connection has ended. Any thread.
 */
final class Execution {
  /** Codes of the node itself. Those of applications are not negative. */
  static final int UNKNOWN_CODE = -1;

  static final int THREW_CODE = -2;

  private final LongConsumer onEnd;
  private List<InboundPush> waiting = new ArrayList<>(1);
  private boolean isEnded;
  private long result;
  private String text = "";

  /**
   * @param onEnd called with the result, once
   */
  Execution(InboundPush first, LongConsumer onEnd) {
    this.onEnd = onEnd;
    waiting.add(first);
  }

  /** Adds a copy that came later. It gets the same answer. */
  void join(InboundPush copy) {
    synchronized (this) {
      if (!isEnded) {
        waiting.add(copy);
        return;
      }
    }
    answer(copy, result, text);
  }

  /** Ends it, if nobody has. Returns whether this call did. */
  boolean end(long newResult, String newText) {
    List<InboundPush> copies;
    synchronized (this) {
      if (isEnded) {
        return false;
      }
      isEnded = true;
      result = newResult;
      text = newText;
      copies = waiting;
      waiting = null;
    }
    onEnd.accept(newResult);
    copies.forEach(copy -> answer(copy, newResult, newText));
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
