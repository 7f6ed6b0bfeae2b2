package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.TransactionSublayer;

/**
 * What the application says of payload that comes in: whether a message is wanted, who takes it,
 * how much of it is taken, and that its sink failed. The peer's pushes and the answers to own pulls
 * have RSNs of their own, so each verb is there twice. Changes nothing once the sublayer has
 * stopped.
 */
public final class SinkVerbs {
  private final Target target;
  private final PullReceiver pullReceiver;
  private final TransactionSublayer transactions;
  private final Failure failure;

  SinkVerbs(
      Target target, PullReceiver pullReceiver, TransactionSublayer transactions, Failure failure) {
    this.target = target;
    this.pullReceiver = pullReceiver;
    this.transactions = transactions;
    this.failure = failure;
  }

  private boolean isStopped() {
    return failure.text() != null || transactions.isEnded();
  }

  /**
   * Accepts the peer's push {@code rsn} for the application. An entry OPENED asked about it, now or
   * before it was put off.
   *
   * @param handle ≥ 0, names the push in the entries that follow
   * @param isKeptWhole whether the push is kept in memory until it is delivered, so that none of it
   *     is taken before all of it is there. Such a push is granted only when the node's budget has
   *     room for all of it; others are granted range by range
   * @param untakenBytesMax for a push that is written behind: how many bytes may be granted and not
   *     yet taken. Beyond that it gets no more grants until some are taken. The node's budget may
   *     allow less, down to 64 KiB, and a lower bound counts as 64 KiB. {@code Long.MAX_VALUE} for
   *     any other push
   * @return false if the push waits for no answer, because it failed, was given up or was answered
   *     meanwhile: no entry names the handle
   */
  public boolean accept(long rsn, long handle, boolean isKeptWhole, long untakenBytesMax) {
    return !isStopped() && target.accept((int) rsn, handle, isKeptWhole, untakenBytesMax);
  }

  /**
   * Refuses the peer's push {@code rsn} for the application.
   *
   * @param isFromTransport whether {@code code} is RT's own, a {@link
   *     io.rtransport.core.outcome.CloseCode}: then the application has not seen the push
   */
  public void refuse(long rsn, int code, boolean isFromTransport) {
    if (!isStopped()) {
      target.refuse((int) rsn, code, isFromTransport);
    }
  }

  /**
   * Fails the peer's push {@code rsn}: the application accepted it, was not given all of it, and
   * failed while it handled the bytes. The handle is not used any more.
   */
  public void failSink(long rsn) {
    if (!isStopped()) {
      target.failSink((int) rsn);
    }
  }

  /**
   * Accepts the answer to the own pull {@code rsn}, like {@link #accept}. The answer is always
   * granted range by range, because the puller has agreed to its length.
   */
  public boolean acceptAnswer(long rsn, long handle, long untakenBytesMax) {
    return !isStopped() && pullReceiver.accept((int) rsn, handle, untakenBytesMax);
  }

  /** Refuses the answer to the own pull {@code rsn}, like {@link #refuse}. */
  public void refuseAnswer(long rsn, int code, boolean isFromTransport) {
    if (!isStopped()) {
      pullReceiver.refuse((int) rsn, code, isFromTransport);
    }
  }

  /** Fails the answer to the own pull {@code rsn}, like {@link #failSink}. */
  public void failAnswerSink(long rsn) {
    if (!isStopped()) {
      pullReceiver.failSink((int) rsn);
    }
  }

  /**
   * Sets how many bytes of the peer's push {@code rsn} may be granted and not yet taken. Only for a
   * push that is written behind, see {@link #accept}. A push that waited at a lower bound goes on
   * when some of it is taken.
   */
  public void limitUntaken(long rsn, long bytes) {
    if (!isStopped()) {
      target.limitUntaken((int) rsn, bytes);
    }
  }

  /** Sets the same bound for the answer to the own pull {@code rsn}. */
  public void limitUntakenOfPull(long rsn, long bytes) {
    if (!isStopped()) {
      pullReceiver.limitUntaken((int) rsn, bytes);
    }
  }

  /** Notes that the application took {@code bytes} of the peer's push {@code rsn}. */
  public void taken(long rsn, long bytes) {
    if (!isStopped()) {
      target.taken((int) rsn, bytes);
    }
  }

  /** Notes the same for the answer to the own pull {@code rsn}. */
  public void takenOfPull(long rsn, long bytes) {
    if (!isStopped()) {
      pullReceiver.taken((int) rsn, bytes);
    }
  }

  /**
   * Asks the application again about the peer's push {@code rsn}, which was put off. The question
   * comes in the next turn of the loop.
   */
  public void retryOpen(long rsn) {
    if (!isStopped()) {
      target.retryOpen((int) rsn);
    }
  }

  /** Asks again, like {@link #retryOpen(long)}, about every push of the peer that was put off. */
  public void retryOpen() {
    if (!isStopped()) {
      target.retryOpen();
    }
  }
}
