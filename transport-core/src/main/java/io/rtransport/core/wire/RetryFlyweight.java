package io.rtransport.core.wire;

import io.rtransport.core.stats.Limits;
import java.nio.ByteBuffer;

/**
 * RETRY: asks the initiator to connect again with this token. The token proves that the initiator
 * receives at its source address.
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
 *   |          token length         |               0               |
 *   +---------------------------------------------------------------+
 *   |                     token, up to 64 bytes                     |
 *   +---------------------------------------------------------------+
 *   |                             CRC32C                            |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class RetryFlyweight {
  public static final int NONCE_OFFSET = 16;
  public static final int NONCE_LENGTH = 8;

  public static final int TOKEN_LENGTH_OFFSET = 24;
  public static final int TOKEN_LENGTH_LENGTH = 2;

  public static final int RESERVED_OFFSET = 26;
  public static final int RESERVED_LENGTH = 2;

  /** Bytes before the token. */
  public static final int FIXED_LENGTH = 28;

  public static final int TOKEN_LENGTH_MAX = Limits.TOKEN_LENGTH_MAX;

  private ByteBuffer buffer;
  private int offset;

  /**
   * Wraps the packet that begins at {@code index} of a big-endian buffer. Checks and copies
   * nothing.
   */
  public RetryFlyweight wrap(ByteBuffer view, int index) {
    buffer = view;
    offset = index;
    return this;
  }

  /** Returns the nonce of the CONNECT that this packet answers. */
  public long nonce() {
    return buffer.getLong(offset + NONCE_OFFSET);
  }

  public RetryFlyweight nonce(long value) {
    buffer.putLong(offset + NONCE_OFFSET, value);
    return this;
  }

  /** Returns the bytes of the token, 1..64. */
  public int tokenLength() {
    return buffer.getShort(offset + TOKEN_LENGTH_OFFSET) & 0xFFFF;
  }

  public RetryFlyweight tokenLength(int value) {
    buffer.putShort(offset + TOKEN_LENGTH_OFFSET, (short) value);
    return this;
  }

  public int reserved() {
    return buffer.getShort(offset + RESERVED_OFFSET) & 0xFFFF;
  }

  public RetryFlyweight reserved(int value) {
    buffer.putShort(offset + RESERVED_OFFSET, (short) value);
    return this;
  }

  /** Returns the absolute index of the token. */
  public int tokenOffset() {
    return offset + FIXED_LENGTH;
  }
}
