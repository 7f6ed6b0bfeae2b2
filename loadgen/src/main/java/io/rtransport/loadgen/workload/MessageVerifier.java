package io.rtransport.loadgen.workload;

import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/**
 * Receiver's counts of one connection in one direction. It reads every byte of every message, and
 * counts those that arrived intact, twice, late or damaged. It takes whole messages, or the pieces
 * of one as they arrive. Confined to one event loop.
 */
public final class MessageVerifier {
  /**
   * Length up to which copying is cheaper than the view of a direct buffer that the checksum would
   * need.
   */
  private static final int COPY_BYTES_MAX = 2_048;

  private byte[] copy; // made on first use
  private final CRC32C crc = new CRC32C();
  private final SequenceLedger ledger = new SequenceLedger();
  private long sequence;
  private int lengthBytes;
  private boolean measured;
  private int expectedChecksum;
  private int bodyLeftBytes;

  private long messages;
  private long corrupted;
  private long measuredMessages;
  private long measuredBytes;
  private long duplicates;
  private long outOfOrder;
  private long lastBatchNs;
  private long gapNsMax;

  /**
   * Takes a whole message.
   *
   * @return whether it was intact and new
   */
  public boolean onMessage(ByteBuf from, int index, int length) {
    if (length < MessageHeader.LENGTH || MessageHeader.lengthBytes(from, index) != length) {
      corrupted++;
      return false;
    }
    begin(from, index);
    body(from, index + MessageHeader.LENGTH, length - MessageHeader.LENGTH);
    return end();
  }

  /** Begins a message that arrives in pieces, with its whole header. */
  public void begin(ByteBuf from, int index) {
    sequence = MessageHeader.sequence(from, index);
    lengthBytes = MessageHeader.lengthBytes(from, index);
    measured = MessageHeader.isMeasured(from, index);
    expectedChecksum = MessageHeader.expectedBodyChecksum(from, index);
    bodyLeftBytes = lengthBytes - MessageHeader.LENGTH;
    crc.reset();
  }

  /** Takes the next bytes of the body, at most {@link #bodyLeftBytes}. */
  public void body(ByteBuf from, int index, int length) {
    if (length > 0) {
      if (from.hasArray()) {
        crc.update(from.array(), from.arrayOffset() + index, length);
      } else if (length <= COPY_BYTES_MAX) {
        if (copy == null) {
          copy = new byte[COPY_BYTES_MAX];
        }
        from.getBytes(index, copy, 0, length);
        crc.update(copy, 0, length);
      } else if (from.nioBufferCount() == 1) {
        crc.update(from.internalNioBuffer(index, length));
      } else {
        for (var part : from.nioBuffers(index, length)) {
          crc.update(part);
        }
      }
      bodyLeftBytes -= length;
    }
  }

  /** Returns the bytes of the begun message that have not arrived yet. */
  public int bodyLeftBytes() {
    return bodyLeftBytes;
  }

  /**
   * Ends the begun message.
   *
   * @return whether it was intact and new
   */
  public boolean end() {
    if ((int) crc.getValue() != expectedChecksum || sequence < 0) {
      corrupted++;
      return false;
    }
    SequenceLedger.Arrival arrival = ledger.onSequence(sequence);
    if (arrival == SequenceLedger.Arrival.DUPLICATE) {
      duplicates++;
      return false;
    }
    messages++;
    outOfOrder += arrival == SequenceLedger.Arrival.OUT_OF_ORDER ? 1 : 0;
    if (measured) {
      measuredMessages++;
      measuredBytes += lengthBytes;
    }
    return true;
  }

  /** Notes that a read batch with messages ended at {@code nowNs}, for the longest gap. */
  public void onBatchEnd(long nowNs) {
    if (measured) {
      if (lastBatchNs != 0) {
        gapNsMax = Math.max(gapNsMax, nowNs - lastBatchNs);
      }
      lastBatchNs = nowNs;
    }
  }

  /** Returns the number of the last message. */
  public long sequence() {
    return sequence;
  }

  /** Returns the length of the last message, header included. */
  public int lengthBytes() {
    return lengthBytes;
  }

  /** Returns whether the last message belongs to the measured time. */
  public boolean isMeasured() {
    return measured;
  }

  /** Returns the intact new messages, warm-up included. */
  public long messages() {
    return messages;
  }

  /** Adds its counts to a sum over connections. */
  public void addTo(IntegrityCounts sum) {
    sum.add(
        new IntegrityCounts.Counts(
            measuredMessages, measuredBytes, duplicates, corrupted, outOfOrder),
        gapNsMax);
  }
}
