package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * PATH_CHALLENGE has eight random bytes; PATH_RESPONSE echoes them. Between sides that know rails a
 * challenge has 32 to 64 bytes, and the response says the id of the responder's own path over the
 * same pair of addresses.
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
 *   |  [path id]    |    [flags]    |             [0]               |
 *   +---------------------------------------------------------------+
 *   |                             CRC32C                            |
 *   +---------------------------------------------------------------+
 * </pre>
 *
 * <p>The fields in brackets are in a PATH_RESPONSE of 32 bytes. A longer PATH_CHALLENGE has zeros
 * there.
 */
public final class PathDataFlyweight {
  /** The path id is valid. */
  public static final int FLAG_PATH_ID = 1;

  /** All flags of version 1. */
  public static final int FLAGS_KNOWN = FLAG_PATH_ID;

  public static final int DATA_OFFSET = 16;
  public static final int DATA_LENGTH = 8;

  public static final int PATH_ID_OFFSET = 24;
  public static final int PATH_ID_LENGTH = 1;

  public static final int FLAGS_OFFSET = 25;
  public static final int FLAGS_LENGTH = 1;

  public static final int RESERVED_OFFSET = 26;
  public static final int RESERVED_LENGTH = 2;

  /** Bytes of the shortest packet, including the CRC: without path id. */
  public static final int PACKET_LENGTH = 28;

  /** Bytes of a PATH_RESPONSE with path id. */
  public static final int RESPONSE_LENGTH_MAX = 32;

  /** Bytes of the longest PATH_CHALLENGE. */
  public static final int CHALLENGE_LENGTH_MAX = 64;

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

  /**
   * Returns the id in a PATH_RESPONSE of {@code length} bytes: of the responder's own path over the
   * pair. −1: the response says none.
   */
  public int pathIdOrNone(int length) {
    boolean isSaid =
        length == RESPONSE_LENGTH_MAX && (buffer.get(offset + FLAGS_OFFSET) & FLAG_PATH_ID) != 0;
    return isSaid ? buffer.get(offset + PATH_ID_OFFSET) & 0xFF : -1;
  }

  /** Writes path id and flags; −1: no path id. */
  public PathDataFlyweight pathId(int id) {
    buffer.put(offset + PATH_ID_OFFSET, (byte) Math.max(id, 0));
    buffer.put(offset + FLAGS_OFFSET, (byte) (id < 0 ? 0 : FLAG_PATH_ID));
    buffer.putShort(offset + RESERVED_OFFSET, (short) 0);
    return this;
  }
}
