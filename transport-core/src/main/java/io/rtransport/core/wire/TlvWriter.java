package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * Writes the parameters of CONNECT and ACCEPT, one behind the other.
 *
 * <pre>
 *   +---------------+---------------+-------------------
 *   |    id u16     |  length u16   |  value (length)
 *   +---------------+---------------+-------------------
 * </pre>
 *
 * <p>Throws {@link IndexOutOfBoundsException} if a parameter does not fit. That is an error of the
 * caller, which knows its parameters.
 */
public final class TlvWriter {
  /** Bytes before a value. */
  public static final int HEADER_LENGTH = 4;

  private ByteBuffer buffer;
  private int start;
  private int at;
  private int limit;

  /** Begins at {@code index}. Nothing is written at or behind {@code limitIndex}. */
  public TlvWriter wrap(ByteBuffer view, int index, int limitIndex) {
    buffer = view;
    start = index;
    at = index;
    limit = limitIndex;
    return this;
  }

  public TlvWriter putU8(int id, int value) {
    head(id, 1);
    buffer.put(at, (byte) value);
    at += 1;
    return this;
  }

  public TlvWriter putU16(int id, int value) {
    head(id, 2);
    buffer.putShort(at, (short) value);
    at += 2;
    return this;
  }

  public TlvWriter putU32(int id, long value) {
    head(id, 4);
    buffer.putInt(at, (int) value);
    at += 4;
    return this;
  }

  public TlvWriter putU64(int id, long value) {
    head(id, 8);
    buffer.putLong(at, value);
    at += 8;
    return this;
  }

  /** Writes a number of 1, 2, 4 or 8 bytes. */
  public TlvWriter putNumber(int id, int lengthBytes, long value) {
    return switch (lengthBytes) {
      case 1 -> putU8(id, (int) value);
      case 2 -> putU16(id, (int) value);
      case 4 -> putU32(id, value);
      default -> putU64(id, value);
    };
  }

  public TlvWriter putBytes(int id, byte[] value) {
    head(id, value.length);
    buffer.put(at, value, 0, value.length);
    at += value.length;
    return this;
  }

  /** Writes a value of {@code length} bytes, copied from {@code from} at {@code index}. */
  public TlvWriter putBytes(int id, ByteBuffer from, int index, int length) {
    head(id, length);
    buffer.put(at, from, index, length);
    at += length;
    return this;
  }

  /** Returns the bytes written so far. */
  public int length() {
    return at - start;
  }

  private void head(int id, int length) {
    if (at + HEADER_LENGTH + length > limit) {
      throw new IndexOutOfBoundsException(
          "tlv id=" + id + " length=" + length + " at=" + at + ", valid up to " + limit);
    }
    buffer.putShort(at, (short) id).putShort(at + 2, (short) length);
    at += HEADER_LENGTH;
  }
}
