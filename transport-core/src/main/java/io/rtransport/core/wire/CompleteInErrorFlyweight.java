package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * COMPLETE_IN_ERROR: the transaction ended without success.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |      type     |     flags     |             length            |
 *   +---------------------------------------------------------------+
 *   |                              RSN                              |
 *   +---------------------------------------------------------------+
 *   |                              code                             |
 *   +---------------------------------------------------------------+
 *   |                     text, up to 256 bytes                     |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class CompleteInErrorFlyweight extends RecordFlyweight {
  public static final int RSN_OFFSET = 4;
  public static final int RSN_LENGTH = 4;

  public static final int CODE_OFFSET = 8;
  public static final int CODE_LENGTH = 4;

  /** Bytes before the part of variable length. */
  public static final int FIXED_LENGTH = 12;

  /** Bytes of the longest text. */
  public static final int TEXT_LENGTH_MAX = WireText.LENGTH_MAX;

  /** The transaction may have been executed, wholly or in part. */
  public static final int FLAG_OUTCOME_UNKNOWN = 1;

  /** RT itself ended the transaction, not the application. The code is RT's. */
  public static final int FLAG_TRANSPORT = 2;

  /** All flags that version 1 knows. */
  public static final int FLAGS_KNOWN = 3;

  @Override
  public CompleteInErrorFlyweight wrap(ByteBuffer view, int index) {
    super.wrap(view, index);
    return this;
  }

  /** Begins a record at {@code index}: writes its type, no flags and its smallest length. */
  public CompleteInErrorFlyweight wrapNew(ByteBuffer view, int index) {
    wrap(view, index);
    type(RecordType.COMPLETE_IN_ERROR).flags(0).length(FIXED_LENGTH);
    return this;
  }

  public int rsn() {
    return buffer.getInt(offset + RSN_OFFSET);
  }

  public CompleteInErrorFlyweight rsn(int value) {
    buffer.putInt(offset + RSN_OFFSET, value);
    return this;
  }

  /** Returns the application's code, or RT's own if {@link #FLAG_TRANSPORT} is set. */
  public int code() {
    return buffer.getInt(offset + CODE_OFFSET);
  }

  public CompleteInErrorFlyweight code(int value) {
    buffer.putInt(offset + CODE_OFFSET, value);
    return this;
  }

  public boolean isOutcomeUnknown() {
    return (flags() & FLAG_OUTCOME_UNKNOWN) != 0;
  }

  public boolean isFromTransport() {
    return (flags() & FLAG_TRANSPORT) != 0;
  }

  /** Returns the absolute index of the text, which is UTF-8: {@link WireText}. */
  public int textOffset() {
    return offset + FIXED_LENGTH;
  }

  /** Returns the bytes of text, computed from the record's length. */
  public int textLength() {
    return length() - FIXED_LENGTH;
  }

  /** Sets the record's length for {@code value} bytes of text. */
  public CompleteInErrorFlyweight textLength(int value) {
    length(FIXED_LENGTH + value);
    return this;
  }
}
