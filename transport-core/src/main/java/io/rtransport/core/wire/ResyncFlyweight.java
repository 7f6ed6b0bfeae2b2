package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * RESYNC: fills the RSN, and the SSN if there was one, of a transaction that was given up.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |      type     |     flags     |             length            |
 *   +---------------------------------------------------------------+
 *   |                              RSN                              |
 *   +---------------------------------------------------------------+
 *   |                    SSN (valid with flag 1)                    |
 *   +---------------------------------------------------------------+
 *   |                      credit bytes charged                     |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class ResyncFlyweight extends RecordFlyweight {
  public static final int RSN_OFFSET = 4;
  public static final int RSN_LENGTH = 4;

  public static final int SSN_OFFSET = 8;
  public static final int SSN_LENGTH = 4;

  public static final int CREDIT_BYTES_OFFSET = 12;
  public static final int CREDIT_BYTES_LENGTH = 4;

  /** Bytes of the record. */
  public static final int FIXED_LENGTH = 16;

  /** The transaction had an SSN. */
  public static final int FLAG_SSN = 1;

  @Override
  public ResyncFlyweight wrap(ByteBuffer view, int index) {
    super.wrap(view, index);
    return this;
  }

  /** Begins a record at {@code index}: writes its type, no flags and its smallest length. */
  public ResyncFlyweight wrapNew(ByteBuffer view, int index) {
    wrap(view, index);
    type(RecordType.RESYNC).flags(0).length(FIXED_LENGTH);
    return this;
  }

  public int rsn() {
    return buffer.getInt(offset + RSN_OFFSET);
  }

  public ResyncFlyweight rsn(int value) {
    buffer.putInt(offset + RSN_OFFSET, value);
    return this;
  }

  /** Returns the SSN if {@link #FLAG_SSN} is set, else 0. */
  public int ssn() {
    return buffer.getInt(offset + SSN_OFFSET);
  }

  public ResyncFlyweight ssn(int value) {
    buffer.putInt(offset + SSN_OFFSET, value);
    return this;
  }

  /** Returns the bytes of credit charged for the message. The receiver returns this credit. */
  public long creditBytes() {
    return buffer.getInt(offset + CREDIT_BYTES_OFFSET) & 0xFFFF_FFFFL;
  }

  public ResyncFlyweight creditBytes(long value) {
    buffer.putInt(offset + CREDIT_BYTES_OFFSET, (int) value);
    return this;
  }

  public boolean hasSsn() {
    return (flags() & FLAG_SSN) != 0;
  }
}
