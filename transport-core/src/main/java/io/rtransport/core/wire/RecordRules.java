package io.rtransport.core.wire;

/**
 * Rules for each record type of version 1: the windows that may carry it, its flags and its minimum
 * length. {@link RecordValidator} checks every record against them.
 */
final class RecordRules {
  private static final int REQUEST = 1;
  private static final int DATA = 2;
  private static final int BOTH = REQUEST | DATA;
  private static final int TYPES = RecordType.REMOVE_NI + 1;

  private static final int[] WINDOWS = new int[TYPES];
  private static final int[] FLAGS = new int[TYPES];
  private static final int[] LENGTHS_MIN = new int[TYPES];

  static {
    define(RecordType.PAD, BOTH, 0, RecordFlyweight.HEADER_LENGTH);
    define(
        RecordType.PUSH_SOLICITED_REQUEST, REQUEST, 0, PushSolicitedRequestFlyweight.FIXED_LENGTH);
    define(RecordType.PULL_REQUEST, REQUEST, 0, PullRequestFlyweight.FIXED_LENGTH);
    define(RecordType.RESYNC, BOTH, ResyncFlyweight.FLAG_SSN, ResyncFlyweight.FIXED_LENGTH);
    define(RecordType.PUSH_GRANT, DATA, 0, PushGrantFlyweight.FIXED_LENGTH);
    define(RecordType.PULL_GRANT, DATA, 0, PullGrantFlyweight.FIXED_LENGTH);
    define(RecordType.PUSH_SOLICITED_DATA, DATA, 0, PushSolicitedDataFlyweight.FIXED_LENGTH);
    define(
        RecordType.PUSH_UNSOLICITED_DATA,
        DATA,
        PushUnsolicitedDataFlyweight.FLAGS_KNOWN,
        PushUnsolicitedDataFlyweight.FIXED_LENGTH);
    define(
        RecordType.PULL_DATA, DATA, PullDataFlyweight.FLAGS_KNOWN, PullDataFlyweight.FIXED_LENGTH);
    define(RecordType.COMPLETED, DATA, 0, CompletedFlyweight.FIXED_LENGTH);
    define(
        RecordType.COMPLETE_IN_ERROR,
        DATA,
        CompleteInErrorFlyweight.FLAGS_KNOWN,
        CompleteInErrorFlyweight.FIXED_LENGTH);
    define(RecordType.CANCEL, DATA, 0, CancelFlyweight.FIXED_LENGTH);
    define(RecordType.FIN, DATA, FinFlyweight.FLAG_CLOSING, FinFlyweight.FIXED_LENGTH);
    define(RecordType.ADD_NI, DATA, 0, NiFlyweight.FIXED_LENGTH + 1);
    define(RecordType.REMOVE_NI, DATA, 0, NiFlyweight.FIXED_LENGTH + 1);
  }

  private RecordRules() {}

  private static void define(int type, int windows, int flags, int lengthMin) {
    WINDOWS[type] = windows;
    FLAGS[type] = flags;
    LENGTHS_MIN[type] = lengthMin;
  }

  /**
   * Returns whether a record of the type may be in a packet of the window; false for an unknown
   * type.
   */
  static boolean isAllowedIn(int type, WindowClass windowClass) {
    int window = windowClass == WindowClass.REQUEST ? REQUEST : DATA;
    return RecordType.isKnown(type) && (WINDOWS[type] & window) != 0;
  }

  /** Returns the flags that a known type may carry. */
  static int flagsKnown(int type) {
    return FLAGS[type];
  }

  /** Returns the bytes of the shortest record of a known type. */
  static int lengthMin(int type) {
    return LENGTHS_MIN[type];
  }
}
