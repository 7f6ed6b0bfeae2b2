package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * PUSH_GRANT: permits the initiator to send this range of the message.
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
 *   |                             offset                            |
 *   +---------------------------------------------------------------+
 *   |                             length                            |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class PushGrantFlyweight extends RecordFlyweight {
  public static final int RSN_OFFSET = 4;
  public static final int RSN_LENGTH = 4;

  public static final int SSN_OFFSET = 8;
  public static final int SSN_LENGTH = 4;

  public static final int OFFSET_OFFSET = 12;
  public static final int OFFSET_LENGTH = 4;

  public static final int GRANT_LENGTH_OFFSET = 16;
  public static final int GRANT_LENGTH_LENGTH = 4;

  /** Bytes of the record. */
  public static final int FIXED_LENGTH = 20;

  @Override
  public PushGrantFlyweight wrap(ByteBuffer view, int index) {
    super.wrap(view, index);
    return this;
  }

  /** Begins a record at {@code index}: writes its type, no flags and its smallest length. */
  public PushGrantFlyweight wrapNew(ByteBuffer view, int index) {
    wrap(view, index);
    type(RecordType.PUSH_GRANT).flags(0).length(FIXED_LENGTH);
    return this;
  }

  public int rsn() {
    return buffer.getInt(offset + RSN_OFFSET);
  }

  public PushGrantFlyweight rsn(int value) {
    buffer.putInt(offset + RSN_OFFSET, value);
    return this;
  }

  public int ssn() {
    return buffer.getInt(offset + SSN_OFFSET);
  }

  public PushGrantFlyweight ssn(int value) {
    buffer.putInt(offset + SSN_OFFSET, value);
    return this;
  }

  /** Returns the position of the first granted byte. */
  public long offset() {
    return buffer.getInt(offset + OFFSET_OFFSET) & 0xFFFF_FFFFL;
  }

  public PushGrantFlyweight offset(long value) {
    buffer.putInt(offset + OFFSET_OFFSET, (int) value);
    return this;
  }

  /** Returns the number of granted bytes. */
  public long grantLength() {
    return buffer.getInt(offset + GRANT_LENGTH_OFFSET) & 0xFFFF_FFFFL;
  }

  public PushGrantFlyweight grantLength(long value) {
    buffer.putInt(offset + GRANT_LENGTH_OFFSET, (int) value);
    return this;
  }
}
