package io.rtransport.core.wire;

/**
 * The numbers and names of the record types of version 1. {@link RecordRules} has the rules for
 * each type.
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
  public static final int ADD_NI = 0x19;
  public static final int REMOVE_NI = 0x1A;

  private static final String[] NAMES = new String[REMOVE_NI + 1];

  static {
    NAMES[PAD] = "PAD";
    NAMES[PUSH_SOLICITED_REQUEST] = "PUSH_SOLICITED_REQUEST";
    NAMES[PULL_REQUEST] = "PULL_REQUEST";
    NAMES[RESYNC] = "RESYNC";
    NAMES[PUSH_GRANT] = "PUSH_GRANT";
    NAMES[PULL_GRANT] = "PULL_GRANT";
    NAMES[PUSH_SOLICITED_DATA] = "PUSH_SOLICITED_DATA";
    NAMES[PUSH_UNSOLICITED_DATA] = "PUSH_UNSOLICITED_DATA";
    NAMES[PULL_DATA] = "PULL_DATA";
    NAMES[COMPLETED] = "COMPLETED";
    NAMES[COMPLETE_IN_ERROR] = "COMPLETE_IN_ERROR";
    NAMES[CANCEL] = "CANCEL";
    NAMES[FIN] = "FIN";
    NAMES[ADD_NI] = "ADD_NI";
    NAMES[REMOVE_NI] = "REMOVE_NI";
  }

  private RecordType() {}

  /** Returns whether version 1 has this type. */
  public static boolean isKnown(int type) {
    return type >= 0 && type < NAMES.length && NAMES[type] != null;
  }

  /** Returns the name as in docs/reference/protocol.md, or {@code UNKNOWN(n)}. */
  public static String name(int type) {
    return isKnown(type) ? NAMES[type] : "UNKNOWN(" + type + ")";
  }
}
