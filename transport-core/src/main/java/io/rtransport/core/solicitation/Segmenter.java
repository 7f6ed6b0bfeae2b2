package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.OutgoingPayload;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.PullDataFlyweight;
import io.rtransport.core.wire.PushSolicitedDataFlyweight;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import java.nio.ByteBuffer;

/**
 * Cuts messages into records that fill packets.
 *
 * <p>A message that fits into the rest of a packet goes WHOLE. A small one that does not fit waits
 * for the next packet: putting it together would cost the receiver more than the gap costs. A
 * larger one is split to fill the packet. Payload is copied once, from its source to its place in
 * the packet.
 */
final class Segmenter {
  /** Smallest piece that is worth its header, unless it is the last, bytes. */
  static final int PIECE_BYTES_MIN = 64;

  private final int recordsLengthLeast;
  private final int unsplitLengthMax;
  private final Counters counters;
  private final PushUnsolicitedDataFlyweight unsolicited;
  private final PushSolicitedDataFlyweight solicited;
  private final PullDataFlyweight pull;
  private boolean isSourceEmpty;
  private boolean isCopying;
  private long copyingHandle;
  private boolean isReadyAgain;

  /**
   * @param recordsLengthMax bytes of records in a full packet
   * @param recordsLengthLeast the same when the path carries only the smallest packets
   */
  Segmenter(int recordsLengthMax, int recordsLengthLeast, Counters counters, Flyweights write) {
    this.recordsLengthLeast = recordsLengthLeast;
    unsplitLengthMax = Math.min(recordsLengthMax >> 2, recordsLengthLeast);
    this.counters = counters;
    unsolicited = write.pushUnsolicited;
    solicited = write.pushSolicited;
    pull = write.pullData;
  }

  /**
   * Notes that the source of {@code handle} has more bytes.
   *
   * @return whether this call comes from inside the copy that is under way. Then its message stays
   *     ready, however short the copy is
   */
  boolean ready(long handle) {
    boolean isInside = isCopying && copyingHandle == handle;
    isReadyAgain |= isInside;
    return isInside;
  }

  /**
   * Returns whether the last call stopped because the source had fewer bytes than asked for, and
   * has not reported more meanwhile.
   */
  boolean isSourceEmpty() {
    return isSourceEmpty;
  }

  /**
   * Writes one record of an unsolicited push. Returns its length, 0 when nothing was written.
   *
   * @param flags of the record, beside those that follow from its contents
   */
  int writeUnsolicited(Transaction t, int flags, ByteBuffer to, int index, int limit) {
    isSourceEmpty = false;
    int room = limit - index;
    long sentBytes = t.outgoing().sentBytes();
    int headerRoom = sentBytes > 0 || t.headerLength() == 0 ? 0 : 2 + t.headerLength();
    if (sentBytes == 0) {
      long whole = PushUnsolicitedDataFlyweight.FIXED_LENGTH + headerRoom + t.lengthBytes();
      if (whole <= room) {
        return writeWhole(t, flags, to, index, headerRoom);
      }
      if (whole <= unsplitLengthMax) {
        return 0;
      }
    }
    int fixed = PushUnsolicitedDataFlyweight.fixedLength(0) + headerRoom;
    int length = pieceLength(t.lengthBytes() - sentBytes, room, fixed);
    return length == 0 ? 0 : writePiece(t, flags, to, index, headerRoom, length);
  }

  private int writeWhole(Transaction t, int flags, ByteBuffer to, int index, int headerRoom) {
    int length = (int) t.lengthBytes();
    int payload = index + PushUnsolicitedDataFlyweight.FIXED_LENGTH + headerRoom;
    int copied = copy(t, to, payload, length);
    if (copied < length) {
      // Not all bytes are there yet. The available bytes go as a piece, or nothing goes.
      int fits =
          Math.min(
              copied,
              length
                  - 1
                  - (PushUnsolicitedDataFlyweight.OFFSET_LENGTH
                      + PushUnsolicitedDataFlyweight.TOTAL_LENGTH));
      return fits <= 0 ? 0 : writePiece(t, flags, to, index, headerRoom, fits);
    }
    unsolicited
        .wrapNew(
            to, index, flags | PushUnsolicitedDataFlyweight.FLAG_WHOLE | headerFlag(headerRoom))
        .rsn(t.rsn());
    putHeader(t, to, headerRoom);
    unsolicited.payloadLength(length);
    onSent(t, length);
    return unsolicited.length();
  }

  private int writePiece(
      Transaction t, int flags, ByteBuffer to, int index, int headerRoom, int length) {
    unsolicited
        .wrapNew(to, index, flags | headerFlag(headerRoom))
        .rsn(t.rsn())
        .offset(t.outgoing().sentBytes())
        .total(t.lengthBytes());
    putHeader(t, to, headerRoom);
    int copied = copy(t, to, unsolicited.payloadOffset(), length);
    if (copied == 0) {
      return 0;
    }
    unsolicited.payloadLength(copied);
    onSent(t, copied);
    return unsolicited.length();
  }

  private static int headerFlag(int headerRoom) {
    return headerRoom == 0 ? 0 : PushUnsolicitedDataFlyweight.FLAG_HEADER;
  }

  private void putHeader(Transaction t, ByteBuffer to, int headerRoom) {
    if (headerRoom > 0) {
      unsolicited.headerLength(t.headerLength());
      to.put(unsolicited.headerOffset(), t.header(), 0, t.headerLength());
    }
  }

  /** Writes one record of granted bytes of a solicited push. */
  int writeSolicited(Transaction t, ByteBuffer to, int index, int limit) {
    isSourceEmpty = false;
    int fixed = PushSolicitedDataFlyweight.FIXED_LENGTH;
    OutgoingPayload out = t.outgoing();
    int length = pieceLength(out.grantedBytes() - out.sentBytes(), limit - index, fixed);
    if (length == 0) {
      return 0;
    }
    solicited.wrapNew(to, index).rsn(t.rsn()).offset(out.sentBytes());
    int copied = copy(t, to, solicited.payloadOffset(), length);
    if (copied == 0) {
      return 0;
    }
    solicited.payloadLength(copied);
    onSent(t, copied);
    return solicited.length();
  }

  /** Writes one record of the answer to a pull, as far as the puller allows. */
  int writeAnswer(Transaction t, ByteBuffer to, int index, int limit) {
    isSourceEmpty = false;
    OutgoingPayload out = t.outgoing();
    long total = t.answerLengthBytes();
    int room = limit - index;
    boolean isWhole =
        out.sentBytes() == 0
            && total <= out.grantedBytes()
            && PullDataFlyweight.FIXED_LENGTH + total <= room;
    int flags = isWhole ? PullDataFlyweight.FLAG_WHOLE : 0;
    long allowed = Math.min(total, out.grantedBytes()) - out.sentBytes();
    int length =
        isWhole ? (int) total : pieceLength(allowed, room, PullDataFlyweight.fixedLength(0));
    if (length == 0 && !isWhole) {
      return 0;
    }
    pull.wrapNew(to, index, flags).rsn(t.rsn());
    if (!isWhole) {
      pull.offset(out.sentBytes()).total(total);
    }
    int copied = copy(t, to, pull.payloadOffset(), length);
    if (isWhole && copied < length) {
      // The rest is not ready: the answer goes in pieces, from this record on.
      int fits =
          Math.min(
              copied,
              length - 1 - (PullDataFlyweight.OFFSET_LENGTH + PullDataFlyweight.TOTAL_LENGTH));
      if (fits <= 0) {
        return 0;
      }
      pull.wrapNew(to, index, 0).rsn(t.rsn()).offset(0).total(total);
      copied = copy(t, to, pull.payloadOffset(), fits);
    } else if (copied == 0 && length > 0) {
      return 0;
    }
    pull.payloadLength(copied);
    onSent(t, copied);
    return pull.length();
  }

  /**
   * Returns the bytes of the next piece behind {@code fixed} bytes; 0 when it is better to wait for
   * the next packet.
   */
  private int pieceLength(long remaining, int room, int fixed) {
    // With a long header even an empty packet has less room than that: then whatever fits must go.
    int least = Math.min(PIECE_BYTES_MIN, recordsLengthLeast - fixed);
    long length = Math.min(remaining, room - fixed);
    return length < Math.min(remaining, least) ? 0 : (int) length;
  }

  private int copy(Transaction t, ByteBuffer to, int index, int length) {
    OutgoingPayload out = t.outgoing();
    isCopying = true;
    copyingHandle = out.handle();
    isReadyAgain = false;
    int copied = out.copy(to, index, length);
    isCopying = false;
    isSourceEmpty |= copied < length && !isReadyAgain;
    if (out.sentBytes() + copied == t.payloadBytes()) {
      out.letGo(); // its owner knows, because the last byte was asked for
    }
    return copied;
  }

  private void onSent(Transaction t, int bytes) {
    t.outgoing().send(bytes);
    counters.add(CounterId.MESSAGE_BYTES_SENT, bytes);
  }
}
