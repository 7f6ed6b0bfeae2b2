package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * The first four bytes of every record. Records follow each other without gaps and without
 * alignment.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |      type     |     flags     |             length            |
 *   +---------------------------------------------------------------+
 *   |                        as the type says                       |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public class RecordFlyweight {
  public static final int TYPE_OFFSET = 0;
  public static final int TYPE_LENGTH = 1;

  public static final int FLAGS_OFFSET = 1;
  public static final int FLAGS_LENGTH = 1;

  public static final int LENGTH_OFFSET = 2;
  public static final int LENGTH_LENGTH = 2;

  /** Bytes of the record header. */
  public static final int HEADER_LENGTH = 4;

  /** Buffer that holds the record; big-endian. */
  protected ByteBuffer buffer;

  /** Absolute index of the record's first byte. */
  protected int offset;

  /**
   * Wraps the record that begins at {@code index} of a big-endian buffer. Checks and copies
   * nothing.
   */
  public RecordFlyweight wrap(ByteBuffer view, int index) {
    if (buffer != view) { // a reference store is expensive, and the buffer is mostly the same
      buffer = view;
    }
    offset = index;
    return this;
  }

  /** Returns the record's type: {@link RecordType}. */
  public int type() {
    return buffer.get(offset + TYPE_OFFSET) & 0xFF;
  }

  public RecordFlyweight type(int value) {
    buffer.put(offset + TYPE_OFFSET, (byte) value);
    return this;
  }

  public int flags() {
    return buffer.get(offset + FLAGS_OFFSET) & 0xFF;
  }

  public RecordFlyweight flags(int value) {
    buffer.put(offset + FLAGS_OFFSET, (byte) value);
    return this;
  }

  /** Returns the bytes of the whole record, including these four. */
  public int length() {
    return buffer.getShort(offset + LENGTH_OFFSET) & 0xFFFF;
  }

  public RecordFlyweight length(int value) {
    buffer.putShort(offset + LENGTH_OFFSET, (short) value);
    return this;
  }
}
