package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * PONG: the answer to PING, with the sender's credit limit.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    clear header (16 bytes)                    |
 *   +---------------------------------------------------------------+
 *   |                               id                              |
 *   +---------------------------------------------------------------+
 *   |    path id    |                       0                       |
 *   +---------------------------------------------------------------+
 *   |                          credit limit                         |
 *   +---------------------------------------------------------------+
 *   |                           (8 bytes)                           |
 *   +---------------------------------------------------------------+
 *   |                             CRC32C                            |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class PongFlyweight {
  public static final int ID_OFFSET = 16;
  public static final int ID_LENGTH = 4;

  public static final int PATH_ID_WORD_OFFSET = 20;
  public static final int PATH_ID_WORD_LENGTH = 4;

  public static final int CREDIT_LIMIT_OFFSET = 24;
  public static final int CREDIT_LIMIT_LENGTH = 8;

  /** Bytes of the whole packet, including the CRC. */
  public static final int PACKET_LENGTH = 36;

  private ByteBuffer buffer;
  private int offset;

  /**
   * Wraps the packet that begins at {@code index} of a big-endian buffer. Checks and copies
   * nothing.
   */
  public PongFlyweight wrap(ByteBuffer view, int index) {
    buffer = view;
    offset = index;
    return this;
  }

  public int id() {
    return buffer.getInt(offset + ID_OFFSET);
  }

  public PongFlyweight id(int value) {
    buffer.putInt(offset + ID_OFFSET, value);
    return this;
  }

  /** Returns the path id in the highest byte, then three reserved bytes. */
  public int pathIdWord() {
    return buffer.getInt(offset + PATH_ID_WORD_OFFSET);
  }

  public PongFlyweight pathIdWord(int value) {
    buffer.putInt(offset + PATH_ID_WORD_OFFSET, value);
    return this;
  }

  /** Returns the cumulative unsolicited-credit limit in bytes. */
  public long creditLimit() {
    return buffer.getLong(offset + CREDIT_LIMIT_OFFSET);
  }

  public PongFlyweight creditLimit(long value) {
    buffer.putLong(offset + CREDIT_LIMIT_OFFSET, value);
    return this;
  }

  public int pathId() {
    return pathIdWord() >>> 24;
  }

  /** Writes the path id and three zero bytes after it. */
  public PongFlyweight pathId(int value) {
    return pathIdWord(value << 24);
  }
}
