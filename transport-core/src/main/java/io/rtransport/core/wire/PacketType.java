package io.rtransport.core.wire;

import io.rtransport.core.burst.PacketBurst;

/**
 * The packet types of version 1, as in the clear header. REQUEST and DATA are numbered: they belong
 * to a window, are acknowledged and are resent. Packets of the other types are independent.
 */
public final class PacketType {
  public static final int REQUEST = 1;
  public static final int DATA = 2;
  public static final int CONNECT = 3;
  public static final int RETRY = 4;
  public static final int ACCEPT = 5;
  public static final int REJECT = 6;
  public static final int ACK = 7;
  public static final int PING = 8;
  public static final int PONG = 9;
  public static final int PATH_CHALLENGE = 10;
  public static final int PATH_RESPONSE = 11;
  public static final int CLOSE = 12;
  public static final int CLOSE_ACK = 13;
  public static final int RESET = 14;
  public static final int VERSION_NEGOTIATION = 15;

  private static final String[] NAMES = {
    null,
    "REQUEST",
    "DATA",
    "CONNECT",
    "RETRY",
    "ACCEPT",
    "REJECT",
    "ACK",
    "PING",
    "PONG",
    "PATH_CHALLENGE",
    "PATH_RESPONSE",
    "CLOSE",
    "CLOSE_ACK",
    "RESET",
    "VERSION_NEGOTIATION"
  };

  private PacketType() {}

  /** Returns whether version 1 has this type. */
  public static boolean isKnown(int type) {
    return type >= REQUEST && type <= VERSION_NEGOTIATION;
  }

  /** Returns whether packets of the type carry a packet number of a window. */
  public static boolean isNumbered(int type) {
    return type == REQUEST || type == DATA;
  }

  /** Returns the window of a numbered type; null for other types. */
  public static WindowClass windowClass(int type) {
    return type == REQUEST ? WindowClass.REQUEST : type == DATA ? WindowClass.DATA : null;
  }

  /** Returns the numbered type of a window. */
  public static int of(WindowClass windowClass) {
    return windowClass == WindowClass.REQUEST ? REQUEST : DATA;
  }

  /**
   * Returns the type of packet {@code i} of a burst. {@link PacketDoor} has read it. A burst that
   * did not pass the door has it in its bytes only.
   */
  public static int of(PacketBurst burst, int i) {
    int read = burst.type(i);
    return read != PacketBurst.NO_TYPE
        ? read
        : ClearHeaderFlyweight.peekType(burst.buffer(i), burst.offset(i));
  }

  /** Returns the name as in docs/reference/protocol.md, or {@code UNKNOWN(n)}. */
  public static String name(int type) {
    return isKnown(type) ? NAMES[type] : "UNKNOWN(" + type + ")";
  }
}
