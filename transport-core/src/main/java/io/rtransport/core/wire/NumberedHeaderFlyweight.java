package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * The header of REQUEST and DATA packets. It has one packet number of one window, the
 * acknowledgement bases of both windows, and optional blocks. A flag says whether an optional block
 * is present. Call {@link #flags(int)} before the setters of the optional blocks, because their
 * places depend on the flags.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    clear header (16 bytes)                    |
 *   +---------------------------------------------------------------+
 *   |                              PSN                              |
 *   +---------------------------------------------------------------+
 *   |              request window: base of the receiver             |
 *   +---------------------------------------------------------------+
 *   |               data window: base of the receiver               |
 *   +---------------------------------------------------------------+
 *   |    path id    |             transmission sequence             |
 *   +---------------------------------------------------------------+
 *   |     flags     |  record count |          0 (reserved)         |
 *   +---------------------------------------------------------------+
 *   |                  completed RSN hint (flag 2)                  |
 *   +---------------------------------------------------------------+
 *   |            credit limit hint, low 32 bits (flag 4)            |
 *   +---------------------------------------------------------------+
 *   |              ACK block (flag 8): see AckFlyweight             |
 *   +---------------------------------------------------------------+
 *   |                          records ...                          |
 *   +---------------------------------------------------------------+
 *   |                             CRC32C                            |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class NumberedHeaderFlyweight {
  public static final int PSN_OFFSET = 16;
  public static final int PSN_LENGTH = 4;

  public static final int REQUEST_ACK_BASE_OFFSET = 20;
  public static final int REQUEST_ACK_BASE_LENGTH = 4;

  public static final int DATA_ACK_BASE_OFFSET = 24;
  public static final int DATA_ACK_BASE_LENGTH = 4;

  public static final int PATH_ID_OFFSET = 28;
  public static final int PATH_ID_LENGTH = 1;

  public static final int TRANSMISSION_SEQUENCE_OFFSET = 29;
  public static final int TRANSMISSION_SEQUENCE_LENGTH = 3;

  public static final int FLAGS_OFFSET = 32;
  public static final int FLAGS_LENGTH = 1;

  public static final int RECORD_COUNT_OFFSET = 33;
  public static final int RECORD_COUNT_LENGTH = 1;

  public static final int RESERVED_OFFSET = 34;
  public static final int RESERVED_LENGTH = 2;

  /** Bytes before the optional blocks. */
  public static final int HEADER_LENGTH = 36;

  /** Bytes of the checksum behind the records. */
  public static final int TRAILER_LENGTH = Integrity.TRAILER_LENGTH;

  public static final int COMPLETED_RSN_HINT_LENGTH = 4;
  public static final int CREDIT_HINT_LENGTH = 4;

  /** The sender wants an acknowledgement at once. */
  public static final int FLAG_ACK_REQUESTED = 1;

  public static final int FLAG_COMPLETED_RSN_HINT = 2;
  public static final int FLAG_CREDIT_HINT = 4;
  public static final int FLAG_ACK_BLOCK = 8;

  /** All flags that version 1 knows. */
  public static final int FLAGS_KNOWN = 15;

  private final AckFlyweight ackBlock = new AckFlyweight();

  private ByteBuffer buffer;
  private int offset;

  /**
   * Wraps the packet that begins at {@code index} of a big-endian buffer. Checks and copies
   * nothing.
   */
  public NumberedHeaderFlyweight wrap(ByteBuffer view, int index) {
    if (buffer != view) { // a reference store is expensive, and the buffer is mostly the same
      buffer = view;
    }
    offset = index;
    return this;
  }

  public int psn() {
    return buffer.getInt(offset + PSN_OFFSET);
  }

  public NumberedHeaderFlyweight psn(int value) {
    buffer.putInt(offset + PSN_OFFSET, value);
    return this;
  }

  /** Returns the lowest request PSN that the sender of this packet has not received. */
  public int requestAckBase() {
    return buffer.getInt(offset + REQUEST_ACK_BASE_OFFSET);
  }

  public NumberedHeaderFlyweight requestAckBase(int value) {
    buffer.putInt(offset + REQUEST_ACK_BASE_OFFSET, value);
    return this;
  }

  /** Returns the lowest data PSN that the sender of this packet has not received. */
  public int dataAckBase() {
    return buffer.getInt(offset + DATA_ACK_BASE_OFFSET);
  }

  public NumberedHeaderFlyweight dataAckBase(int value) {
    buffer.putInt(offset + DATA_ACK_BASE_OFFSET, value);
    return this;
  }

  /** Returns the sender's id of the path of this transmission. */
  public int pathId() {
    return buffer.get(offset + PATH_ID_OFFSET) & 0xFF;
  }

  public NumberedHeaderFlyweight pathId(int value) {
    buffer.put(offset + PATH_ID_OFFSET, (byte) value);
    return this;
  }

  /**
   * Returns the number of this transmission on its path, modulo 2^24. It counts all numbered
   * packets, including resends.
   */
  public int transmissionSequence() {
    return buffer.getInt(offset + TRANSMISSION_SEQUENCE_OFFSET - 1) & 0xFF_FFFF;
  }

  public NumberedHeaderFlyweight transmissionSequence(int value) {
    buffer.put(offset + TRANSMISSION_SEQUENCE_OFFSET, (byte) (value >>> 16));
    buffer.putShort(offset + TRANSMISSION_SEQUENCE_OFFSET + 1, (short) value);
    return this;
  }

  /** Returns the FLAG_ bits. */
  public int flags() {
    return buffer.get(offset + FLAGS_OFFSET) & 0xFF;
  }

  public NumberedHeaderFlyweight flags(int value) {
    buffer.put(offset + FLAGS_OFFSET, (byte) value);
    return this;
  }

  /** Returns the number of records in the packet; 0 for an empty packet. */
  public int recordCount() {
    return buffer.get(offset + RECORD_COUNT_OFFSET) & 0xFF;
  }

  public NumberedHeaderFlyweight recordCount(int value) {
    buffer.put(offset + RECORD_COUNT_OFFSET, (byte) value);
    return this;
  }

  public int reserved() {
    return buffer.getShort(offset + RESERVED_OFFSET) & 0xFFFF;
  }

  public NumberedHeaderFlyweight reserved(int value) {
    buffer.putShort(offset + RESERVED_OFFSET, (short) value);
    return this;
  }

  public boolean isAckRequested() {
    return (flags() & FLAG_ACK_REQUESTED) != 0;
  }

  public boolean hasCompletedRsnHint() {
    return (flags() & FLAG_COMPLETED_RSN_HINT) != 0;
  }

  public boolean hasCreditHint() {
    return (flags() & FLAG_CREDIT_HINT) != 0;
  }

  public boolean hasAckBlock() {
    return (flags() & FLAG_ACK_BLOCK) != 0;
  }

  /**
   * Returns an RSN of the receiver. All its transactions below this RSN have ended. Valid only if
   * {@link #hasCompletedRsnHint()}.
   */
  public int completedRsnHint() {
    return buffer.getInt(offset + HEADER_LENGTH);
  }

  public NumberedHeaderFlyweight completedRsnHint(int value) {
    buffer.putInt(offset + HEADER_LENGTH, value);
    return this;
  }

  /**
   * Returns the low 32 bits of the sender's credit limit. Valid only if {@link #hasCreditHint()}.
   */
  public int creditHint() {
    return buffer.getInt(creditHintOffset());
  }

  public NumberedHeaderFlyweight creditHint(int value) {
    buffer.putInt(creditHintOffset(), value);
    return this;
  }

  private int creditHintOffset() {
    return offset + HEADER_LENGTH + (hasCompletedRsnHint() ? COMPLETED_RSN_HINT_LENGTH : 0);
  }

  /** Returns the absolute index of the ACK block, or the index where it would be. */
  public int ackBlockOffset() {
    int flags = flags();
    return offset
        + HEADER_LENGTH
        + ((flags & FLAG_COMPLETED_RSN_HINT) == 0 ? 0 : COMPLETED_RSN_HINT_LENGTH)
        + ((flags & FLAG_CREDIT_HINT) == 0 ? 0 : CREDIT_HINT_LENGTH);
  }

  /** Returns the absolute index of the first record. */
  public int recordsOffset() {
    int at = ackBlockOffset();
    return hasAckBlock() ? at + ackBlock.wrap(buffer, at).bodyLength() : at;
  }

  /**
   * Returns the absolute index of the first byte behind the records of a packet of {@code
   * packetLength} bytes.
   */
  public int recordsEnd(int packetLength) {
    return offset + packetLength - TRAILER_LENGTH;
  }
}
