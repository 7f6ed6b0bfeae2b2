package io.rtransport.core.window;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.AckFlyweight;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.Integrity;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketTools;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.RecordFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;

/**
 * Turns records into packets. A numbered packet is built once, at the place where it stays until it
 * is acknowledged. A resend rewrites only the fields about the present (bases, hints, path,
 * transmission sequence, the ACK-request flag) and the checksum. It never changes the PSN or a
 * record.
 *
 * <p>Packets of a run have equal length, so that neighbours leave as one GSO send. The first packet
 * sets the length. A later packet is filled only to that length and padded by up to 6 %. If more
 * padding is needed, it is the run's last packet.
 */
final class PacketBuilder {
  /** A run begins only with a packet that is at least three quarters full. */
  private static final int RUN_FULL_NUMERATOR = 3;

  private static final int RUN_FULL_DENOMINATOR = 4;

  /** Largest padding, in percent of the packet's length. */
  private static final int PAD_PERCENT_MAX = 6;

  /** "Held" field of a path report in a resend. It makes the report useless as a sample. */
  private static final long HELD_UNKNOWN = 0xFFFF_FFFFL;

  private static final int TRAILER = Integrity.TRAILER_LENGTH;

  private final WindowConfig config;
  private final ByteBuffer memory;
  private final RxWindow requests;
  private final RxWindow data;
  private final AckScheduler acks;
  private final Integrity integrity;
  private final ClearHeaderFlyweight clear;
  private final NumberedHeaderFlyweight header;
  private final RecordFlyweight record;
  private final AckFlyweight block;

  private int packetLengthMax;
  private int runLength;
  private int completedRsnSaid;
  private int creditSaid;
  private boolean wasHintSaid;

  PacketBuilder(
      WindowConfig config,
      ByteBuffer memory,
      RxWindow requests,
      RxWindow data,
      AckScheduler acks,
      PacketTools tools) {
    this.config = config;
    this.memory = memory;
    this.requests = requests;
    this.data = data;
    this.acks = acks;
    this.integrity = tools.integrity();
    this.clear = tools.writing().clear;
    this.header = tools.writing().header;
    this.record = tools.writing().record;
    this.block = tools.writing().ack;
    this.packetLengthMax = config.packetLengthMax();
  }

  /**
   * Sets the maximum length of packets built from now on. A run of longer packets ends, because no
   * other packet of its length has room.
   */
  void packetLengthMax(int bytes) {
    packetLengthMax = bytes;
    if (runLength > bytes) {
      runLength = 0;
    }
  }

  /** Ends the run. The next packet begins a new one. */
  void endRun() {
    runLength = 0;
  }

  /**
   * Builds a packet at {@code offset} of the store's memory, without path, transmission sequence
   * and checksum.
   *
   * @param roundTripNs the best estimate, or 0 if there is none
   * @return its length, or 0 if the source gave no record; then nothing has changed
   */
  int build(
      WindowClass windowClass,
      int psn,
      int offset,
      RecordSource records,
      long roundTripNs,
      long nowNs) {
    boolean hasBlock = acks.isBlockWanted(roundTripNs, nowNs);
    while (true) { // one call site: fill is inlined here and is the largest part of sending
      int lengthMax = runLength > 0 ? runLength : packetLengthMax;
      int length =
          fill(windowClass, psn, offset, lengthMax, records, hasBlock, 2 * roundTripNs, nowNs);
      if (length > 0) {
        return closeAt(offset, length);
      }
      if (hasBlock) {
        hasBlock = false;
      } else if (runLength > 0) {
        runLength = 0;
      } else {
        return 0;
      }
    }
  }

  private int fill(
      WindowClass windowClass,
      int psn,
      int offset,
      int lengthMax,
      RecordSource records,
      boolean hasBlock,
      long recentNs,
      long nowNs) {
    int completedRsn = records.completedRsnHint();
    int credit = (int) records.creditLimitBytes();
    int flags =
        (!wasHintSaid || completedRsn != completedRsnSaid
                ? NumberedHeaderFlyweight.FLAG_COMPLETED_RSN_HINT
                : 0)
            | (!wasHintSaid || credit != creditSaid ? NumberedHeaderFlyweight.FLAG_CREDIT_HINT : 0);
    header.wrap(memory, offset).flags(flags);
    int blockOffset = header.ackBlockOffset();
    int blockLength = hasBlock ? acks.measure(AckScheduler.BLOCK_WORDS_MAX, recentNs, nowNs) : 0;
    int from = blockOffset + blockLength;
    int limit = offset + lengthMax - TRAILER;
    int pulled =
        from + RecordFlyweight.HEADER_LENGTH > limit
            ? 0
            : records.pullRecords(windowClass, psn, memory, from, limit, nowNs);
    if (pulled == 0) {
      return 0;
    }
    if ((flags & NumberedHeaderFlyweight.FLAG_COMPLETED_RSN_HINT) != 0) {
      header.completedRsnHint(completedRsn);
    }
    if ((flags & NumberedHeaderFlyweight.FLAG_CREDIT_HINT) != 0) {
      header.creditHint(credit);
    }
    completedRsnSaid = completedRsn;
    creditSaid = credit;
    wasHintSaid = true;
    if (hasBlock) {
      acks.write(
          memory,
          blockOffset,
          AckScheduler.BLOCK_WORDS_MAX,
          records.creditLimitBytes(),
          recentNs,
          nowNs);
      header.flags(flags | NumberedHeaderFlyweight.FLAG_ACK_BLOCK);
    }
    header
        .psn(psn)
        .requestAckBase(requests.base())
        .dataAckBase(data.base())
        .recordCount(records.pulledRecordCount())
        .reserved(0);
    int length = from + pulled - offset + TRAILER;
    writeClear(memory, offset, PacketType.of(windowClass), length);
    return length;
  }

  private void writeClear(ByteBuffer to, int offset, int type, int length) {
    clear
        .wrap(to, offset)
        .version(ClearHeaderFlyweight.VERSION)
        .type(type)
        .length(length)
        .destinationCid(config.peerCid())
        .cookie(config.peerCookie());
  }

  /** Adds a packet to the run, or begins or ends a run with it. Returns its final length. */
  private int closeAt(int offset, int length) {
    if (runLength == 0) {
      boolean isFull = length * RUN_FULL_DENOMINATOR >= packetLengthMax * RUN_FULL_NUMERATOR;
      runLength = isFull ? length : 0;
      return length;
    }
    int missing = runLength - length;
    if (missing == 0) {
      return length;
    }
    boolean isPadded =
        missing >= RecordFlyweight.HEADER_LENGTH
            && missing * 100 <= runLength * PAD_PERCENT_MAX
            && header.recordCount() < Limits.RECORDS_PER_PACKET_MAX;
    if (!isPadded) {
      runLength = 0;
      return length;
    }
    pad(offset + length - TRAILER, missing);
    header.recordCount(header.recordCount() + 1);
    clear.length(runLength);
    return runLength;
  }

  private void pad(int at, int length) {
    record.wrap(memory, at).type(RecordType.PAD).flags(0).length(length);
    for (int i = at + RecordFlyweight.HEADER_LENGTH; i < at + length; i++) {
      memory.put(i, (byte) 0);
    }
  }

  /**
   * Shortens a packet in place to {@code lengthMax}. The first records that fit stay, in their
   * order. The others go to {@code repacked}. Records whose acknowledgement is tracked by packet
   * number come first and always fit ({@link RecordSource#pullRecords}).
   *
   * @param lengthMax at least the floor of the path's {@link PathMtuSearch}
   * @return its new length
   */
  int shorten(int offset, int length, int lengthMax, int token, RepackedRecords repacked) {
    header.wrap(memory, offset);
    int from = header.recordsOffset();
    int end = offset + length - TRAILER;
    header.flags(header.flags() & ~NumberedHeaderFlyweight.FLAG_ACK_BLOCK);
    int to = header.recordsOffset();
    int cut = from;
    int kept = 0;
    while (cut < end) {
      int recordLength = record.wrap(memory, cut).length();
      if (to + (cut + recordLength - from) + TRAILER - offset > lengthMax) {
        break;
      }
      cut += recordLength;
      kept++;
    }
    if (cut < end) {
      repacked.add(cut, end, token, memory.getInt(cut));
    }
    memory.put(to, memory, from, cut - from);
    header.recordCount(kept);
    int newLength = to + (cut - from) + TRAILER - offset;
    clear.wrap(memory, offset).length(newLength);
    return newLength;
  }

  /** Rewrites a packet for a resend. {@link #stamp} writes path and sequence. */
  void rewrite(int offset, boolean isAckRequested, RecordSource records) {
    header.wrap(memory, offset).requestAckBase(requests.base()).dataAckBase(data.base());
    int flags = header.flags() & ~NumberedHeaderFlyweight.FLAG_ACK_REQUESTED;
    header.flags(isAckRequested ? flags | NumberedHeaderFlyweight.FLAG_ACK_REQUESTED : flags);
    if (header.hasCompletedRsnHint()) {
      header.completedRsnHint(records.completedRsnHint());
    }
    if (header.hasCreditHint()) {
      header.creditHint((int) records.creditLimitBytes());
    }
    if (header.hasAckBlock()) {
      spoilSamples(header.ackBlockOffset());
    }
  }

  /**
   * Invalidates the round-trip samples of an ACK block. The block's other content stays true, but
   * the time for which a packet was held does not.
   */
  private void spoilSamples(int blockOffset) {
    block.wrap(memory, blockOffset);
    for (int i = 0; i < block.pathCount(); i++) {
      block.path(
          i, block.pathId(i), block.pathHighestSequence(i), HELD_UNKNOWN, block.pathDuplicates(i));
    }
  }

  /** Writes the path and the transmission sequence. */
  void stamp(int offset, int pathId, int sequence) {
    header.wrap(memory, offset).pathId(pathId).transmissionSequence(sequence);
  }

  /** Returns whether the packet at {@code offset} has an ACK block. */
  boolean hasAckBlock(int offset) {
    return header.wrap(memory, offset).hasAckBlock();
  }

  /** Sets the flag that asks the peer for an acknowledgement at once. */
  void requestAck(int offset) {
    header.wrap(memory, offset);
    header.flags(header.flags() | NumberedHeaderFlyweight.FLAG_ACK_REQUESTED);
  }

  /** Writes the checksum. The packet must not change after it. */
  void seal(int offset, int length) {
    integrity.seal(memory, offset, length);
  }

  /** Writes an ACK packet. Returns its length in bytes. */
  int writeAck(ByteBuffer to, int offset, long creditLimit, long roundTripNs, long nowNs) {
    int bodyOffset = offset + ClearHeaderFlyweight.HEADER_LENGTH;
    // All 16 words of both windows and eight paths make 396 bytes. They fit the smallest datagram.
    int bodyLength =
        acks.write(
            to, bodyOffset, AckFlyweight.WORD_COUNT_MAX, creditLimit, 2 * roundTripNs, nowNs);
    int length = ClearHeaderFlyweight.HEADER_LENGTH + bodyLength + TRAILER;
    writeClear(to, offset, PacketType.ACK, length);
    integrity.seal(to, offset, length);
    return length;
  }
}
