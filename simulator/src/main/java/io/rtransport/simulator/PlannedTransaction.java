package io.rtransport.simulator;

/**
 * One transaction of a world's workload: what is asked for, and how the applications at both ends
 * treat it. Drawn by {@link Workload}.
 */
public final class PlannedTransaction {
  /** What is asked of the connection. */
  enum Kind {
    PUSH,
    PULL
  }

  /** How the target's application ends it. */
  enum Verdict {
    /** It takes the message, or answers the pull. */
    ACCEPT,
    /** It takes the message and answers with an error; a pull is answered with an error. */
    FAIL,
    /** It refuses as soon as it hears of the message. A push only. */
    REFUSE
  }

  /** Position in the initiator's order of submission, from 0: RSN less the first RSN. */
  public final int index;

  final int host;
  final Kind kind;
  final long notBeforeNs;

  /** Bytes of the message, or of the pull's answer. */
  public final int lengthBytes;

  /** Bytes a pull asks for at most. */
  public final int lengthBytesMax;

  public final int headerLength;
  final int start;
  final Verdict verdict;
  final int code;
  final String text;

  /** A push: whether its own application does not wait for its end, and says so. */
  boolean isUnawaited;

  /** Whether its application wants to hear when the peer's transport has it. */
  boolean isReceiptWanted;

  boolean isReceived;

  /**
   * How long the target's application takes to say its verdict, ns; 0 = at once, inside the call.
   */
  long verdictDelayNs;

  /** How often the receiving application answers LATER before it opens. */
  int laterCount;

  long laterNs;

  /**
   * Share of the bytes of a write the receiving application takes at once, 0..1; the rest after
   * {@link #takeDelayNs}.
   */
  double takenShare = 1;

  long takeDelayNs;

  /**
   * After how many bytes the receiving application's sink fails; −1 = never. At 0 the sink of an
   * answer refuses it at once.
   */
  int breaksAtBytes = -1;

  /** Whether the receiving application keeps the message in memory until it is whole. */
  boolean isKeptWhole;

  /**
   * Bytes the source has from the start; more come in steps of it, {@link #sourceDelayNs} apart.
   */
  int sourceStepBytes = Integer.MAX_VALUE;

  long sourceDelayNs;

  /**
   * When its own application gives it up, ns after its submission; 0 = in the same turn, −1 =
   * never.
   */
  long cancelDelayNs = -1;

  /** How long after its submission it is to end at the latest, ns; −1 = whenever. */
  long deadlineDelayNs = -1;

  /** Whether the receiving application's sink has failed. */
  boolean isBroken;

  /** Its sink was told that it will never be whole: the last call that it gets. */
  boolean isCutShort;

  /** Whether the receiving application has put it off, and was not asked again. */
  boolean isPutOff;

  // What became of it. Written by the applications at both ends, read by the checkers.
  boolean isSubmitted;
  boolean isOpened;
  boolean isDelivered;
  boolean isAcknowledged;
  boolean isFailed;
  boolean isAnswered;
  boolean isAnswerDelivered;
  boolean isCancelled;
  long deadlineNs = Long.MAX_VALUE;
  boolean isEnded;
  int sourceSteps;
  boolean isSourceWaiting;
  boolean isReleased;

  PlannedTransaction(
      int index,
      int host,
      Kind kind,
      long notBeforeNs,
      int lengthBytes,
      int lengthBytesMax,
      int headerLength,
      int start,
      Verdict verdict,
      int code,
      String text) {
    this.index = index;
    this.host = host;
    this.kind = kind;
    this.notBeforeNs = notBeforeNs;
    this.lengthBytes = lengthBytes;
    this.lengthBytesMax = lengthBytesMax;
    this.headerLength = headerLength;
    this.start = start;
    this.verdict = verdict;
    this.code = code;
    this.text = text;
  }

  public boolean isPush() {
    return kind == Kind.PUSH;
  }

  /** Whether its application gave it up, or set a deadline that may have done so. */
  boolean mayBeGivenUp() {
    return isCancelled || deadlineNs != Long.MAX_VALUE;
  }

  /** What became of it so far. */
  String state() {
    return this
        + (isOpened ? ", opened" : "")
        + (isDelivered ? ", delivered" : "")
        + (isAcknowledged ? ", acknowledged" : "")
        + (isFailed ? ", failed" : "")
        + (isAnswered ? ", answered" : "")
        + (isAnswerDelivered ? ", answer delivered" : "")
        + (isCancelled ? ", cancelled" : "")
        + (isReleased ? ", source released" : "");
  }

  @Override
  public String toString() {
    return String.format(
        "%s #%d of host %d, %,d bytes, header %d, %s%s",
        kind, index, host, lengthBytes, headerLength, verdict, isEnded ? ", ended" : "");
  }
}
