package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * PUSH_UNSOLICITED_DATA: bytes of a message that is sent without a request, within the credit. Call
 * {@link #flags(int)} before the other setters, because their places depend on the flags. {@link
 * #offset(long)} and {@link #total(long)} are valid only without {@link #FLAG_WHOLE}.
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
 *   |  header length (only flag 2)  |  application header (likewise) ...
 *   +---------------------------------------------------------------+
 *   |                          payload ...                          |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class PushUnsolicitedDataFlyweight extends RecordFlyweight {
  public static final int RSN_OFFSET = 4;
  public static final int RSN_LENGTH = 4;

  public static final int OFFSET_OFFSET = 8;
  public static final int OFFSET_LENGTH = 4;

  public static final int TOTAL_OFFSET = 12;
  public static final int TOTAL_LENGTH = 4;

  public static final int HEADER_LENGTH_LENGTH = 2;

  /** Bytes of the shortest record. */
  public static final int FIXED_LENGTH = 8;

  /** The record holds the whole message. */
  public static final int FLAG_WHOLE = 1;

  /** The record holds the application header. Allowed only at offset 0. */
  public static final int FLAG_HEADER = 2;

  /**
   * The application does not wait for the end of the message. Its completion may be sent a little
   * later.
   */
  public static final int FLAG_UNAWAITED = 4;

  /** All flags that version 1 knows. */
  public static final int FLAGS_KNOWN = 7;

  @Override
  public PushUnsolicitedDataFlyweight wrap(ByteBuffer view, int index) {
    super.wrap(view, index);
    return this;
  }

  /**
   * Begins a record at {@code index}: writes its type, its flags, and its length without
   * application header and payload.
   */
  public PushUnsolicitedDataFlyweight wrapNew(ByteBuffer view, int index, int flags) {
    wrap(view, index);
    type(RecordType.PUSH_UNSOLICITED_DATA).flags(flags).length(fixedLength(flags));
    return this;
  }

  /**
   * Returns the bytes before the application header and the payload in a record with these flags.
   */
  public static int fixedLength(int flags) {
    return FIXED_LENGTH
        + ((flags & FLAG_WHOLE) != 0 ? 0 : OFFSET_LENGTH + TOTAL_LENGTH)
        + ((flags & FLAG_HEADER) != 0 ? HEADER_LENGTH_LENGTH : 0);
  }

  public boolean isWhole() {
    return (flags() & FLAG_WHOLE) != 0;
  }

  public boolean hasHeader() {
    return (flags() & FLAG_HEADER) != 0;
  }

  public boolean isUnawaited() {
    return (flags() & FLAG_UNAWAITED) != 0;
  }

  public int rsn() {
    return buffer.getInt(offset + RSN_OFFSET);
  }

  public PushUnsolicitedDataFlyweight rsn(int value) {
    buffer.putInt(offset + RSN_OFFSET, value);
    return this;
  }

  /** Returns the position of the payload in the message, in bytes. */
  public long offset() {
    return isWhole() ? 0 : buffer.getInt(offset + OFFSET_OFFSET) & 0xFFFF_FFFFL;
  }

  public PushUnsolicitedDataFlyweight offset(long value) {
    buffer.putInt(offset + OFFSET_OFFSET, (int) value);
    return this;
  }

  /** Returns the bytes of the whole message. */
  public long total() {
    return isWhole() ? payloadLength() : buffer.getInt(offset + TOTAL_OFFSET) & 0xFFFF_FFFFL;
  }

  public PushUnsolicitedDataFlyweight total(long value) {
    buffer.putInt(offset + TOTAL_OFFSET, (int) value);
    return this;
  }

  /** Returns the bytes of the application header; 0 if there is none. */
  public int headerLength() {
    return hasHeader() ? buffer.getShort(headerOffset() - HEADER_LENGTH_LENGTH) & 0xFFFF : 0;
  }

  /** Writes the bytes of the application header. Valid only with {@link #FLAG_HEADER}. */
  public PushUnsolicitedDataFlyweight headerLength(int value) {
    buffer.putShort(headerOffset() - HEADER_LENGTH_LENGTH, (short) value);
    return this;
  }

  /** Returns the absolute index of the application header. */
  public int headerOffset() {
    return offset + fixedLength(flags());
  }

  /** Returns the absolute index of the payload. */
  public int payloadOffset() {
    return headerOffset() + headerLength();
  }

  /** Returns the bytes of payload, computed from the record's length. */
  public int payloadLength() {
    return offset + length() - payloadOffset();
  }

  /**
   * Sets the record's length for {@code value} bytes of payload. Call after {@link
   * #headerLength(int)}.
   */
  public PushUnsolicitedDataFlyweight payloadLength(int value) {
    length(payloadOffset() - offset + value);
    return this;
  }
}
