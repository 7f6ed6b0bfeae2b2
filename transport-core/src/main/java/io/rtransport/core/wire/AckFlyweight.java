package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * The extended acknowledgement. It is the body of an ACK packet, at {@link
 * ClearHeaderFlyweight#HEADER_LENGTH}, and the ACK block inside a numbered packet. The base is the
 * lowest PSN not yet received.
 *
 * <p>Bitmap words are aligned to absolute PSNs. Word k at word offset o covers the 64 PSNs from
 * {@code (base & ~63) + (o + k) * 64}; bit 0 is the lowest PSN. Bits below the base are sent as 1.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          request base                         |
 *   +---------------------------------------------------------------+
 *   |                           data base                           |
 *   +---------------------------------------------------------------+
 *   |     flags     | request words |   data words  |     paths     |
 *   +---------------------------------------------------------------+
 *   |      request word offset      |        data word offset       |
 *   +---------------------------------------------------------------+
 *   |                          credit limit                         |
 *   +---------------------------------------------------------------+
 *   |                           (8 bytes)                           |
 *   +---------------------------------------------------------------+
 *   |                 request words, then data words                |
 *   +---------------------------------------------------------------+
 *   |                         (8 bytes each)                        |
 *   +---------------------------------------------------------------+
 *   |    path id    |         highest transmission sequence         |
 *   +---------------------------------------------------------------+
 *   |                       held, microseconds                      |
 *   +---------------------------------------------------------------+
 *   |                     duplicates, cumulative                    |
 *   +---------------------------------------------------------------+
 *   |                  further paths, 12 bytes each                 |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class AckFlyweight {
  public static final int REQUEST_BASE_OFFSET = 0;
  public static final int REQUEST_BASE_LENGTH = 4;

  public static final int DATA_BASE_OFFSET = 4;
  public static final int DATA_BASE_LENGTH = 4;

  public static final int FLAGS_OFFSET = 8;
  public static final int FLAGS_LENGTH = 1;

  public static final int REQUEST_WORD_COUNT_OFFSET = 9;
  public static final int REQUEST_WORD_COUNT_LENGTH = 1;

  public static final int DATA_WORD_COUNT_OFFSET = 10;
  public static final int DATA_WORD_COUNT_LENGTH = 1;

  public static final int PATH_COUNT_OFFSET = 11;
  public static final int PATH_COUNT_LENGTH = 1;

  public static final int REQUEST_WORD_OFFSET_OFFSET = 12;
  public static final int REQUEST_WORD_OFFSET_LENGTH = 2;

  public static final int DATA_WORD_OFFSET_OFFSET = 14;
  public static final int DATA_WORD_OFFSET_LENGTH = 2;

  public static final int CREDIT_LIMIT_OFFSET = 16;
  public static final int CREDIT_LIMIT_LENGTH = 8;

  /** Bytes before the words. */
  public static final int FIXED_LENGTH = 24;

  public static final int WORD_LENGTH = 8;
  public static final int PATH_ENTRY_LENGTH = 12;
  public static final int WORD_COUNT_MAX = 16;
  public static final int PATH_COUNT_MAX = 8;

  /** A request packet was above the receive window since the last ACK. */
  public static final int FLAG_OWN_REQUEST = 1;

  /** A data packet was above the receive window since the last ACK. */
  public static final int FLAG_OWN_DATA = 2;

  /** All flags that version 1 knows. */
  public static final int FLAGS_KNOWN = 3;

  /** Bytes of the largest body. */
  public static final int BODY_LENGTH_MAX =
      bodyLength(WORD_COUNT_MAX, WORD_COUNT_MAX, PATH_COUNT_MAX);

  private static final int PATH_HELD_OFFSET = 4;
  private static final int PATH_DUPLICATES_OFFSET = 8;

  private ByteBuffer buffer;
  private int offset;

  /**
   * Wraps the body that begins at {@code index} of a big-endian buffer. Checks and copies nothing.
   */
  public AckFlyweight wrap(ByteBuffer view, int index) {
    if (buffer != view) { // a reference store is expensive, and the buffer is mostly the same
      buffer = view;
    }
    offset = index;
    return this;
  }

  public int requestBase() {
    return buffer.getInt(offset + REQUEST_BASE_OFFSET);
  }

  public AckFlyweight requestBase(int value) {
    buffer.putInt(offset + REQUEST_BASE_OFFSET, value);
    return this;
  }

  public int dataBase() {
    return buffer.getInt(offset + DATA_BASE_OFFSET);
  }

  public AckFlyweight dataBase(int value) {
    buffer.putInt(offset + DATA_BASE_OFFSET, value);
    return this;
  }

  /** Returns the FLAG_ bits. */
  public int flags() {
    return buffer.get(offset + FLAGS_OFFSET) & 0xFF;
  }

  public AckFlyweight flags(int value) {
    buffer.put(offset + FLAGS_OFFSET, (byte) value);
    return this;
  }

  /** Returns the count, 0..16. */
  public int requestWordCount() {
    return buffer.get(offset + REQUEST_WORD_COUNT_OFFSET) & 0xFF;
  }

  public AckFlyweight requestWordCount(int value) {
    buffer.put(offset + REQUEST_WORD_COUNT_OFFSET, (byte) value);
    return this;
  }

  /** Returns the count, 0..16. */
  public int dataWordCount() {
    return buffer.get(offset + DATA_WORD_COUNT_OFFSET) & 0xFF;
  }

  public AckFlyweight dataWordCount(int value) {
    buffer.put(offset + DATA_WORD_COUNT_OFFSET, (byte) value);
    return this;
  }

  /** Returns the count, 0..8. */
  public int pathCount() {
    return buffer.get(offset + PATH_COUNT_OFFSET) & 0xFF;
  }

  public AckFlyweight pathCount(int value) {
    buffer.put(offset + PATH_COUNT_OFFSET, (byte) value);
    return this;
  }

  /** Returns the number of words between the word that holds the base and the first word sent. */
  public int requestWordOffset() {
    return buffer.getShort(offset + REQUEST_WORD_OFFSET_OFFSET) & 0xFFFF;
  }

  public AckFlyweight requestWordOffset(int value) {
    buffer.putShort(offset + REQUEST_WORD_OFFSET_OFFSET, (short) value);
    return this;
  }

  /** Returns the number of words between the word that holds the base and the first word sent. */
  public int dataWordOffset() {
    return buffer.getShort(offset + DATA_WORD_OFFSET_OFFSET) & 0xFFFF;
  }

  public AckFlyweight dataWordOffset(int value) {
    buffer.putShort(offset + DATA_WORD_OFFSET_OFFSET, (short) value);
    return this;
  }

  /** Returns the cumulative unsolicited-credit limit in bytes. */
  public long creditLimit() {
    return buffer.getLong(offset + CREDIT_LIMIT_OFFSET);
  }

  public AckFlyweight creditLimit(long value) {
    buffer.putLong(offset + CREDIT_LIMIT_OFFSET, value);
    return this;
  }

  /** Returns the bytes of a body with these counts of words and paths. */
  public static int bodyLength(int requestWords, int dataWords, int paths) {
    return FIXED_LENGTH + WORD_LENGTH * (requestWords + dataWords) + PATH_ENTRY_LENGTH * paths;
  }

  /** Returns the bytes of this body, computed from its counts. */
  public int bodyLength() {
    return bodyLength(requestWordCount(), dataWordCount(), pathCount());
  }

  /** Returns word {@code i} of the request window, {@code 0 <= i < requestWordCount()}. */
  public long requestWord(int i) {
    return buffer.getLong(wordOffset(i));
  }

  public AckFlyweight requestWord(int i, long value) {
    buffer.putLong(wordOffset(i), value);
    return this;
  }

  /**
   * Returns word {@code i} of the data window, {@code 0 <= i < dataWordCount()}. Its place depends
   * on {@link #requestWordCount()}.
   */
  public long dataWord(int i) {
    return buffer.getLong(wordOffset(requestWordCount() + i));
  }

  public AckFlyweight dataWord(int i, long value) {
    buffer.putLong(wordOffset(requestWordCount() + i), value);
    return this;
  }

  private int wordOffset(int i) {
    return offset + FIXED_LENGTH + WORD_LENGTH * i;
  }

  /** Returns the acknowledged side's id of path {@code i}, {@code 0 <= i < pathCount()}. */
  public int pathId(int i) {
    return buffer.get(pathOffset(i)) & 0xFF;
  }

  /** Returns the highest transmission sequence received on path {@code i}, 24 bits. */
  public int pathHighestSequence(int i) {
    return buffer.getInt(pathOffset(i)) & 0xFF_FFFF;
  }

  /**
   * Returns the microseconds from the arrival of the packet with that sequence to the sending of
   * this acknowledgement.
   */
  public long pathHeldMicros(int i) {
    return buffer.getInt(pathOffset(i) + PATH_HELD_OFFSET) & 0xFFFF_FFFFL;
  }

  /**
   * Returns the number of duplicate packets received on path {@code i}; cumulative, modulo 2^32.
   */
  public int pathDuplicates(int i) {
    return buffer.getInt(pathOffset(i) + PATH_DUPLICATES_OFFSET);
  }

  /** Writes path entry {@code i}. Call after the counts of words are set. */
  public AckFlyweight path(
      int i, int pathId, int highestSequence, long heldMicros, int duplicates) {
    int at = pathOffset(i);
    buffer.putInt(at, pathId << 24 | (highestSequence & 0xFF_FFFF));
    buffer.putInt(at + PATH_HELD_OFFSET, (int) heldMicros);
    buffer.putInt(at + PATH_DUPLICATES_OFFSET, duplicates);
    return this;
  }

  private int pathOffset(int i) {
    return wordOffset(requestWordCount() + dataWordCount()) + PATH_ENTRY_LENGTH * i;
  }
}
