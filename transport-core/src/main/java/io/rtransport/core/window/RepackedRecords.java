package io.rtransport.core.window;

import io.rtransport.core.wire.PullDataFlyweight;
import io.rtransport.core.wire.PushSolicitedDataFlyweight;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Records of one window that were taken out of packets too long for the path ({@link
 * PacketBuilder#shorten}). They wait at their place in the retransmission store for packets with
 * new numbers. They are moved whole if they fit; data that does not fit is split into pieces. The
 * peer may have received all of them. It takes each byte of a message once, and ignores a request
 * or a grant that it knows.
 *
 * <p>They leave before all new records. So there are never more than were in flight when the path
 * became narrower. On other paths nothing is allocated. Loop-confined.
 */
final class RepackedRecords implements RecordSource {
  /** Smallest piece worth a header, unless it is the last. */
  private static final int PIECE_BYTES_MIN = 64;

  /** Contiguous records. The packet before them overwrote the first word of the first record. */
  private static final class Stretch {
    int at;
    final int end;
    final int token;
    int firstWord;

    Stretch(int at, int end, int token, int firstWord) {
      this.at = at;
      this.end = end;
      this.token = token;
      this.firstWord = firstWord;
    }
  }

  private final RetransmissionStore store;
  private final RetransmissionStore.Lease lease;
  private final ArrayDeque<Stretch> stretches = new ArrayDeque<>(1);
  private final PushUnsolicitedDataFlyweight unsolicited = new PushUnsolicitedDataFlyweight();
  private final PushSolicitedDataFlyweight solicited = new PushSolicitedDataFlyweight();
  private final PullDataFlyweight answer = new PullDataFlyweight();
  private final ArrayDeque<Stretch> emptied = new ArrayDeque<>(1);
  private int movedBytes;
  private int recordCount;
  private RecordSource following;

  RepackedRecords(RetransmissionStore store, RetransmissionStore.Lease lease) {
    this.store = store;
    this.lease = lease;
  }

  boolean isEmpty() {
    return stretches.isEmpty();
  }

  /**
   * Adds the records at {@code at .. end} of the memory under {@code token}. {@code firstWord} is
   * the first word of the first record.
   */
  void add(int at, int end, int token, int firstWord) {
    store.hold(token);
    stretches.addLast(new Stretch(at, end, token, firstWord));
  }

  /** Returns this source, with hints and credit taken from {@code records}. */
  RecordSource before(RecordSource records) {
    following = records;
    return this;
  }

  @Override
  public boolean hasRecords(WindowClass windowClass, long nowNs) {
    return !isEmpty();
  }

  @Override
  public int pulledRecordCount() {
    return recordCount;
  }

  @Override
  public int completedRsnHint() {
    return following.completedRsnHint();
  }

  @Override
  public long creditLimitBytes() {
    return following.creditLimitBytes();
  }

  @Override
  public void onAcknowledged(AcknowledgementView view, long nowNs) {}

  @Override
  public int pullRecords(
      WindowClass windowClass, int psn, ByteBuffer to, int index, int limit, long nowNs) {
    recordCount = 0;
    int at = index;
    while (!stretches.isEmpty() && recordCount < RECORDS_MAX) {
      Stretch first = stretches.peekFirst();
      int type = first.firstWord >>> 24;
      int length = first.firstWord & 0xFFFF;
      int written = 0;
      if (type == RecordType.PAD) {
        next(first, length);
        continue;
      } else if (movedBytes == 0 && length <= limit - at) {
        to.put(at, store.memory(), first.at, length);
        to.putInt(at, first.firstWord);
        written = length;
        next(first, length);
      } else {
        written = writePiece(type, first, length, to, at, limit - at);
      }
      if (written == 0) {
        break;
      }
      recordCount++;
      at += written;
    }
    if (recordCount > 0) {
      following.onRepacked(windowClass, psn);
    }
    return at - index;
  }

  private void next(Stretch stretch, int length) {
    movedBytes = 0;
    stretch.at += length;
    if (stretch.at < stretch.end) {
      stretch.firstWord = store.memory().getInt(stretch.at);
    } else {
      emptied.addLast(stretches.removeFirst());
    }
  }

  /**
   * Gives back the memory of the emptied stretches. Call when the packets built by {@link
   * #pullRecords} have been taken. Before that, a packet could be built in the memory given back.
   */
  void settle() {
    while (!emptied.isEmpty()) {
      store.unhold(lease, emptied.removeFirst().token);
    }
  }

  /**
   * Writes the next piece of a data record, as far as there is room. Returns 0 if it is better to
   * wait for the next packet.
   */
  private int writePiece(int type, Stretch from, int length, ByteBuffer to, int at, int room) {
    return switch (type) {
      case RecordType.PUSH_UNSOLICITED_DATA -> writeUnsolicited(from, length, to, at, room);
      case RecordType.PUSH_SOLICITED_DATA -> {
        int fixed = PushSolicitedDataFlyweight.FIXED_LENGTH;
        int piece = pieceLength(length - fixed, room - fixed);
        if (piece == 0) {
          yield 0;
        }
        solicited.wrap(store.memory(), from.at);
        int rsn = solicited.rsn();
        long offset = solicited.offset() + movedBytes;
        solicited.wrapNew(to, at).rsn(rsn).offset(offset).payloadLength(piece);
        yield move(from, from.at + fixed, length, solicited.payloadOffset(), piece, to, at);
      }
      case RecordType.PULL_DATA -> writeAnswer(from, length, to, at, room);
      default -> 0;
    };
  }

  private int writeUnsolicited(Stretch from, int length, ByteBuffer to, int at, int room) {
    ByteBuffer memory = store.memory();
    int flags = from.firstWord >>> 16 & 0xFF;
    boolean isWhole = (flags & PushUnsolicitedDataFlyweight.FLAG_WHOLE) != 0;
    boolean hasHeader = (flags & PushUnsolicitedDataFlyweight.FLAG_HEADER) != 0;
    int headerAt = from.at + PushUnsolicitedDataFlyweight.fixedLength(flags);
    int headerLength =
        hasHeader
            ? memory.getShort(headerAt - PushUnsolicitedDataFlyweight.HEADER_LENGTH_LENGTH) & 0xFFFF
            : 0;
    int payload = headerAt + headerLength - from.at;
    int pieceFlags = hasHeader && movedBytes == 0 ? PushUnsolicitedDataFlyweight.FLAG_HEADER : 0;
    int fixed =
        PushUnsolicitedDataFlyweight.fixedLength(pieceFlags) + (pieceFlags == 0 ? 0 : headerLength);
    int piece = pieceLength(length - payload, room - fixed);
    if (piece == 0) {
      return 0;
    }
    int rsn = memory.getInt(from.at + PushUnsolicitedDataFlyweight.RSN_OFFSET);
    long offset =
        isWhole
            ? 0
            : memory.getInt(from.at + PushUnsolicitedDataFlyweight.OFFSET_OFFSET) & 0xFFFF_FFFFL;
    long total =
        isWhole
            ? length - payload
            : memory.getInt(from.at + PushUnsolicitedDataFlyweight.TOTAL_OFFSET) & 0xFFFF_FFFFL;
    unsolicited.wrapNew(to, at, pieceFlags).rsn(rsn).offset(offset + movedBytes).total(total);
    if (pieceFlags != 0) {
      unsolicited.headerLength(headerLength);
      to.put(unsolicited.headerOffset(), memory, headerAt, headerLength);
    }
    unsolicited.payloadLength(piece);
    return move(from, from.at + payload, length, unsolicited.payloadOffset(), piece, to, at);
  }

  private int writeAnswer(Stretch from, int length, ByteBuffer to, int at, int room) {
    ByteBuffer memory = store.memory();
    int flags = from.firstWord >>> 16 & 0xFF;
    boolean isWhole = (flags & PullDataFlyweight.FLAG_WHOLE) != 0;
    int payload = PullDataFlyweight.fixedLength(flags);
    int piece = pieceLength(length - payload, room - PullDataFlyweight.fixedLength(0));
    if (piece == 0) {
      return 0;
    }
    int rsn = memory.getInt(from.at + PullDataFlyweight.RSN_OFFSET);
    long offset =
        isWhole ? 0 : memory.getInt(from.at + PullDataFlyweight.OFFSET_OFFSET) & 0xFFFF_FFFFL;
    long total =
        isWhole
            ? length - payload
            : memory.getInt(from.at + PullDataFlyweight.TOTAL_OFFSET) & 0xFFFF_FFFFL;
    answer.wrapNew(to, at, 0).rsn(rsn).offset(offset + movedBytes).total(total);
    answer.payloadLength(piece);
    return move(from, from.at + payload, length, answer.payloadOffset(), piece, to, at);
  }

  private int pieceLength(int payloadLength, int room) {
    int left = payloadLength - movedBytes;
    // Behind a long header even an empty packet has little room. A piece that fits must leave.
    int least = recordCount == 0 ? 1 : PIECE_BYTES_MIN;
    return room < Math.min(left, least) ? 0 : Math.min(left, room);
  }

  private int move(
      Stretch from, int payloadAt, int length, int target, int piece, ByteBuffer to, int at) {
    to.put(target, store.memory(), payloadAt + movedBytes, piece);
    movedBytes += piece;
    if (payloadAt + movedBytes == from.at + length) {
      next(from, length);
    }
    return target + piece - at;
  }

  /** Gives back all memory because the connection ends. */
  void close() {
    settle();
    while (!stretches.isEmpty()) {
      store.unhold(lease, stretches.removeFirst().token);
    }
  }
}
