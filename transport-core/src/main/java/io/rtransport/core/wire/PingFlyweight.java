package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * PING: asks whether the peer is there. The peer answers with a PONG with the same id and path. A
 * PING may be padded with zeros. A RESET must be smaller than the packet it answers. So a peer that
 * forgot the connection cannot answer an unpadded PING.
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
 *   |                    zero padding, any length                   |
 *   +---------------------------------------------------------------+
 *   |                             CRC32C                            |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class PingFlyweight {
  public static final int ID_OFFSET = 16;
  public static final int ID_LENGTH = 4;

  public static final int PATH_ID_WORD_OFFSET = 20;
  public static final int PATH_ID_WORD_LENGTH = 4;

  /** Bytes of the shortest packet, including the CRC. */
  public static final int PACKET_LENGTH = 28;

  private ByteBuffer buffer;
  private int offset;

  /**
   * Wraps the packet that begins at {@code index} of a big-endian buffer. Checks and copies
   * nothing.
   */
  public PingFlyweight wrap(ByteBuffer view, int index) {
    buffer = view;
    offset = index;
    return this;
  }

  public int id() {
    return buffer.getInt(offset + ID_OFFSET);
  }

  public PingFlyweight id(int value) {
    buffer.putInt(offset + ID_OFFSET, value);
    return this;
  }

  /** Returns the path id in the highest byte, then three reserved bytes. */
  public int pathIdWord() {
    return buffer.getInt(offset + PATH_ID_WORD_OFFSET);
  }

  public PingFlyweight pathIdWord(int value) {
    buffer.putInt(offset + PATH_ID_WORD_OFFSET, value);
    return this;
  }

  public int pathId() {
    return pathIdWord() >>> 24;
  }

  /** Writes the path id and three zero bytes after it. */
  public PingFlyweight pathId(int value) {
    return pathIdWord(value << 24);
  }
}
