package io.rtransport.core.transaction;

/**
 * The small push that was polled last, as an entry MESSAGE, and stands in no table: keeps what the
 * application answers until it polls again. Of an acknowledgement and a failure the first stands.
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

  /** The push of that RSN is about to be polled. */
  public void begin(int ofRsn) {
    isCurrent = true;
    rsn = ofRsn;
    answer = NOTHING;
    takenBytes = 0;
  }

  /** The application has polled again: answers from now on are not for here. */
  void end() {
    isCurrent = false;
  }

  /** Whether it is the one of that RSN. */
  public boolean is(int ofRsn) {
    return isCurrent && rsn == ofRsn;
  }

  /** Its RSN. */
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

  /** The application failed it. */
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

  /** Of COMPLETE_IN_ERROR. */
  int flags() {
    return flags;
  }

  /** The application took so many of its bytes. */
  public void taken(long bytes) {
    takenBytes += bytes;
  }

  /** Bytes that the application has taken. */
  public long takenBytes() {
    return takenBytes;
  }
}
