package io.rtransport.demo.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * SHA-256 of files, streamed: 256 KiB of memory for any length. Any thread; the file's position
 * does not change.
 */
public final class Checksum {
  private static final int CHUNK_BYTES = 256 * 1024;

  private Checksum() {}

  /** Returns the checksum of a whole file. */
  public static byte[] sha256(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return sha256(channel, channel.size());
    }
  }

  /**
   * Returns the checksum of the first {@code lengthBytes} bytes.
   *
   * @throws EOFException if the file ends before
   */
  public static byte[] sha256(FileChannel file, long lengthBytes) throws IOException {
    MessageDigest digest = digest();
    ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, Math.max(lengthBytes, 1)));
    long offset = 0;
    while (offset < lengthBytes) {
      chunk.clear().limit((int) Math.min(chunk.capacity(), lengthBytes - offset));
      int count = file.read(chunk, offset);
      if (count < 0) {
        throw new EOFException("the file ends at " + offset + " of " + lengthBytes + " bytes");
      }
      digest.update(chunk.flip());
      offset += count;
    }
    return digest.digest();
  }

  /** Creates a SHA-256 digest. */
  public static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
