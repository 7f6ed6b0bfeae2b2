package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * The first 16 bytes of every packet. With encryption, only these bytes will stay visible.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |    version    |0 0 0|   type  |             length            |
 *   +---------------------------------------------------------------+
 *   |                        destination CID                        |
 *   +---------------------------------------------------------------+
 *   |                     cookie of the receiver                    |
 *   +---------------------------------------------------------------+
 *   |                           (8 bytes)                           |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class ClearHeaderFlyweight {
  public static final int VERSION_OFFSET = 0;
  public static final int VERSION_LENGTH = 1;

  public static final int TYPE_AND_FLAGS_OFFSET = 1;
  public static final int TYPE_AND_FLAGS_LENGTH = 1;

  public static final int LENGTH_OFFSET = 2;
  public static final int LENGTH_LENGTH = 2;

  public static final int DESTINATION_CID_OFFSET = 4;
  public static final int DESTINATION_CID_LENGTH = 4;

  public static final int COOKIE_OFFSET = 8;
  public static final int COOKIE_LENGTH = 8;

  /** Bytes of the clear header. */
  public static final int HEADER_LENGTH = 16;

  /** The only protocol version supported. */
  public static final int VERSION = 1;

  private static final int TYPE_MASK = 0x1F;

  private ByteBuffer buffer;
  private int offset;

  /**
   * Wraps the packet that begins at {@code index} of a big-endian buffer. Checks and copies
   * nothing.
   */
  public ClearHeaderFlyweight wrap(ByteBuffer view, int index) {
    if (buffer != view) { // a reference store is expensive, and the buffer is mostly the same
      buffer = view;
    }
    offset = index;
    return this;
  }

  public int version() {
    return buffer.get(offset + VERSION_OFFSET) & 0xFF;
  }

  public ClearHeaderFlyweight version(int value) {
    buffer.put(offset + VERSION_OFFSET, (byte) value);
    return this;
  }

  /** Returns the byte with the three reserved bits and the type. */
  public int typeAndFlags() {
    return buffer.get(offset + TYPE_AND_FLAGS_OFFSET) & 0xFF;
  }

  public ClearHeaderFlyweight typeAndFlags(int value) {
    buffer.put(offset + TYPE_AND_FLAGS_OFFSET, (byte) value);
    return this;
  }

  /** Bytes of the whole packet, including the CRC. */
  public int length() {
    return buffer.getShort(offset + LENGTH_OFFSET) & 0xFFFF;
  }

  public ClearHeaderFlyweight length(int value) {
    buffer.putShort(offset + LENGTH_OFFSET, (short) value);
    return this;
  }

  /**
   * Returns the destination CID of bytes that may be a packet. Returns 0, the CID of no connection,
   * if they are shorter than this header.
   */
  public static int peekDestinationCid(ByteBuffer buffer, int offset, int length) {
    return length < HEADER_LENGTH ? 0 : buffer.getInt(offset + DESTINATION_CID_OFFSET);
  }

  /** Returns the type of the packet that begins at {@code offset}, 0..31. */
  static int peekType(ByteBuffer buffer, int offset) {
    return buffer.get(offset + TYPE_AND_FLAGS_OFFSET) & TYPE_MASK;
  }

  /** Returns the receiver's connection id; 0 if it has none yet. */
  public int destinationCid() {
    return buffer.getInt(offset + DESTINATION_CID_OFFSET);
  }

  public ClearHeaderFlyweight destinationCid(int value) {
    buffer.putInt(offset + DESTINATION_CID_OFFSET, value);
    return this;
  }

  /** Returns the receiver's cookie; 0 if it is not known yet. */
  public long cookie() {
    return buffer.getLong(offset + COOKIE_OFFSET);
  }

  public ClearHeaderFlyweight cookie(long value) {
    buffer.putLong(offset + COOKIE_OFFSET, value);
    return this;
  }

  /** Returns the packet's type, 0..31: {@link PacketType}. */
  public int type() {
    return typeAndFlags() & TYPE_MASK;
  }

  /** Writes the type, and zero into the three reserved bits. */
  public ClearHeaderFlyweight type(int value) {
    return typeAndFlags(value & TYPE_MASK);
  }

  /** Returns the three high bits of the type's byte. Version 1 requires them to be 0. */
  public int reservedFlags() {
    return typeAndFlags() & ~TYPE_MASK;
  }
}
