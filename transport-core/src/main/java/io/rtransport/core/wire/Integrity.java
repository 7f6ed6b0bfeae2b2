package io.rtransport.core.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Integrity check of the plain mode: CRC-32C (Castagnoli) over every byte before it, in the last
 * four bytes of the packet. It detects damage and authenticates nobody. Each event loop has one
 * instance. Buffers keep their position and limit.
 */
public final class Integrity {
  /** Bytes of the checksum. */
  public static final int TRAILER_LENGTH = 4;

  /**
   * Bytes reserved behind the records for the trailer of any mode. Encryption then changes no
   * payload size.
   */
  public static final int TRAILER_LENGTH_MAX = 16;

  private final CRC32C crc = new CRC32C();

  /** Writes the trailer of the packet at {@code [offset, offset + lengthWithTrailer)}. */
  public void seal(ByteBuffer buffer, int offset, int lengthWithTrailer) {
    int covered = lengthWithTrailer - TRAILER_LENGTH;
    buffer.putInt(offset + covered, checksum(buffer, offset, covered));
  }

  /**
   * Returns whether the trailer of the packet at {@code [offset, offset + lengthWithTrailer)} is
   * right.
   */
  public boolean verify(ByteBuffer buffer, int offset, int lengthWithTrailer) {
    int covered = lengthWithTrailer - TRAILER_LENGTH;
    return covered >= 0 && buffer.getInt(offset + covered) == checksum(buffer, offset, covered);
  }

  /** Returns the CRC-32C of {@code length} bytes from {@code offset}. */
  public int checksum(ByteBuffer buffer, int offset, int length) {
    crc.reset();
    if (buffer.hasArray()) {
      crc.update(buffer.array(), buffer.arrayOffset() + offset, length);
    } else {
      int position = buffer.position();
      int limit = buffer.limit();
      buffer.limit(offset + length).position(offset);
      crc.update(buffer);
      buffer.limit(limit).position(position);
    }
    return (int) crc.getValue();
  }
}
