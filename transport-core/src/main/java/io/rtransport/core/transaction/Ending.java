package io.rtransport.core.transaction;

import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.wire.CompleteInErrorFlyweight;

/**
 * Why and with what text a transaction ended. An own one has an outcome too. A part of {@link
 * Transaction}, which says when it may end.
 */
public final class Ending {
  private static final byte NONE = -1;
  private static final Outcome[] OUTCOMES = Outcome.values();

  // As a number, because of the collector's barrier (see PoolMember).
  private byte outcome = NONE;
  private int code;
  private String text = "";
  private int flags;

  Ending() {}

  /** Sets all of it, for an own transaction. */
  void settle(Outcome as, int withCode, String withText, int withFlags) {
    assert outcome == NONE : "a second outcome";
    outcome = (byte) as.ordinal();
    explain(withCode, withText, withFlags);
  }

  /** Sets code, text and flags, for a peer's transaction. */
  void explain(int withCode, String withText, int withFlags) {
    text = withText;
    refuse(withCode, withFlags);
  }

  /** Sets code and flags of an answer that this side does not take. */
  void refuse(int withCode, int withFlags) {
    code = withCode;
    flags = withFlags;
  }

  /** Makes it a failure after all. Code and flags are set. */
  void fail(String withText) {
    outcome = (byte) Outcome.FAILED.ordinal();
    text = withText;
  }

  /** Returns whether the outcome of an own transaction is set. */
  boolean isSettled() {
    return outcome != NONE;
  }

  /** Returns how an own transaction ended; null before. */
  public Outcome outcome() {
    return outcome == NONE ? null : OUTCOMES[outcome];
  }

  /** Returns the code, the application's or RT's own. */
  public int code() {
    return code;
  }

  /** Returns the text, for people; never null. */
  public String text() {
    return text;
  }

  /** Returns the flags of COMPLETE_IN_ERROR, sent or received. */
  public int flags() {
    return flags;
  }

  /** Returns whether the code is RT's own. */
  public boolean isFromTransport() {
    return (flags & CompleteInErrorFlyweight.FLAG_TRANSPORT) != 0;
  }

  void reset() {
    outcome = NONE;
    code = 0;
    if (!text.isEmpty()) {
      text = "";
    }
    flags = 0;
  }
}
