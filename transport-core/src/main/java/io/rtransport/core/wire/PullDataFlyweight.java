package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * PULL_DATA: bytes of the answer to a PULL_REQUEST. Call {@link #flags(int)} before the other
 * setters, because their places depend on the flags. {@link #offset(long)} and {@link #total(long)}
 * are valid only without {@link #FLAG_WHOLE}.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |      type     |     flags     |             length            |
 *   +---------------------------------------------------------------+
 *   |                              RSN                              |
 *   +---------------------------------------------------------------+
 *   |               offset (absent with flag 1, WHOLE)              |
 *   +---------------------------------------------------------------+
 *   |               total (absent with flag 1, WHOLE)               |
 *   +---------------------------------------------------------------+
 *   |                          payload ...                          |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class PullDataFlyweight extends RecordFlyweight {
  public static final int RSN_OFFSET = 4;
  public static final int RSN_LENGTH = 4;

  public static final int OFFSET_OFFSET = 8;
  public static final int OFFSET_LENGTH = 4;

  public static final int TOTAL_OFFSET = 12;
  public static final int TOTAL_LENGTH = 4;

  /** Bytes of the shortest record. */
  public static final int FIXED_LENGTH = 8;

  /** The record holds the whole answer. */
  public static final int FLAG_WHOLE = 1;

  /** All flags that version 1 knows. */
  public static final int FLAGS_KNOWN = 1;

  @Override
  public PullDataFlyweight wrap(ByteBuffer view, int index) {
    super.wrap(view, index);
    return this;
  }

  /**
   * Begins a record at {@code index}: writes its type, its flags, and its length without payload.
   */
  public PullDataFlyweight wrapNew(ByteBuffer view, int index, int flags) {
    wrap(view, index);
    type(RecordType.PULL_DATA).flags(flags).length(fixedLength(flags));
    return this;
  }

  /** Returns the bytes before the payload in a record with these flags. */
  public static int fixedLength(int flags) {
    return FIXED_LENGTH + ((flags & FLAG_WHOLE) != 0 ? 0 : OFFSET_LENGTH + TOTAL_LENGTH);
  }

  public boolean isWhole() {
    return (flags() & FLAG_WHOLE) != 0;
  }

  public int rsn() {
    return buffer.getInt(offset + RSN_OFFSET);
  }

  public PullDataFlyweight rsn(int value) {
    buffer.putInt(offset + RSN_OFFSET, value);
    return this;
  }

  /** Returns the position of the payload in the answer, in bytes. */
  public long offset() {
    return isWhole() ? 0 : buffer.getInt(offset + OFFSET_OFFSET) & 0xFFFF_FFFFL;
  }

  public PullDataFlyweight offset(long value) {
    buffer.putInt(offset + OFFSET_OFFSET, (int) value);
    return this;
  }

  /** Returns the bytes of the whole answer. */
  public long total() {
    return isWhole() ? payloadLength() : buffer.getInt(offset + TOTAL_OFFSET) & 0xFFFF_FFFFL;
  }

  public PullDataFlyweight total(long value) {
    buffer.putInt(offset + TOTAL_OFFSET, (int) value);
    return this;
  }

  /** Returns the absolute index of the payload. */
  public int payloadOffset() {
    return offset + fixedLength(flags());
  }

  /** Returns the bytes of payload, computed from the record's length. */
  public int payloadLength() {
    return length() - fixedLength(flags());
  }

  /** Sets the record's length for {@code value} bytes of payload. */
  public PullDataFlyweight payloadLength(int value) {
    length(fixedLength(flags()) + value);
    return this;
  }
}
