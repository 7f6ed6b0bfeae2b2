package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * RESET: no connection at the sender has the CID of the packet that is answered. CID and cookie of
 * the clear header are 0.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    clear header (16 bytes)                    |
 *   +---------------------------------------------------------------+
 *   |                       CID of the trigger                      |
 *   +---------------------------------------------------------------+
 *   |                     cookie of the trigger                     |
 *   +---------------------------------------------------------------+
 *   |                           (8 bytes)                           |
 *   +---------------------------------------------------------------+
 *   |                             CRC32C                            |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class ResetFlyweight {
  public static final int TRIGGER_CID_OFFSET = 16;
  public static final int TRIGGER_CID_LENGTH = 4;

  public static final int TRIGGER_COOKIE_OFFSET = 20;
  public static final int TRIGGER_COOKIE_LENGTH = 8;

  /** Bytes of the whole packet, including the CRC. */
  public static final int PACKET_LENGTH = 32;

  private ByteBuffer buffer;
  private int offset;

  /**
   * Wraps the packet that begins at {@code index} of a big-endian buffer. Checks and copies
   * nothing.
   */
  public ResetFlyweight wrap(ByteBuffer view, int index) {
    buffer = view;
    offset = index;
    return this;
  }

  /** Returns the destination CID of the packet that this RESET answers. */
  public int triggerCid() {
    return buffer.getInt(offset + TRIGGER_CID_OFFSET);
  }

  public ResetFlyweight triggerCid(int value) {
    buffer.putInt(offset + TRIGGER_CID_OFFSET, value);
    return this;
  }

  /** Returns the cookie of the packet that this RESET answers. */
  public long triggerCookie() {
    return buffer.getLong(offset + TRIGGER_COOKIE_OFFSET);
  }

  public ResetFlyweight triggerCookie(long value) {
    buffer.putLong(offset + TRIGGER_COOKIE_OFFSET, value);
    return this;
  }
}
