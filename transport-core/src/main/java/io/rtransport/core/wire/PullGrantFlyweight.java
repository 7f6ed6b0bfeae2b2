package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * PULL_GRANT: permits the target to send this further range of the answer.
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
 *   |                             length                            |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class PullGrantFlyweight extends RecordFlyweight {
  public static final int RSN_OFFSET = 4;
  public static final int RSN_LENGTH = 4;

  public static final int OFFSET_OFFSET = 8;
  public static final int OFFSET_LENGTH = 4;

  public static final int GRANT_LENGTH_OFFSET = 12;
  public static final int GRANT_LENGTH_LENGTH = 4;

  /** Bytes of the record. */
  public static final int FIXED_LENGTH = 16;

  @Override
  public PullGrantFlyweight wrap(ByteBuffer view, int index) {
    super.wrap(view, index);
    return this;
  }

  /** Begins a record at {@code index}: writes its type, no flags and its smallest length. */
  public PullGrantFlyweight wrapNew(ByteBuffer view, int index) {
    wrap(view, index);
    type(RecordType.PULL_GRANT).flags(0).length(FIXED_LENGTH);
    return this;
  }

  public int rsn() {
    return buffer.getInt(offset + RSN_OFFSET);
  }

  public PullGrantFlyweight rsn(int value) {
    buffer.putInt(offset + RSN_OFFSET, value);
    return this;
  }

  /** Returns the position of the first granted byte. */
  public long offset() {
    return buffer.getInt(offset + OFFSET_OFFSET) & 0xFFFF_FFFFL;
  }

  public PullGrantFlyweight offset(long value) {
    buffer.putInt(offset + OFFSET_OFFSET, (int) value);
    return this;
  }

  /** Returns the number of granted bytes. */
  public long grantLength() {
    return buffer.getInt(offset + GRANT_LENGTH_OFFSET) & 0xFFFF_FFFFL;
  }

  public PullGrantFlyweight grantLength(long value) {
    buffer.putInt(offset + GRANT_LENGTH_OFFSET, (int) value);
    return this;
  }
}
