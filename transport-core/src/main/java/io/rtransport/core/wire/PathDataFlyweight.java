package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * PATH_CHALLENGE has eight random bytes; PATH_RESPONSE echoes them.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    clear header (16 bytes)                    |
 *   +---------------------------------------------------------------+
 *   |                              data                             |
 *   +---------------------------------------------------------------+
 *   |                           (8 bytes)                           |
 *   +---------------------------------------------------------------+
 *   |                             CRC32C                            |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class PathDataFlyweight {
  public static final int DATA_OFFSET = 16;
  public static final int DATA_LENGTH = 8;

  /** Bytes of the whole packet, including the CRC. */
  public static final int PACKET_LENGTH = 28;

  private ByteBuffer buffer;
  private int offset;

  /**
   * Wraps the packet that begins at {@code index} of a big-endian buffer. Checks and copies
   * nothing.
   */
  public PathDataFlyweight wrap(ByteBuffer view, int index) {
    buffer = view;
    offset = index;
    return this;
  }

  public long data() {
    return buffer.getLong(offset + DATA_OFFSET);
  }

  public PathDataFlyweight data(long value) {
    buffer.putLong(offset + DATA_OFFSET, value);
    return this;
  }
}
