package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * CONNECT: the initiator asks for a connection. It is padded with zeros to at least {@link
 * #PACKET_LENGTH_MIN} bytes. An answer to a forged source address is then no larger than the
 * CONNECT.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    clear header (16 bytes)                    |
 *   +---------------------------------------------------------------+
 *   |                             nonce                             |
 *   +---------------------------------------------------------------+
 *   |                           (8 bytes)                           |
 *   +---------------------------------------------------------------+
 *   |                   incarnation of the sender                   |
 *   +---------------------------------------------------------------+
 *   |                           (8 bytes)                           |
 *   +---------------------------------------------------------------+
 *   |                       CID of the sender                       |
 *   +---------------------------------------------------------------+
 *   |    attempt    |       0       |           TLV length          |
 *   +---------------------------------------------------------------+
 *   |                      cookie of the sender                     |
 *   +---------------------------------------------------------------+
 *   |                           (8 bytes)                           |
 *   +---------------------------------------------------------------+
 *   |                            TLVs ...                           |
 *   +---------------------------------------------------------------+
 *   |                  zero padding up to 512 bytes                 |
 *   +---------------------------------------------------------------+
 *   |                             CRC32C                            |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class ConnectFlyweight {
  public static final int NONCE_OFFSET = 16;
  public static final int NONCE_LENGTH = 8;

  public static final int INCARNATION_OFFSET = 24;
  public static final int INCARNATION_LENGTH = 8;

  public static final int SOURCE_CID_OFFSET = 32;
  public static final int SOURCE_CID_LENGTH = 4;

  public static final int ATTEMPT_OFFSET = 36;
  public static final int ATTEMPT_LENGTH = 1;

  public static final int RESERVED_OFFSET = 37;
  public static final int RESERVED_LENGTH = 1;

  public static final int TLV_LENGTH_OFFSET = 38;
  public static final int TLV_LENGTH_LENGTH = 2;

  public static final int COOKIE_OFFSET = 40;
  public static final int COOKIE_LENGTH = 8;

  /** Bytes before the TLVs. */
  public static final int FIXED_LENGTH = 48;

  /** Bytes of the shortest valid CONNECT, including the CRC. */
  public static final int PACKET_LENGTH_MIN = 512;

  private ByteBuffer buffer;
  private int offset;

  /**
   * Wraps the packet that begins at {@code index} of a big-endian buffer. Checks and copies
   * nothing.
   */
  public ConnectFlyweight wrap(ByteBuffer view, int index) {
    buffer = view;
    offset = index;
    return this;
  }

  /**
   * Returns the initiator's random number. It is one for all attempts of a connection, and every
   * answer echoes it.
   */
  public long nonce() {
    return buffer.getLong(offset + NONCE_OFFSET);
  }

  public ConnectFlyweight nonce(long value) {
    buffer.putLong(offset + NONCE_OFFSET, value);
    return this;
  }

  /**
   * Returns the random number of this run of the sender's endpoint. A different number means a
   * restart.
   */
  public long incarnation() {
    return buffer.getLong(offset + INCARNATION_OFFSET);
  }

  public ConnectFlyweight incarnation(long value) {
    buffer.putLong(offset + INCARNATION_OFFSET, value);
    return this;
  }

  /** Returns the connection id that the peer must put into packets to the sender. */
  public int sourceCid() {
    return buffer.getInt(offset + SOURCE_CID_OFFSET);
  }

  public ConnectFlyweight sourceCid(int value) {
    buffer.putInt(offset + SOURCE_CID_OFFSET, value);
    return this;
  }

  /** Returns the attempt number of this CONNECT, from 0. */
  public int attempt() {
    return buffer.get(offset + ATTEMPT_OFFSET) & 0xFF;
  }

  public ConnectFlyweight attempt(int value) {
    buffer.put(offset + ATTEMPT_OFFSET, (byte) value);
    return this;
  }

  public int reserved() {
    return buffer.get(offset + RESERVED_OFFSET) & 0xFF;
  }

  public ConnectFlyweight reserved(int value) {
    buffer.put(offset + RESERVED_OFFSET, (byte) value);
    return this;
  }

  /** Returns the bytes of the TLVs. */
  public int tlvLength() {
    return buffer.getShort(offset + TLV_LENGTH_OFFSET) & 0xFFFF;
  }

  public ConnectFlyweight tlvLength(int value) {
    buffer.putShort(offset + TLV_LENGTH_OFFSET, (short) value);
    return this;
  }

  /** Returns the cookie that the peer must put into the clear header of packets to the sender. */
  public long cookie() {
    return buffer.getLong(offset + COOKIE_OFFSET);
  }

  public ConnectFlyweight cookie(long value) {
    buffer.putLong(offset + COOKIE_OFFSET, value);
    return this;
  }

  /** Returns the absolute index of the first TLV. */
  public int tlvOffset() {
    return offset + FIXED_LENGTH;
  }
}
