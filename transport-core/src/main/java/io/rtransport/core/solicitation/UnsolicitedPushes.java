package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.InboundTransactions;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PolledMessage;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import java.nio.ByteBuffer;

/**
 * The peer's unsolicited pushes (patent, Figure 12): decides which way each takes through this
 * target. A push that is whole in one record and comes at its turn goes straight to the sink and
 * the application. If it is acknowledged before the next entry is asked for, it never had an entry
 * in any table. Any other push is a transaction from its first record on. It is charged then, and
 * opened when its header comes.
 */
final class UnsolicitedPushes {
  private final Target target;
  private final TransactionSublayer transactions;
  private final PolledMessage polled;
  private final CreditAllowance credit;
  private final Reassembler reassembler;
  private final RsnWindow window;
  private final PeerAdmission admission;
  private final CompletionTracker completions;
  private final DeliveryOrder order;
  private final Counters counters;
  private final Failure failure;

  private int wholeLengthMax = -1;

  // The message that was given out last, until the next entry is asked for.
  private boolean isGiven;
  private int givenLength;
  private long givenCost;
  private boolean isGivenUnawaited;

  UnsolicitedPushes(
      Target target,
      TransactionSublayer transactions,
      CreditAllowance credit,
      Reassembler reassembler,
      DeliveryOrder order,
      Counters counters,
      Failure failure) {
    this.target = target;
    this.transactions = transactions;
    this.credit = credit;
    this.reassembler = reassembler;
    this.order = order;
    this.counters = counters;
    this.failure = failure;
    polled = transactions.inbound().polled();
    window = target.window();
    admission = target.admission();
    completions = target.completions();
  }

  /** Sets the longest payload that is given out whole, bytes; negative: none. */
  void wholeLengthMax(int lengthBytes) {
    wholeLengthMax = lengthBytes;
  }

  /** Handles a record. Returns whether it put the message into {@code into}. */
  boolean onData(PushUnsolicitedDataFlyweight record, ByteBuffer buffer, OutboxEntry into) {
    int rsn = record.rsn();
    Transaction t = transactions.peers().find(rsn);
    if (t != null) {
      onMore(t, record, buffer);
      return false;
    }
    boolean isUnwanted = target.cancellations().takeEarly(rsn);
    if (!target.isAcceptable(rsn)) {
      return false;
    }
    if (isPassable(record) && !isUnwanted) {
      return passThrough(record, buffer, into);
    }
    onFirst(record, isUnwanted, buffer);
    return false;
  }

  private boolean isPassable(PushUnsolicitedDataFlyweight record) {
    return record.payloadLength() <= wholeLengthMax
        && record.isWhole()
        && order.isTurnOf(record.rsn())
        && !admission.isRefusing();
  }

  /**
   * Gives out a whole message at its turn and keeps no state of it. Returns false when it was
   * refused.
   */
  private boolean passThrough(
      PushUnsolicitedDataFlyweight record, ByteBuffer buffer, OutboxEntry into) {
    int length = record.payloadLength();
    int headerLength = record.headerLength();
    long cost = Credit.costBytes(length, headerLength);
    if (!isAdmitted(length, headerLength, cost)) {
      return false;
    }
    int rsn = record.rsn();
    onGiving(rsn, length, cost, record.isUnawaited());
    into.putMessage(
        rsn, buffer, record.headerOffset(), headerLength, record.payloadOffset(), length);
    return true;
  }

  private void onGiving(int rsn, int length, long cost, boolean isUnawaited) {
    transactions.inbound().giveWhole(rsn);
    order.passThrough();
    isGiven = true;
    givenLength = length;
    givenCost = cost;
    isGivenUnawaited = isUnawaited;
  }

  private boolean isAdmitted(int length, int headerLength, long cost) {
    if (!admission.isLengthAgreed(length)
        || !admission.chargeHeader(headerLength)
        || !admission.charge(cost - headerLength)) {
      return false;
    }
    counters.add(CounterId.MESSAGE_BYTES_RECEIVED, length);
    return true;
  }

  /**
   * Settles the message that was given out last, because the next entry is asked for. If the
   * application has acknowledged it, nothing of it is kept. Otherwise it becomes a transaction, and
   * its bytes that were not taken keep their credit.
   *
   * @return whether the last entry was a message
   */
  boolean settle() {
    if (!isGiven) {
      return false;
    }
    isGiven = false;
    long untaken = givenLength - Math.min(givenLength, polled.takenBytes());
    boolean isAcknowledged = transactions.inbound().endIfAcknowledged();
    onGiven(polled.rsn(), givenLength, givenCost, untaken, isAcknowledged, isGivenUnawaited);
    return true;
  }

  /**
   * Handles a push that the application was given at its turn.
   *
   * @param untaken bytes of it that the application has and has not taken
   */
  private void onGiven(
      int rsn, int length, long cost, long untaken, boolean isAcknowledged, boolean isUnawaited) {
    if (transactions.isEnded()) {
      return;
    }
    if (!isAcknowledged || rsn != window.base()) {
      keepGiven(length, cost, untaken, isAcknowledged, isUnawaited);
    } else {
      credit.giveBack(cost);
      complete(rsn, cost, isUnawaited);
    }
  }

  private void complete(int rsn, long cost, boolean isUnawaited) {
    if (isUnawaited) {
      completions.onUnawaitedAtBase(rsn, cost);
    } else {
      completions.onCompletedAtBase(rsn);
    }
  }

  /** Handles the late acknowledgement of a push at the base, which was kept in short form. */
  void onAcknowledged(int rsn, int length, int held, boolean isUnawaited) {
    credit.giveBack(held);
    complete(rsn, Credit.costBytes(length, 0), isUnawaited);
  }

  private void keepGiven(
      int length, long cost, long untaken, boolean isAcknowledged, boolean isUnawaited) {
    long held = isAcknowledged ? 0 : untaken;
    credit.giveBack(cost - held);
    InboundTransactions inbound = transactions.inbound();
    if (!isAcknowledged && inbound.tryKeepShort(length, held, isUnawaited)) {
      return;
    }
    Transaction t = inbound.keepPolled(length, held, isUnawaited);
    if (isAcknowledged) {
      completions.onCompleted(t);
    }
  }

  /** Handles the first record of a push that is not given out whole. */
  private void onFirst(PushUnsolicitedDataFlyweight record, boolean isUnwanted, ByteBuffer buffer) {
    Transaction t = beginUnsolicited(record.rsn(), record.total());
    if (t == null) {
      return;
    }
    if (record.isUnawaited()) {
      t.becomeUnawaited();
    }
    if (isUnwanted) {
      target.rejectOnceHeaderComes(t);
    }
    onPiece(t, record, buffer);
  }

  private void onMore(Transaction t, PushUnsolicitedDataFlyweight record, ByteBuffer buffer) {
    if (t.kind() != Kind.PUSH || t.isSolicited() || t.lengthBytes() != record.total()) {
      failure.fail("PUSH_UNSOLICITED_DATA total=" + record.total() + " for " + t);
      return;
    }
    if (!record.isUnawaited()) {
      t.becomeAwaited();
    }
    onPiece(t, record, buffer);
  }

  private Transaction beginUnsolicited(int rsn, long total) {
    long cost = Credit.costBytes(total, 0);
    if (!admission.isLengthAgreed(total) || !admission.charge(cost)) {
      return null;
    }
    Transaction t = target.begin(rsn, total, cost);
    // It is refused when its header has come, because the header is charged too. Until then its
    // bytes are thrown away.
    if (admission.isRefusing()) {
      t.incoming().discard();
    }
    return t;
  }

  private void onPiece(Transaction t, PushUnsolicitedDataFlyweight record, ByteBuffer buffer) {
    long offset = record.offset();
    int length = record.payloadLength();
    if (offset + length > t.lengthBytes()) {
      failure.fail("PUSH_UNSOLICITED_DATA end=" + (offset + length) + " for " + t);
      return;
    }
    if (offset == 0
        && !t.isHeaderKnown()
        && !onHeader(t, buffer, record.headerOffset(), record.headerLength())) {
      return;
    }
    reassembler.begin(target, t, offset, length, buffer, record.payloadOffset(), 0);
  }

  /**
   * Handles the header, which the first piece brought: the message can be opened. Returns false if
   * it breaks a rule.
   */
  private boolean onHeader(Transaction t, ByteBuffer buffer, int index, int length) {
    if (!admission.chargeHeader(length)) {
      return false;
    }
    if (t.stage() != Stage.ARRIVING) {
      t.passHeader();
      credit.giveBack(length);
      return true;
    }
    t.keepHeader(buffer, index, length);
    t.charge(length);
    if (t.incoming().isDiscarding()) {
      target.rejectUnwanted(t);
    } else {
      target.open(t);
    }
    return true;
  }
}
