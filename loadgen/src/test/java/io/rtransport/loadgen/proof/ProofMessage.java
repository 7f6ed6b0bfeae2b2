package io.rtransport.loadgen.proof;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What a message of a proof says of itself: the process whose life it is meant for, the connection
 * that it was sent on, its number on that, and what its bytes are drawn from: so whoever has the
 * header can tell what the message must be.
 *
 * @param life of the target
 * @param stream the connection's number, chosen by the initiator
 * @param sequence on that connection, from 0
 * @param content seed of its bytes; those of a shorter message are the first of a longer one's
 */
record ProofMessage(long life, long stream, long sequence, long content) {
  /** The content that messages from files have. */
  static final long FILE = 0xF11E;

  private static final int LENGTH = 4 * Long.BYTES;
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  /** One in so many is failed by the target's application, on purpose. */
  private static final int FAILED_EVERY = 50;

  /** The code that it is failed with. */
  static final int FAILURE_CODE = 77;

  /** A message with bytes of its own. */
  ProofMessage(long life, long stream, long sequence) {
    this(life, stream, sequence, stream * GOLDEN + sequence);
  }

  byte[] header() {
    return ByteBuffer.allocate(LENGTH)
        .putLong(life)
        .putLong(stream)
        .putLong(sequence)
        .putLong(content)
        .array();
  }

  static ProofMessage of(byte[] header) {
    ByteBuffer fields = ByteBuffer.wrap(header);
    return new ProofMessage(fields.getLong(), fields.getLong(), fields.getLong(), fields.getLong());
  }

  boolean isToFail() {
    return sequence % FAILED_EVERY == FAILED_EVERY - 1;
  }

  /** The payload, {@code lengthBytes} of it. */
  byte[] payload(int lengthBytes) {
    ByteBuffer words = ByteBuffer.allocate(lengthBytes + Long.BYTES);
    long state = content;
    while (words.position() < lengthBytes) {
      state += GOLDEN;
      long word = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
      words.putLong(word ^ word >>> 31);
    }
    return Arrays.copyOf(words.array(), lengthBytes);
  }
}
