package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * PULL_REQUEST: asks for an answer of up to a given length. The initiator has already reserved the
 * first granted bytes.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |      type     |     flags     |             length            |
 *   +---------------------------------------------------------------+
 *   |                              RSN                              |
 *   +---------------------------------------------------------------+
 *   |                         longest answer                        |
 *   +---------------------------------------------------------------+
 *   |                         granted bytes                         |
 *   +---------------------------------------------------------------+
 *   |                     application header ...                    |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class PullRequestFlyweight extends RecordFlyweight {
  public static final int RSN_OFFSET = 4;
  public static final int RSN_LENGTH = 4;

  public static final int MAX_LENGTH_OFFSET = 8;
  public static final int MAX_LENGTH_LENGTH = 4;

  public static final int GRANTED_BYTES_OFFSET = 12;
  public static final int GRANTED_BYTES_LENGTH = 4;

  /** Bytes before the part of variable length. */
  public static final int FIXED_LENGTH = 16;

  @Override
  public PullRequestFlyweight wrap(ByteBuffer view, int index) {
    super.wrap(view, index);
    return this;
  }

  /** Begins a record at {@code index}: writes its type, no flags and its smallest length. */
  public PullRequestFlyweight wrapNew(ByteBuffer view, int index) {
    wrap(view, index);
    type(RecordType.PULL_REQUEST).flags(0).length(FIXED_LENGTH);
    return this;
  }

  public int rsn() {
    return buffer.getInt(offset + RSN_OFFSET);
  }

  public PullRequestFlyweight rsn(int value) {
    buffer.putInt(offset + RSN_OFFSET, value);
    return this;
  }

  /** Returns the bytes of the longest answer that the initiator accepts. */
  public long maxLength() {
    return buffer.getInt(offset + MAX_LENGTH_OFFSET) & 0xFFFF_FFFFL;
  }

  public PullRequestFlyweight maxLength(long value) {
    buffer.putInt(offset + MAX_LENGTH_OFFSET, (int) value);
    return this;
  }

  /** Returns the bytes of the answer, from offset 0, that are granted at once. */
  public long grantedBytes() {
    return buffer.getInt(offset + GRANTED_BYTES_OFFSET) & 0xFFFF_FFFFL;
  }

  public PullRequestFlyweight grantedBytes(long value) {
    buffer.putInt(offset + GRANTED_BYTES_OFFSET, (int) value);
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
  public PullRequestFlyweight headerLength(int value) {
    length(FIXED_LENGTH + value);
    return this;
  }
}
