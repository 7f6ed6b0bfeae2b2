package io.rtransport.core.wire;

import io.rtransport.core.outcome.CloseCode;
import java.nio.ByteBuffer;

/**
 * REJECT: the target refuses the connection and gives the reason.
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
 *   |                              code                             |
 *   +---------------------------------------------------------------+
 *   |                     text, up to 256 bytes                     |
 *   +---------------------------------------------------------------+
 *   |                             CRC32C                            |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class RejectFlyweight {
  public static final int NONCE_OFFSET = 16;
  public static final int NONCE_LENGTH = 8;

  public static final int CODE_OFFSET = 24;
  public static final int CODE_LENGTH = 4;

  /** Bytes before the text. */
  public static final int FIXED_LENGTH = 28;

  private ByteBuffer buffer;
  private int offset;

  /**
   * Wraps the packet that begins at {@code index} of a big-endian buffer. Checks and copies
   * nothing.
   */
  public RejectFlyweight wrap(ByteBuffer view, int index) {
    buffer = view;
    offset = index;
    return this;
  }

  /** Returns the nonce of the CONNECT that this packet answers. */
  public long nonce() {
    return buffer.getLong(offset + NONCE_OFFSET);
  }

  public RejectFlyweight nonce(long value) {
    buffer.putLong(offset + NONCE_OFFSET, value);
    return this;
  }

  /** Returns the close reason: {@link CloseCode}. */
  public int code() {
    return buffer.getInt(offset + CODE_OFFSET);
  }

  public RejectFlyweight code(int value) {
    buffer.putInt(offset + CODE_OFFSET, value);
    return this;
  }

  /** Returns the absolute index of the text, which is UTF-8: {@link WireText}. */
  public int textOffset() {
    return offset + FIXED_LENGTH;
  }

  /** Returns the bytes of the text in a packet of {@code packetLength} bytes. */
  public int textLength(int packetLength) {
    return packetLength - FIXED_LENGTH - Integrity.TRAILER_LENGTH;
  }
}
