package io.rtransport.core.transaction;

/**
 * The small push that is with the application right now and stands in no table: takes what the
 * application says of it until the next thing is asked for. Of an acknowledgement and a failure the
 * first stands.
 */
public final class PassingPush {
  private static final int NOTHING = 0;
  private static final int ACKNOWLEDGED = 1;
  private static final int FAILED = 2;

  private boolean isPassing;
  private int rsn;
  private int answer;
  private int code;
  private String text;
  private int flags;
  private long takenBytes;

  PassingPush() {}

  /** It is about to be given to the application. */
  public void begin(int ofRsn) {
    isPassing = true;
    rsn = ofRsn;
    answer = NOTHING;
    takenBytes = 0;
  }

  /** The next thing is asked for: what is said of it from now on is not for here. */
  void end() {
    isPassing = false;
  }

  /** Whether it is the one of that RSN. */
  public boolean is(int ofRsn) {
    return isPassing && rsn == ofRsn;
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
