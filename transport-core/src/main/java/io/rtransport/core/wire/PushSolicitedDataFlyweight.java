package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * PUSH_SOLICITED_DATA: bytes of a granted range.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |      type     |     flags     |             length            |
 *   +---------------------------------------------------------------+
 *   |                              RSN                              |
 *   +---------------------------------------------------------------+
 *   |                             offset                            |
 *   +---------------------------------------------------------------+
 *   |                          payload ...                          |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class PushSolicitedDataFlyweight extends RecordFlyweight {
  public static final int RSN_OFFSET = 4;
  public static final int RSN_LENGTH = 4;

  public static final int OFFSET_OFFSET = 8;
  public static final int OFFSET_LENGTH = 4;

  /** Bytes before the part of variable length. */
  public static final int FIXED_LENGTH = 12;

  @Override
  public PushSolicitedDataFlyweight wrap(ByteBuffer view, int index) {
    super.wrap(view, index);
    return this;
  }

  /** Begins a record at {@code index}: writes its type, no flags and its smallest length. */
  public PushSolicitedDataFlyweight wrapNew(ByteBuffer view, int index) {
    wrap(view, index);
    type(RecordType.PUSH_SOLICITED_DATA).flags(0).length(FIXED_LENGTH);
    return this;
  }

  public int rsn() {
    return buffer.getInt(offset + RSN_OFFSET);
  }

  public PushSolicitedDataFlyweight rsn(int value) {
    buffer.putInt(offset + RSN_OFFSET, value);
    return this;
  }

  /** Returns the position of the payload in the message, in bytes. */
  public long offset() {
    return buffer.getInt(offset + OFFSET_OFFSET) & 0xFFFF_FFFFL;
  }

  public PushSolicitedDataFlyweight offset(long value) {
    buffer.putInt(offset + OFFSET_OFFSET, (int) value);
    return this;
  }

  /** Returns the absolute index of the payload. */
  public int payloadOffset() {
    return offset + FIXED_LENGTH;
  }

  /** Returns the bytes of payload, computed from the record's length. */
  public int payloadLength() {
    return length() - FIXED_LENGTH;
  }

  /** Sets the record's length for {@code value} bytes of payload. */
  public PushSolicitedDataFlyweight payloadLength(int value) {
    length(FIXED_LENGTH + value);
    return this;
  }
}
