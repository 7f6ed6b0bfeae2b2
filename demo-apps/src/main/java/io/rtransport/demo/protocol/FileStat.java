package io.rtransport.demo.protocol;

import java.nio.ByteBuffer;

/**
 * Answer to a {@link Operation#STAT}: {@code 0 size u64 | 8 SHA-256, 32 bytes}. The checksum is
 * present only if it was computed.
 *
 * @param sizeBytes of the file
 * @param sha256 32 bytes, or null if the file has another size than was asked about
 */
public record FileStat(long sizeBytes, byte[] sha256) {
  /** Longest answer, in bytes. */
  public static final int LENGTH_MAX = 40;

  public byte[] encode() {
    ByteBuffer to = ByteBuffer.allocate(sha256 == null ? 8 : LENGTH_MAX).putLong(sizeBytes);
    return sha256 == null ? to.array() : to.put(sha256).array();
  }

  /** Reads an answer; null when it is invalid. */
  public static FileStat decode(byte[] answer) {
    if (answer.length != 8 && answer.length != LENGTH_MAX) {
      return null;
    }
    ByteBuffer from = ByteBuffer.wrap(answer);
    long sizeBytes = from.getLong();
    if (sizeBytes < 0) {
      return null;
    }
    byte[] sha256 = null;
    if (from.hasRemaining()) {
      sha256 = new byte[32];
      from.get(sha256);
    }
    return new FileStat(sizeBytes, sha256);
  }
}
