package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * FIN: the sender begins no new transactions from this RSN on. With {@link #FLAG_CLOSING} the
 * receiver may begin none either.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |      type     |     flags     |             length            |
 *   +---------------------------------------------------------------+
 *   |                           final RSN                           |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class FinFlyweight extends RecordFlyweight {
  /** The sender is closing: it takes no new transactions and waits for the receiver's FIN. */
  public static final int FLAG_CLOSING = 1;

  public static final int FINAL_RSN_OFFSET = 4;
  public static final int FINAL_RSN_LENGTH = 4;

  /** Bytes of the record. */
  public static final int FIXED_LENGTH = 8;

  @Override
  public FinFlyweight wrap(ByteBuffer view, int index) {
    super.wrap(view, index);
    return this;
  }

  /** Begins a record at {@code index}: writes its type, no flags and its smallest length. */
  public FinFlyweight wrapNew(ByteBuffer view, int index) {
    wrap(view, index);
    type(RecordType.FIN).flags(0).length(FIXED_LENGTH);
    return this;
  }

  public boolean isClosing() {
    return (flags() & FLAG_CLOSING) != 0;
  }

  /** Returns the sender's next RSN. No transaction will have it. */
  public int finalRsn() {
    return buffer.getInt(offset + FINAL_RSN_OFFSET);
  }

  public FinFlyweight finalRsn(int value) {
    buffer.putInt(offset + FINAL_RSN_OFFSET, value);
    return this;
  }
}
