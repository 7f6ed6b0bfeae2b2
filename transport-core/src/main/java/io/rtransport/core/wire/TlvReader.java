package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * Iterates over the parameters of a CONNECT or ACCEPT. {@link PacketValidator} calls {@link
 * #isWellFormed()}. After it returned true, {@link #next()} returns false only at the end. Layout:
 * {@link TlvWriter}.
 */
public final class TlvReader {
  private ByteBuffer buffer;
  private int start;
  private int end;
  private int at;
  private int next;

  /**
   * Wraps the parameters in {@code [index, index + length)}. The reader stands before the first
   * one.
   */
  public TlvReader wrap(ByteBuffer view, int index, int length) {
    buffer = view;
    start = index;
    end = index + length;
    rewind();
    return this;
  }

  /** Moves back before the first parameter. */
  public TlvReader rewind() {
    at = start;
    next = start;
    return this;
  }

  /** Moves to the next parameter. Returns false if there is none or if the rest is incomplete. */
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

  /** Moves to the parameter {@code id}. Returns false if there is none. */
  public boolean find(int id) {
    rewind();
    while (next()) {
      if (id() == id) {
        return true;
      }
    }
    return false;
  }

  /** Returns the id of the current parameter: {@link TlvId}. */
  public int id() {
    return buffer.getShort(at) & 0xFFFF;
  }

  /** Returns the bytes of the current value. */
  public int length() {
    return buffer.getShort(at + 2) & 0xFFFF;
  }

  /** Returns the absolute index of the current value. */
  public int valueOffset() {
    return at + TlvWriter.HEADER_LENGTH;
  }

  /** Returns byte {@code i} of the current value, 0..255. */
  public int byteAt(int i) {
    return buffer.get(valueOffset() + i) & 0xFF;
  }

  /**
   * Returns the current value as an unsigned number of 1, 2, 4 or 8 bytes. A number above 2^63-1 is
   * returned as negative.
   */
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
   * Returns whether the parameters fill their bytes exactly. Each known one must occur at most once
   * and have a valid length.
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
