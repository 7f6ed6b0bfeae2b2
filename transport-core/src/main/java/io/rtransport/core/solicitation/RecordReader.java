package io.rtransport.core.solicitation;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.NiFlyweight;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.RecordFlyweight;
import io.rtransport.core.wire.RecordType;
import java.nio.ByteBuffer;

/**
 * Reader of the packets of a burst. It reads one step at a time, when asked: a step is the head of
 * a packet or one record. The entry of a record is given before the next record is read. So nothing
 * has to be kept in between, and calls of the application never meet unfinished work. This class
 * decides which class handles a record; that class interprets it.
 */
final class RecordReader {
  private final Initiator initiator;
  private final PullReceiver pullReceiver;
  private final Target target;
  private final UnsolicitedPushes unsolicited;
  private final Credit credit;
  private final Counters counters;
  private final Flyweights read;

  private PacketBurst burst;
  private long nowNs;
  private int nextPacket;

  /** The packet whose records are being read, the one before {@link #nextPacket}. */
  private ByteBuffer buffer;

  private int at;
  private int recordsLeft;
  private PeerNis peerNis = (isAdded, version, nid, atNs) -> {};

  RecordReader(
      Initiator initiator,
      PullReceiver pullReceiver,
      Target target,
      Credit credit,
      Counters counters,
      Flyweights read) {
    this.initiator = initiator;
    this.pullReceiver = pullReceiver;
    this.target = target;
    unsolicited = target.unsolicited();
    this.credit = credit;
    this.counters = counters;
    this.read = read;
  }

  void peerNis(PeerNis taker) {
    peerNis = taker;
  }

  /**
   * Begins with {@code toRead}. Its packets must stay in place until {@link #isReading} returns
   * false.
   */
  void begin(PacketBurst toRead, long atNs) {
    assert burst == null : "a burst before the last one was read to its end";
    burst = toRead;
    nowNs = atNs;
    nextPacket = 0;
    recordsLeft = 0;
  }

  /** Returns whether a burst was begun and not read to its end. */
  boolean isReading() {
    return burst != null;
  }

  /** Ends the burst: it was read, or the rest is not wanted. */
  void end() {
    burst = null;
    buffer = null;
  }

  /** Returns whether a packet or a record is left to be read. */
  boolean hasNext() {
    return recordsLeft > 0 || nextPacket < burst.count();
  }

  /**
   * Reads the next step.
   *
   * @return whether it put an entry into {@code into}
   */
  boolean readNext(OutboxEntry into) {
    if (recordsLeft > 0) {
      recordsLeft--;
      return readRecord(into);
    }
    if (!burst.isDropped(nextPacket)) {
      int type = PacketType.of(burst, nextPacket);
      readHead(type, burst.buffer(nextPacket), burst.offset(nextPacket));
    }
    nextPacket++;
    return false;
  }

  private void readHead(int type, ByteBuffer packet, int offset) {
    if (PacketType.isNumbered(type)) {
      readNumbered(packet, read.header.wrap(packet, offset));
    } else if (type == PacketType.ACK) {
      onCreditLimit(read.ack.wrap(packet, offset + 16).creditLimit());
    } else if (type == PacketType.PONG) {
      onCreditLimit(read.pong.wrap(packet, offset).creditLimit());
    }
  }

  private void readNumbered(ByteBuffer packet, NumberedHeaderFlyweight header) {
    buffer = packet;
    at = header.ackBlockOffset();
    recordsLeft = header.recordCount();
    if (header.hasAckBlock()) {
      at += read.ack.wrap(packet, at).bodyLength();
      onCreditLimit(read.ack.creditLimit());
    }
    readHints(header);
  }

  private void readHints(NumberedHeaderFlyweight header) {
    if (header.hasCreditHint() && !credit.onHint(header.creditHint())) {
      counters.increment(CounterId.CREDIT_IGNORED);
    }
    if (header.hasCompletedRsnHint()) {
      initiator.onCompletedBase(header.completedRsnHint());
    }
  }

  private void onCreditLimit(long limitBytes) {
    if (!credit.onLimit(limitBytes)) {
      counters.increment(CounterId.CREDIT_IGNORED);
    }
  }

  private boolean readRecord(OutboxEntry into) {
    RecordFlyweight record = read.record.wrap(buffer, at);
    int type = record.type();
    int from = at;
    at += record.length();
    if (type == RecordType.PUSH_UNSOLICITED_DATA) {
      return unsolicited.onData(read.pushUnsolicited.wrap(buffer, from), buffer, into);
    }
    onRecord(type, from);
    return false;
  }

  private void onRecord(int type, int from) {
    ByteBuffer in = buffer;
    switch (type) {
      case RecordType.PUSH_SOLICITED_DATA ->
          target.onSolicitedData(read.pushSolicited.wrap(in, from), in, nowNs);
      case RecordType.PULL_DATA -> pullReceiver.onData(read.pullData.wrap(in, from), in, nowNs);
      case RecordType.COMPLETED -> {
        onCreditLimit(read.completed.wrap(in, from).creditLimit());
        initiator.onCompleted(read.completed);
      }
      case RecordType.PUSH_GRANT -> initiator.onPushGrant(read.pushGrant.wrap(in, from));
      case RecordType.PULL_GRANT -> target.responder().onGrant(read.pullGrant.wrap(in, from));
      case RecordType.PUSH_SOLICITED_REQUEST ->
          target.onSolicitedRequest(read.pushRequest.wrap(in, from), in);
      case RecordType.PULL_REQUEST -> target.onPullRequest(read.pullRequest.wrap(in, from), in);
      case RecordType.COMPLETE_IN_ERROR ->
          initiator.onCompleteInError(read.completeInError.wrap(in, from), in);
      case RecordType.FIN ->
          target.admission().onFin(read.fin.wrap(in, from).finalRsn(), read.fin.isClosing());
      case RecordType.CANCEL -> target.cancellations().onCancel(read.cancel.wrap(in, from).rsn());
      case RecordType.RESYNC -> target.cancellations().onResync(read.resync.wrap(in, from));
      case RecordType.ADD_NI, RecordType.REMOVE_NI -> {
        NiFlyweight ni = read.ni.wrap(in, from);
        peerNis.onChange(type == RecordType.ADD_NI, ni.version(), ni.nid(), nowNs);
      }
      default -> {
        // PAD
      }
    }
  }
}
