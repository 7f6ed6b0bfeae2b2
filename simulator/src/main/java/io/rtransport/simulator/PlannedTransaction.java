package io.rtransport.simulator;

/**
 * One transaction of a world's workload: the request, and how the applications at both ends treat
 * it. Drawn by {@link Workload}.
 */
public final class PlannedTransaction {
  /** Kind of request to the connection. */
  enum Kind {
    PUSH,
    PULL
  }

  /** Decision of the target's application about its end. */
  enum Verdict {
    /** The application takes the message, or answers the pull. */
    ACCEPT,
    /**
     * The application takes the message and answers with an error; a pull is answered with an
     * error.
     */
    FAIL,
    /** The application refuses as soon as it hears of the message. A push only. */
    REFUSE
  }

  /** Position in the initiator's order of submission, from 0: RSN minus the first RSN. */
  public final int index;

  final int host;
  final Kind kind;
  final long notBeforeNs;

  /** Bytes of the message, or of the pull's answer. */
  public final int lengthBytes;

  /** Most bytes that a pull asks for. */
  public final int lengthBytesMax;

  public final int headerLength;
  final int start;
  final Verdict verdict;
  final int code;
  final String text;

  /** Push: whether its own application says that it does not wait for the end. */
  boolean isUnawaited;

  /** Whether its application wants to hear when the peer's transport has it. */
  boolean isReceiptWanted;

  boolean isReceived;

  /** Time until the target's application gives its verdict, ns; 0 = at once, inside the call. */
  long verdictDelayNs;

  /** Number of LATER answers of the receiving application before it opens. */
  int laterCount;

  long laterNs;

  /**
   * Share of a write's bytes that the receiving application takes at once, 0..1. It takes the rest
   * after {@link #takeDelayNs}.
   */
  double takenShare = 1;

  long takeDelayNs;

  /**
   * Bytes after which the receiving application's sink fails; −1 = never. At 0 the sink of an
   * answer refuses it at once.
   */
  int breaksAtBytes = -1;

  /** Whether the receiving application keeps the message in memory until it is whole. */
  boolean isKeptWhole;

  /**
   * Bytes that the source has from the start. More come in steps of this size, {@link
   * #sourceDelayNs} apart.
   */
  int sourceStepBytes = Integer.MAX_VALUE;

  long sourceDelayNs;

  /**
   * Time from its submission until its own application gives it up, ns; 0 = in the same turn, −1 =
   * never.
   */
  long cancelDelayNs = -1;

  /** Time from its submission to its deadline, ns; −1 = no deadline. */
  long deadlineDelayNs = -1;

  /** Whether the receiving application's sink has failed. */
  boolean isBroken;

  /** Whether its sink was told that it will never be whole, which is the sink's last call. */
  boolean isCutShort;

  /** Whether the receiving application has put it off, and was not asked again. */
  boolean isPutOff;

  // Results. The applications at both ends write them; the checkers read them.
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

  /** Returns the time from its submission to its deadline, ns; −1 = no deadline. */
  public long deadlineDelayNs() {
    return deadlineDelayNs;
  }

  /** Returns whether its application gave it up, or set a deadline that may have done so. */
  boolean mayBeGivenUp() {
    return isCancelled || deadlineNs != Long.MAX_VALUE;
  }

  /** Describes its state. */
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
