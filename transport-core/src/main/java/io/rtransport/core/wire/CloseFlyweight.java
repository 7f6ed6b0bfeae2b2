package io.rtransport.core.wire;

import io.rtransport.core.outcome.CloseCode;
import java.nio.ByteBuffer;

/**
 * CLOSE: the sender has ended the connection.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    clear header (16 bytes)                    |
 *   +---------------------------------------------------------------+
 *   |                              code                             |
 *   +---------------------------------------------------------------+
 *   |     flags     |                       0                       |
 *   +---------------------------------------------------------------+
 *   |                       final request PSN                       |
 *   +---------------------------------------------------------------+
 *   |                         final data PSN                        |
 *   +---------------------------------------------------------------+
 *   |                     text, up to 256 bytes                     |
 *   +---------------------------------------------------------------+
 *   |                             CRC32C                            |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class CloseFlyweight {
  public static final int CODE_OFFSET = 16;
  public static final int CODE_LENGTH = 4;

  public static final int FLAGS_WORD_OFFSET = 20;
  public static final int FLAGS_WORD_LENGTH = 4;

  public static final int FINAL_REQUEST_PSN_OFFSET = 24;
  public static final int FINAL_REQUEST_PSN_LENGTH = 4;

  public static final int FINAL_DATA_PSN_OFFSET = 28;
  public static final int FINAL_DATA_PSN_LENGTH = 4;

  /** Bytes before the text. */
  public static final int FIXED_LENGTH = 32;

  /** The sender waits for nothing. Open transactions end with outcome UNKNOWN. */
  public static final int FLAG_ABORT = 1;

  /** All flags that version 1 knows. */
  public static final int FLAGS_KNOWN = 1;

  private ByteBuffer buffer;
  private int offset;

  /**
   * Wraps the packet that begins at {@code index} of a big-endian buffer. Checks and copies
   * nothing.
   */
  public CloseFlyweight wrap(ByteBuffer view, int index) {
    buffer = view;
    offset = index;
    return this;
  }

  /** Returns the close reason: {@link CloseCode}. */
  public int code() {
    return buffer.getInt(offset + CODE_OFFSET);
  }

  public CloseFlyweight code(int value) {
    buffer.putInt(offset + CODE_OFFSET, value);
    return this;
  }

  /** Returns the flags in the highest byte, then three reserved bytes. */
  public int flagsWord() {
    return buffer.getInt(offset + FLAGS_WORD_OFFSET);
  }

  public CloseFlyweight flagsWord(int value) {
    buffer.putInt(offset + FLAGS_WORD_OFFSET, value);
    return this;
  }

  /** Returns the sender's next request PSN. No packet will have it. */
  public int finalRequestPsn() {
    return buffer.getInt(offset + FINAL_REQUEST_PSN_OFFSET);
  }

  public CloseFlyweight finalRequestPsn(int value) {
    buffer.putInt(offset + FINAL_REQUEST_PSN_OFFSET, value);
    return this;
  }

  /** Returns the sender's next data PSN. No packet will have it. */
  public int finalDataPsn() {
    return buffer.getInt(offset + FINAL_DATA_PSN_OFFSET);
  }

  public CloseFlyweight finalDataPsn(int value) {
    buffer.putInt(offset + FINAL_DATA_PSN_OFFSET, value);
    return this;
  }

  public int flags() {
    return flagsWord() >>> 24;
  }

  /** Writes the flags and three zero bytes after them. */
  public CloseFlyweight flags(int value) {
    return flagsWord(value << 24);
  }

  public boolean isAbort() {
    return (flags() & FLAG_ABORT) != 0;
  }

  /** Returns the absolute index of the text, which is UTF-8: {@link WireText}. */
  public int textOffset() {
    return offset + FIXED_LENGTH;
  }

  /** Returns the bytes of the text in a packet of {@code packetLength} bytes. */
  public int textLength(int packetLength) {
    return packetLength - FIXED_LENGTH - Integrity.TRAILER_LENGTH;
  }
}
