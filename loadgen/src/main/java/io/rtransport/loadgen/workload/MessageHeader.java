package io.rtransport.loadgen.workload;

import io.netty.buffer.ByteBuf;

/**
 * First 16 bytes of every message of every transport: {@code sequence u64 | checksum u32 | measured
 * flag and length u32}, big-endian. The checksum covers the body (CRC32C) and, mixed in, the rest
 * of the header. So a body that arrives under another message's header is refused. The length is
 * the frame of transports without message boundaries.
 */
public final class MessageHeader {
  /** Bytes of the header; also the smallest message, and the request of a pull. */
  public static final int LENGTH = 16;

  private static final int CHECKSUM_OFFSET = 8;
  private static final int LENGTH_OFFSET = 12;
  private static final int MEASURED = 0x8000_0000;

  private MessageHeader() {}

  /** Writes a header at the writer index. */
  public static void write(
      ByteBuf to, long sequence, int lengthBytes, boolean measured, int bodyChecksum) {
    int word = measured ? lengthBytes | MEASURED : lengthBytes;
    to.writeLong(sequence);
    to.writeInt(bodyChecksum ^ mixed(sequence, word));
    to.writeInt(word);
  }

  /** Returns the sequence number of the message at {@code index}. */
  public static long sequence(ByteBuf from, int index) {
    return from.getLong(index);
  }

  /**
   * Returns the length of the whole message that begins at {@code index}, as its header says: not
   * yet verified.
   */
  public static int lengthBytes(ByteBuf from, int index) {
    return from.getInt(index + LENGTH_OFFSET) & ~MEASURED;
  }

  /** Returns whether the message belongs to the measured time. */
  public static boolean isMeasured(ByteBuf from, int index) {
    return from.getInt(index + LENGTH_OFFSET) < 0;
  }

  /** Returns the checksum that the body must have for the header to be right. */
  public static int expectedBodyChecksum(ByteBuf from, int index) {
    return from.getInt(index + CHECKSUM_OFFSET)
        ^ mixed(from.getLong(index), from.getInt(index + LENGTH_OFFSET));
  }

  /**
   * Spreads every bit of the other header fields over 32 bits (a finaliser by multiplication and
   * shifts).
   */
  private static int mixed(long sequence, int word) {
    long mixed = (sequence ^ (long) word << 29) * 0x9E37_79B9_7F4A_7C15L;
    mixed ^= mixed >>> 32;
    mixed *= 0xD6E8_FEB8_6659_FD93L;
    return (int) (mixed >>> 32) ^ word;
  }
}
