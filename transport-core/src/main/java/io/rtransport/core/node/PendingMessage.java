package io.rtransport.core.node;

import io.rtransport.core.outcome.MessageStatus;
import io.rtransport.core.outcome.Outcome;

/**
 * One message at its origin: whether it may be sent, to which incarnation of the target, and how it
 * ends. Loop-confined.
 *
 * <p>While the message was surely not executed, it may go to any incarnation of the target. Once an
 * attempt ended without an answer, it may have been executed. Then only the same incarnation may
 * get it again, because only that one knows its id ({@link OnceTable}); a GET only if it may be
 * executed again. Source: LNet Health, "LNet Resend Handling", which leaves duplicates to the
 * layers above.
 */
public final class PendingMessage {
  private final MessageKind kind;
  private final boolean isRepeatable;
  private final long deadlineNs;
  private final int attemptsMax;
  private final long intervalNs;
  private int attempts;
  private boolean isUnderWay;
  private boolean isMaybeExecuted;
  private boolean wasRefused;
  private long attemptTarget;
  private long boundTarget;
  private long dueNs;
  private MessageStatus status;

  /**
   * @param isRepeatable whether it does no harm to execute it twice
   * @param deadlineNs when it ends at the latest
   * @param retries most attempts after the first one
   * @param intervalNs least time between the end of an attempt and the next one
   */
  public PendingMessage(
      MessageKind kind,
      boolean isRepeatable,
      long deadlineNs,
      int retries,
      long intervalNs,
      long nowNs) {
    this.kind = kind;
    this.isRepeatable = isRepeatable;
    this.deadlineNs = deadlineNs;
    this.attemptsMax = retries + 1;
    this.intervalNs = intervalNs;
    this.dueNs = nowNs;
  }

  /** Returns whether it can be sent now to this incarnation of the target. */
  public boolean maySend(long target, long nowNs) {
    return status == null
        && !isUnderWay
        && nowNs >= dueNs
        && nowNs < deadlineNs
        && (boundTarget == 0 || boundTarget == target);
  }

  /** Returns the incarnation that its header names: the only one that may get it, or 0. */
  public long boundTarget() {
    return boundTarget;
  }

  /** Notes that an attempt has begun. */
  public void onSent(long target) {
    assert !isUnderWay && status == null : "sent twice at a time";
    attempts++;
    isUnderWay = true;
    attemptTarget = target;
  }

  /**
   * Notes how an attempt ended. If {@link #status} is still null, it is to be sent again at {@link
   * #dueNs}.
   */
  public void onAttemptEnded(Outcome outcome, long nowNs) {
    if (status != null) {
      return; // its time was over meanwhile
    }
    isUnderWay = false;
    switch (outcome) {
      case COMPLETED -> status = MessageStatus.COMPLETED;
      case FAILED -> status = MessageStatus.FAILED;
      case NOT_EXECUTED -> retry(nowNs);
      case UNKNOWN -> {
        isMaybeExecuted = true;
        boundTarget = isRepeatable ? boundTarget : attemptTarget;
        if (kind == MessageKind.GET && !isRepeatable) {
          status = MessageStatus.UNKNOWN;
        } else {
          retry(nowNs);
        }
      }
    }
  }

  /**
   * Notes that a router had no way on for an attempt: it was surely not executed, and counts
   * against nothing but the message's time. It is due again at once, by another route.
   */
  public void onNoWay(long nowNs) {
    isUnderWay = false;
    attempts--;
    dueNs = nowNs;
  }

  /**
   * Notes that the target has refused the attempt, because the id is neither new nor known there:
   * {@link NodeCode#UNKNOWN}. That attempt was surely not executed. If no earlier one may have
   * been, the message may be sent again, with an id that is new there. The first refusal counts
   * against nothing but the message's time, and it is due again at once: the target had forgotten
   * its origin. Later ones are failed attempts.
   *
   * @return whether it is to be sent again
   */
  public boolean onRefused(long nowNs) {
    if (status != null || isMaybeExecuted && !isRepeatable) {
      onGivenUp();
      return false;
    }
    isUnderWay = false;
    if (wasRefused) {
      retry(nowNs);
    } else {
      wasRefused = true;
      attempts--;
      dueNs = nowNs;
    }
    return status == null;
  }

  /**
   * Gives up waiting for the attempt under way, because its router does not answer, if it does no
   * harm to send the message again. It is due at once, by another route and to the same incarnation
   * only. The attempt may still be executed, and its completion is the message's end all the same.
   *
   * @return false if nothing is under way, or the message waits for its attempt: a GET that is not
   *     repeatable, or the last attempt
   */
  public boolean move(long nowNs) {
    boolean isOnce = kind == MessageKind.GET && !isRepeatable;
    if (status != null || !isUnderWay || isOnce || attempts >= attemptsMax) {
      return false;
    }
    isUnderWay = false;
    isMaybeExecuted = true;
    boundTarget = isRepeatable ? boundTarget : attemptTarget;
    dueNs = nowNs;
    return true;
  }

  private void retry(long nowNs) {
    dueNs = nowNs + intervalNs;
    if (attempts >= attemptsMax || dueNs - deadlineNs >= 0) {
      status = ifNothingMoreComes();
    }
  }

  /** Notes that the target will not execute it, and cannot say whether it has. */
  public void onGivenUp() {
    isUnderWay = false;
    status = status == null ? MessageStatus.UNKNOWN : status;
  }

  /** Returns whether an attempt has begun and not ended. */
  public boolean isUnderWay() {
    return isUnderWay;
  }

  /**
   * Notes that the target is another incarnation than before. What may have been executed by the
   * former one ends.
   */
  public void onTarget(long target) {
    if (status == null && !isUnderWay && boundTarget != 0 && boundTarget != target) {
      status = MessageStatus.UNKNOWN;
    }
  }

  /** Notes that the time is {@code nowNs}. */
  public void onTime(long nowNs) {
    if (status == null && nowNs - deadlineNs >= 0) {
      status = ifNothingMoreComes();
    }
  }

  /** Notes that it is not sent any more: its node ends, or it cannot leave. */
  public void onNothingMore() {
    status = status == null ? ifNothingMoreComes() : status;
  }

  private MessageStatus ifNothingMoreComes() {
    boolean isSure = !isUnderWay && !isMaybeExecuted;
    return isSure ? MessageStatus.NOT_EXECUTED : MessageStatus.UNKNOWN;
  }

  /** Returns how it ended; null while it has not. */
  public MessageStatus status() {
    return status;
  }

  /** Returns when it may be sent, or sent again. */
  public long dueNs() {
    return dueNs;
  }

  public long deadlineNs() {
    return deadlineNs;
  }

  public int attempts() {
    return attempts;
  }
}
