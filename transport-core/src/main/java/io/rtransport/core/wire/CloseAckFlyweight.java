package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * CLOSE_ACK: the answer to CLOSE.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    clear header (16 bytes)                    |
 *   +---------------------------------------------------------------+
 *   |     flags     |                       0                       |
 *   +---------------------------------------------------------------+
 *   |                             CRC32C                            |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class CloseAckFlyweight {
  public static final int FLAGS_WORD_OFFSET = 16;
  public static final int FLAGS_WORD_LENGTH = 4;

  /** Bytes of the whole packet, including the CRC. */
  public static final int PACKET_LENGTH = 24;

  /** Some work of the sender had not ended when the CLOSE arrived. */
  public static final int FLAG_ABORTED = 1;

  /** All flags that version 1 knows. */
  public static final int FLAGS_KNOWN = 1;

  private ByteBuffer buffer;
  private int offset;

  /**
   * Wraps the packet that begins at {@code index} of a big-endian buffer. Checks and copies
   * nothing.
   */
  public CloseAckFlyweight wrap(ByteBuffer view, int index) {
    buffer = view;
    offset = index;
    return this;
  }

  /** Returns the flags in the highest byte, then three reserved bytes. */
  public int flagsWord() {
    return buffer.getInt(offset + FLAGS_WORD_OFFSET);
  }

  public CloseAckFlyweight flagsWord(int value) {
    buffer.putInt(offset + FLAGS_WORD_OFFSET, value);
    return this;
  }

  public int flags() {
    return flagsWord() >>> 24;
  }

  /** Writes the flags and three zero bytes after them. */
  public CloseAckFlyweight flags(int value) {
    return flagsWord(value << 24);
  }
}
