package io.rtransport.core.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * ADD_NI and REMOVE_NI: the sender has a network interface more, or one less. A NID names the
 * interface.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |      type     |     flags     |             length            |
 *   +---------------------------------------------------------------+
 *   |                            version                            |
 *   +---------------------------------------------------------------+
 *   |                   NID, UTF-8, 1 to 96 bytes                   |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class NiFlyweight extends RecordFlyweight {
  public static final int VERSION_OFFSET = 4;
  public static final int VERSION_LENGTH = 4;

  /** Bytes before the NID. */
  public static final int FIXED_LENGTH = 8;

  /** Bytes of the longest NID. */
  public static final int NID_LENGTH_MAX = 96;

  @Override
  public NiFlyweight wrap(ByteBuffer view, int index) {
    super.wrap(view, index);
    return this;
  }

  /**
   * Begins a record at {@code index}: writes its type, no flags and the length without a NID.
   *
   * @param type ADD_NI or REMOVE_NI
   */
  public NiFlyweight wrapNew(ByteBuffer view, int index, int type) {
    wrap(view, index);
    type(type).flags(0).length(FIXED_LENGTH);
    return this;
  }

  /** Returns the number of the change. The first change of a connection's side has 1. */
  public int version() {
    return buffer.getInt(offset + VERSION_OFFSET);
  }

  public NiFlyweight version(int value) {
    buffer.putInt(offset + VERSION_OFFSET, value);
    return this;
  }

  /** Returns the NID's text. Allocates: changes of interfaces are rare. */
  public String nid() {
    byte[] bytes = new byte[length() - FIXED_LENGTH];
    buffer.get(offset + FIXED_LENGTH, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Writes the NID's text, and the record's length. */
  public NiFlyweight nid(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    buffer.put(offset + FIXED_LENGTH, bytes);
    length(FIXED_LENGTH + bytes.length);
    return this;
  }
}
