package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * Walks over the parameters of a CONNECT or ACCEPT. {@link #isWellFormed()} is what the door asks;
 * once it has said yes, {@link #next()} can be trusted. Layout: {@link TlvWriter}.
 */
public final class TlvReader {
  private ByteBuffer buffer;
  private int start;
  private int end;
  private int at;
  private int next;

  /** Looks at the parameters in {@code [index, index + length)}; before the first one. */
  public TlvReader wrap(ByteBuffer view, int index, int length) {
    buffer = view;
    start = index;
    end = index + length;
    rewind();
    return this;
  }

  /** Goes back before the first TLV. */
  public TlvReader rewind() {
    at = start;
    next = start;
    return this;
  }

  /** Moves to the next one; false when there is none, or what follows is not whole. */
  public boolean next() {
    if (end - next < TlvWriter.HEADER_LENGTH) {
      return false;
    }
    int length = buffer.getShort(next + 2) & 0xFFFF;
    if (end - next - TlvWriter.HEADER_LENGTH < length) {
      return false;
    }
    at = next;
    next += TlvWriter.HEADER_LENGTH + length;
    return true;
  }

  /** Moves to the parameter {@code id}; false when there is none. */
  public boolean find(int id) {
    rewind();
    while (next()) {
      if (id() == id) {
        return true;
      }
    }
    return false;
  }

  /** Returns the {@link TlvId} of the current TLV. */
  public int id() {
    return buffer.getShort(at) & 0xFFFF;
  }

  /** Bytes of its value. */
  public int length() {
    return buffer.getShort(at + 2) & 0xFFFF;
  }

  /** Returns the absolute index of its value. */
  public int valueOffset() {
    return at + TlvWriter.HEADER_LENGTH;
  }

  /** Returns byte {@code i} of its value, 0..255. */
  public int byteAt(int i) {
    return buffer.get(valueOffset() + i) & 0xFF;
  }

  /** Returns its value as an unsigned number of 1, 2, 4 or 8 bytes. Above 2^63-1 it is negative. */
  public long value() {
    switch (length()) {
      case 1:
        return buffer.get(valueOffset()) & 0xFF;
      case 2:
        return buffer.getShort(valueOffset()) & 0xFFFF;
      case 4:
        return buffer.getInt(valueOffset()) & 0xFFFF_FFFFL;
      default:
        return buffer.getLong(valueOffset());
    }
  }

  /**
   * Returns whether they fill their bytes exactly, and each known one stands once and has a valid
   * length.
   */
  public boolean isWellFormed() {
    rewind();
    long seen = 0;
    while (next()) {
      int id = id();
      if (TlvId.isKnown(id)) {
        long bit = 1L << id;
        if ((seen & bit) != 0 || !TlvId.isLengthValid(id, length())) {
          return false;
        }
        seen |= bit;
      }
    }
    boolean exact = next == end;
    rewind();
    return exact;
  }
}
