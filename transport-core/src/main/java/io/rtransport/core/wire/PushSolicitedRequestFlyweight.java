package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * PUSH_SOLICITED_REQUEST: asks to push a message of this length. The target answers with grants.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |      type     |     flags     |             length            |
 *   +---------------------------------------------------------------+
 *   |                              RSN                              |
 *   +---------------------------------------------------------------+
 *   |                              SSN                              |
 *   +---------------------------------------------------------------+
 *   |                         message length                        |
 *   +---------------------------------------------------------------+
 *   |                     application header ...                    |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class PushSolicitedRequestFlyweight extends RecordFlyweight {
  public static final int RSN_OFFSET = 4;
  public static final int RSN_LENGTH = 4;

  public static final int SSN_OFFSET = 8;
  public static final int SSN_LENGTH = 4;

  public static final int MESSAGE_LENGTH_OFFSET = 12;
  public static final int MESSAGE_LENGTH_LENGTH = 4;

  /** Bytes before the part of variable length. */
  public static final int FIXED_LENGTH = 16;

  @Override
  public PushSolicitedRequestFlyweight wrap(ByteBuffer view, int index) {
    super.wrap(view, index);
    return this;
  }

  /** Begins a record at {@code index}: writes its type, no flags and its smallest length. */
  public PushSolicitedRequestFlyweight wrapNew(ByteBuffer view, int index) {
    wrap(view, index);
    type(RecordType.PUSH_SOLICITED_REQUEST).flags(0).length(FIXED_LENGTH);
    return this;
  }

  public int rsn() {
    return buffer.getInt(offset + RSN_OFFSET);
  }

  public PushSolicitedRequestFlyweight rsn(int value) {
    buffer.putInt(offset + RSN_OFFSET, value);
    return this;
  }

  public int ssn() {
    return buffer.getInt(offset + SSN_OFFSET);
  }

  public PushSolicitedRequestFlyweight ssn(int value) {
    buffer.putInt(offset + SSN_OFFSET, value);
    return this;
  }

  /** Returns the bytes of the message. */
  public long messageLength() {
    return buffer.getInt(offset + MESSAGE_LENGTH_OFFSET) & 0xFFFF_FFFFL;
  }

  public PushSolicitedRequestFlyweight messageLength(long value) {
    buffer.putInt(offset + MESSAGE_LENGTH_OFFSET, (int) value);
    return this;
  }

  /** Returns the absolute index of the application header. */
  public int headerOffset() {
    return offset + FIXED_LENGTH;
  }

  /** Returns the bytes of the application header, computed from the record's length. */
  public int headerLength() {
    return length() - FIXED_LENGTH;
  }

  /** Sets the record's length for an application header of {@code value} bytes. */
  public PushSolicitedRequestFlyweight headerLength(int value) {
    length(FIXED_LENGTH + value);
    return this;
  }
}
