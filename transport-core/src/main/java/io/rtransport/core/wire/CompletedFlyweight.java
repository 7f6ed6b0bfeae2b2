package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * COMPLETED: the transactions of the receiver that ended with success. Bit i of word k stands for
 * RSN {@code (base & ~63) + (wordOffset + k) * 64 + i}. A clear bit gives no information. All RSNs
 * below the base have ended.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |      type     |     flags     |             length            |
 *   +---------------------------------------------------------------+
 *   |                            base RSN                           |
 *   +---------------------------------------------------------------+
 *   |          word offset          |     words     |       0       |
 *   +---------------------------------------------------------------+
 *   |                          credit limit                         |
 *   +---------------------------------------------------------------+
 *   |                           (8 bytes)                           |
 *   +---------------------------------------------------------------+
 *   |                      words, 8 bytes each                      |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class CompletedFlyweight extends RecordFlyweight {
  public static final int BASE_RSN_OFFSET = 4;
  public static final int BASE_RSN_LENGTH = 4;

  public static final int WORD_OFFSET_OFFSET = 8;
  public static final int WORD_OFFSET_LENGTH = 2;

  public static final int WORD_COUNT_OFFSET = 10;
  public static final int WORD_COUNT_LENGTH = 1;

  public static final int RESERVED_OFFSET = 11;
  public static final int RESERVED_LENGTH = 1;

  public static final int CREDIT_LIMIT_OFFSET = 12;
  public static final int CREDIT_LIMIT_LENGTH = 8;

  /** Bytes before the part of variable length. */
  public static final int FIXED_LENGTH = 20;

  public static final int WORD_LENGTH = 8;
  public static final int WORD_COUNT_MAX = 8;

  @Override
  public CompletedFlyweight wrap(ByteBuffer view, int index) {
    super.wrap(view, index);
    return this;
  }

  /** Begins a record at {@code index}: writes its type, no flags and its smallest length. */
  public CompletedFlyweight wrapNew(ByteBuffer view, int index) {
    wrap(view, index);
    type(RecordType.COMPLETED).flags(0).length(FIXED_LENGTH);
    return this;
  }

  public int baseRsn() {
    return buffer.getInt(offset + BASE_RSN_OFFSET);
  }

  public CompletedFlyweight baseRsn(int value) {
    buffer.putInt(offset + BASE_RSN_OFFSET, value);
    return this;
  }

  /** Returns the number of words between the word that holds the base and the first word sent. */
  public int wordOffset() {
    return buffer.getShort(offset + WORD_OFFSET_OFFSET) & 0xFFFF;
  }

  public CompletedFlyweight wordOffset(int value) {
    buffer.putShort(offset + WORD_OFFSET_OFFSET, (short) value);
    return this;
  }

  /** Returns the count, 0..8. */
  public int wordCount() {
    return buffer.get(offset + WORD_COUNT_OFFSET) & 0xFF;
  }

  public CompletedFlyweight wordCount(int value) {
    buffer.put(offset + WORD_COUNT_OFFSET, (byte) value);
    return this;
  }

  public int reserved() {
    return buffer.get(offset + RESERVED_OFFSET) & 0xFF;
  }

  public CompletedFlyweight reserved(int value) {
    buffer.put(offset + RESERVED_OFFSET, (byte) value);
    return this;
  }

  /** Returns the cumulative unsolicited-credit limit in bytes. */
  public long creditLimit() {
    return buffer.getLong(offset + CREDIT_LIMIT_OFFSET);
  }

  public CompletedFlyweight creditLimit(long value) {
    buffer.putLong(offset + CREDIT_LIMIT_OFFSET, value);
    return this;
  }

  /** Returns the bytes of a record with {@code words} words. */
  public static int recordLength(int words) {
    return FIXED_LENGTH + WORD_LENGTH * words;
  }

  /** Sets the number of words, the record's length and the reserved byte. */
  public CompletedFlyweight words(int value) {
    wordCount(value).reserved(0).length(recordLength(value));
    return this;
  }

  /** Returns word {@code i}, {@code 0 <= i < wordCount()}. */
  public long word(int i) {
    return buffer.getLong(offset + FIXED_LENGTH + WORD_LENGTH * i);
  }

  public CompletedFlyweight word(int i, long value) {
    buffer.putLong(offset + FIXED_LENGTH + WORD_LENGTH * i, value);
    return this;
  }
}
