package io.rtransport.core.node;

/**
 * Codes with which nodes, not applications, answer a message. On the wire they are the last ones of
 * 31 bits, because a push that is refused before its bytes come has no more.
 */
public enum NodeCode {
  /**
   * The target does not execute this copy. It cannot say whether it has executed another one: the
   * id is neither new nor known, or it has forgotten the origin.
   */
  UNKNOWN(-1),
  /** The target's application threw over it. */
  THREW(-2),
  /** A router has no way on, or the destination is another incarnation: surely not executed. */
  NO_ROUTE(-3),
  /** A router lost the next hop: it may have been executed, and may be sent again. */
  LOST(-4),
  /** The target has no room now, and too many messages wait for it: this copy was not executed. */
  NO_ROOM(-5);

  /** The largest code of an application. */
  public static final int APPLICATION_CODE_MAX = 0x7FFF_FEFF;

  private final int value;

  NodeCode(int value) {
    this.value = value;
  }

  /** Returns the code for an answer. */
  public int value() {
    return value;
  }

  /**
   * Returns what a code of an answer says, whatever its upper bit; null: it is an application's.
   */
  public static NodeCode of(int code) {
    for (NodeCode each : values()) {
      if ((each.value & Integer.MAX_VALUE) == (code & Integer.MAX_VALUE)) {
        return each;
      }
    }
    return null;
  }
}
