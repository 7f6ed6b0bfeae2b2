package io.rtransport.loadgen.workload;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * Contents of messages: seeded random bytes. Each message takes a part that starts at one of 16
 * places by its sequence number, so that neighbours differ in every byte. The checksum of each part
 * is computed once. So the sender pays only for a copy (or for nothing, when it sends by
 * reference), and only the receiver reads every byte. Confined to one event loop.
 */
public final class MessageContents {
  private static final int VARIANTS = 16;

  /** An odd prime: neighbouring parts share no alignment. */
  private static final int STEP = 73;

  private final byte[] random;
  private final ByteBuf bytes;
  private int[] lengths = new int[0];
  private int[][] checksums = new int[0][];

  /**
   * Creates the contents.
   *
   * @param seed of the random bytes
   * @param lengthBytesMax of a message, header included
   */
  public MessageContents(long seed, int lengthBytesMax) {
    random = new byte[lengthBytesMax + VARIANTS * STEP];
    new SplittableRandom(seed).nextBytes(random);
    ByteBuffer direct = ByteBuffer.allocateDirect(random.length);
    direct.put(random).flip();
    bytes = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(direct));
  }

  /** Appends a whole message to {@code to}. */
  public void writeMessage(ByteBuf to, long sequence, int lengthBytes, boolean measured) {
    writeHeader(to, sequence, lengthBytes, measured);
    // From an array: between two direct buffers Netty makes a view of each, every time.
    to.writeBytes(random, offset(sequence), lengthBytes - MessageHeader.LENGTH);
  }

  /** Appends only the header; the {@link #body} must follow. */
  public void writeHeader(ByteBuf to, long sequence, int lengthBytes, boolean measured) {
    MessageHeader.write(to, sequence, lengthBytes, measured, checksum(sequence, lengthBytes));
  }

  /** Returns the body of a message by reference. Releasing it does nothing. */
  public ByteBuf body(long sequence, int lengthBytes) {
    return bytes.slice(offset(sequence), lengthBytes - MessageHeader.LENGTH);
  }

  /** Returns the bytes of all bodies, for transports that take arrays. They must not be changed. */
  public byte[] array() {
    return random;
  }

  /** Returns the index in {@link #array} where the body of message {@code sequence} begins. */
  public int bodyOffset(long sequence) {
    return offset(sequence);
  }

  private static int offset(long sequence) {
    return (int) (sequence & VARIANTS - 1) * STEP;
  }

  private int checksum(long sequence, int lengthBytes) {
    for (int i = 0; i < lengths.length; i++) {
      if (lengths[i] == lengthBytes) {
        return checksums[i][(int) (sequence & VARIANTS - 1)];
      }
    }
    int[] learned = new int[VARIANTS];
    CRC32C crc = new CRC32C();
    for (int variant = 0; variant < VARIANTS; variant++) {
      crc.reset();
      crc.update(bytes.nioBuffer(variant * STEP, lengthBytes - MessageHeader.LENGTH));
      learned[variant] = (int) crc.getValue();
    }
    lengths = Arrays.copyOf(lengths, lengths.length + 1);
    checksums = Arrays.copyOf(checksums, lengths.length);
    lengths[lengths.length - 1] = lengthBytes;
    checksums[lengths.length - 1] = learned;
    return learned[(int) (sequence & VARIANTS - 1)];
  }
}
