package io.rtransport.core.wire;

/**
 * The record types of version 1. The table says, for each, in which windows it may stand, its flags and its shortest length; {@link
 * RecordValidator} holds every record against it.
 */
public final class RecordType {
  public static final int PAD = 0x00;
  public static final int PUSH_SOLICITED_REQUEST = 0x01;
  public static final int PULL_REQUEST = 0x02;
  public static final int RESYNC = 0x03;
  public static final int PUSH_GRANT = 0x10;
  public static final int PULL_GRANT = 0x11;
  public static final int PUSH_SOLICITED_DATA = 0x12;
  public static final int PUSH_UNSOLICITED_DATA = 0x13;
  public static final int PULL_DATA = 0x14;
  public static final int COMPLETED = 0x15;
  public static final int COMPLETE_IN_ERROR = 0x16;
  public static final int CANCEL = 0x17;
  public static final int FIN = 0x18;

  private static final int REQUEST = 1;
  private static final int DATA = 2;
  private static final int BOTH = REQUEST | DATA;
  private static final int TYPES = 0x19;

  private static final String[] NAMES = new String[TYPES];
  private static final int[] WINDOWS = new int[TYPES];
  private static final int[] FLAGS = new int[TYPES];
  private static final int[] LENGTHS_MIN = new int[TYPES];

  static {
    define(PAD, "PAD", BOTH, 0, RecordFlyweight.HEADER_LENGTH);
    define(
        PUSH_SOLICITED_REQUEST,
        "PUSH_SOLICITED_REQUEST",
        REQUEST,
        0,
        PushSolicitedRequestFlyweight.FIXED_LENGTH);
    define(PULL_REQUEST, "PULL_REQUEST", REQUEST, 0, PullRequestFlyweight.FIXED_LENGTH);
    define(RESYNC, "RESYNC", BOTH, ResyncFlyweight.FLAG_SSN, ResyncFlyweight.FIXED_LENGTH);
    define(PUSH_GRANT, "PUSH_GRANT", DATA, 0, PushGrantFlyweight.FIXED_LENGTH);
    define(PULL_GRANT, "PULL_GRANT", DATA, 0, PullGrantFlyweight.FIXED_LENGTH);
    define(
        PUSH_SOLICITED_DATA,
        "PUSH_SOLICITED_DATA",
        DATA,
        0,
        PushSolicitedDataFlyweight.FIXED_LENGTH);
    define(
        PUSH_UNSOLICITED_DATA,
        "PUSH_UNSOLICITED_DATA",
        DATA,
        PushUnsolicitedDataFlyweight.FLAGS_KNOWN,
        PushUnsolicitedDataFlyweight.FIXED_LENGTH);
    define(
        PULL_DATA,
        "PULL_DATA",
        DATA,
        PullDataFlyweight.FLAGS_KNOWN,
        PullDataFlyweight.FIXED_LENGTH);
    define(COMPLETED, "COMPLETED", DATA, 0, CompletedFlyweight.FIXED_LENGTH);
    define(
        COMPLETE_IN_ERROR,
        "COMPLETE_IN_ERROR",
        DATA,
        CompleteInErrorFlyweight.FLAGS_KNOWN,
        CompleteInErrorFlyweight.FIXED_LENGTH);
    define(CANCEL, "CANCEL", DATA, 0, CancelFlyweight.FIXED_LENGTH);
    define(FIN, "FIN", DATA, FinFlyweight.FLAG_CLOSING, FinFlyweight.FIXED_LENGTH);
  }

  private RecordType() {}

  private static void define(int type, String name, int windows, int flags, int lengthMin) {
    NAMES[type] = name;
    WINDOWS[type] = windows;
    FLAGS[type] = flags;
    LENGTHS_MIN[type] = lengthMin;
  }

  /** Whether version 1 has such a type. */
  public static boolean isKnown(int type) {
    return type >= 0 && type < TYPES && NAMES[type] != null;
  }

  /** Whether a record of the type may stand in a packet of the window. False of an unknown type. */
  public static boolean isAllowedIn(int type, WindowClass windowClass) {
    int window = windowClass == WindowClass.REQUEST ? REQUEST : DATA;
    return isKnown(type) && (WINDOWS[type] & window) != 0;
  }

  /** The flags that a known type may carry. */
  public static int flagsKnown(int type) {
    return FLAGS[type];
  }

  /** Bytes of the shortest record of a known type. */
  public static int lengthMin(int type) {
    return LENGTHS_MIN[type];
  }

  /** The name in docs/protocol.md, or {@code UNKNOWN(n)}. */
  public static String name(int type) {
    return isKnown(type) ? NAMES[type] : "UNKNOWN(" + type + ")";
  }
}
