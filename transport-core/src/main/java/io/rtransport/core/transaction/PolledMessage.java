package io.rtransport.core.transaction;

/**
 * The small push that was polled last, as an entry MESSAGE. It stands in no table. This class keeps
 * the application's answer until the application polls again. The first answer counts, be it an
 * acknowledgement or a failure.
 */
public final class PolledMessage {
  private static final int NOTHING = 0;
  private static final int ACKNOWLEDGED = 1;
  private static final int FAILED = 2;

  private boolean isCurrent;
  private int rsn;
  private int answer;
  private int code;
  private String text;
  private int flags;
  private long takenBytes;

  PolledMessage() {}

  /** Begins with the push of that RSN, which is about to be polled. */
  public void begin(int ofRsn) {
    isCurrent = true;
    rsn = ofRsn;
    answer = NOTHING;
    takenBytes = 0;
  }

  /** Ends it: the application has polled again, so later answers are not for this push. */
  void end() {
    isCurrent = false;
  }

  /** Returns whether it is the push of that RSN. */
  public boolean is(int ofRsn) {
    return isCurrent && rsn == ofRsn;
  }

  /** Returns its RSN. */
  public int rsn() {
    return rsn;
  }

  void acknowledge() {
    if (answer == NOTHING) {
      answer = ACKNOWLEDGED;
    }
  }

  boolean isAcknowledged() {
    return answer == ACKNOWLEDGED;
  }

  /** Notes that the application failed it. */
  public void fail(int ofCode, String ofText, int errorFlags) {
    if (answer == NOTHING) {
      answer = FAILED;
      code = ofCode;
      text = ofText;
      flags = errorFlags;
    }
  }

  boolean hasFailed() {
    return answer == FAILED;
  }

  int code() {
    return code;
  }

  String text() {
    return text;
  }

  /** Returns the flags of COMPLETE_IN_ERROR. */
  int flags() {
    return flags;
  }

  /** Notes that the application took {@code bytes} more of it. */
  public void taken(long bytes) {
    takenBytes += bytes;
  }

  /** Returns the bytes that the application has taken. */
  public long takenBytes() {
    return takenBytes;
  }
}
