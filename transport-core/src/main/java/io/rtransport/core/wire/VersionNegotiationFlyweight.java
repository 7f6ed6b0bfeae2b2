package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * VERSION_NEGOTIATION: the versions that a target supports. It answers a CONNECT of another
 * version.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    clear header (16 bytes)                    |
 *   +---------------------------------------------------------------+
 *   |                             nonce                             |
 *   +---------------------------------------------------------------+
 *   |                           (8 bytes)                           |
 *   +---------------------------------------------------------------+
 *   |     count     |                       0                       |
 *   +---------------------------------------------------------------+
 *   |                    versions, one byte each                    |
 *   +---------------------------------------------------------------+
 *   |                             CRC32C                            |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class VersionNegotiationFlyweight {
  public static final int NONCE_OFFSET = 16;
  public static final int NONCE_LENGTH = 8;

  public static final int COUNT_WORD_OFFSET = 24;
  public static final int COUNT_WORD_LENGTH = 4;

  /** Bytes before the versions. */
  public static final int FIXED_LENGTH = 28;

  private ByteBuffer buffer;
  private int offset;

  /**
   * Wraps the packet that begins at {@code index} of a big-endian buffer. Checks and copies
   * nothing.
   */
  public VersionNegotiationFlyweight wrap(ByteBuffer view, int index) {
    buffer = view;
    offset = index;
    return this;
  }

  /** Returns the nonce of the CONNECT that this packet answers. */
  public long nonce() {
    return buffer.getLong(offset + NONCE_OFFSET);
  }

  public VersionNegotiationFlyweight nonce(long value) {
    buffer.putLong(offset + NONCE_OFFSET, value);
    return this;
  }

  /** Returns the count in the highest byte, then three reserved bytes. */
  public int countWord() {
    return buffer.getInt(offset + COUNT_WORD_OFFSET);
  }

  public VersionNegotiationFlyweight countWord(int value) {
    buffer.putInt(offset + COUNT_WORD_OFFSET, value);
    return this;
  }

  /** Returns the number of versions listed. */
  public int count() {
    return countWord() >>> 24;
  }

  /** Writes the count and three zero bytes after it. */
  public VersionNegotiationFlyweight count(int value) {
    return countWord(value << 24);
  }

  public int versionAt(int i) {
    return buffer.get(offset + FIXED_LENGTH + i) & 0xFF;
  }

  public VersionNegotiationFlyweight versionAt(int i, int value) {
    buffer.put(offset + FIXED_LENGTH + i, (byte) value);
    return this;
  }
}
