package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.window.RecordSource;
import io.rtransport.core.wire.FinFlyweight;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.NiFlyweight;
import io.rtransport.core.wire.PullGrantFlyweight;
import io.rtransport.core.wire.PushGrantFlyweight;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;

/**
 * Decides which records a packet takes, and in which order. A request packet takes requests in RSN
 * order. A data packet first takes ends, cancellations, grants and FIN, because the peer waits for
 * them. Then it takes unsolicited data, granted data and answers. The kind that goes first changes
 * from packet to packet.
 */
final class RecordWriter {
  private static final int STREAMS = 3;

  private final int controlLengthMax;
  private final TransactionSublayer transactions;
  private final Initiator initiator;
  private final Target target;
  private final GrantScheduler grants;
  private final Cancellations cancellations;
  private final PushGrantFlyweight pushGrant;
  private final PullGrantFlyweight pullGrant;
  private final FinFlyweight fin;
  private final NiFlyweight ni;
  private NiChanges niChanges; // null before the first
  private int recordCount;
  private int firstStream;
  private boolean isFinDue;
  private boolean isFinClosing;
  private boolean isFinSent;
  private boolean isFinAcknowledged;
  private int finPsn;

  /**
   * @param controlLengthMax bytes at the front of a data packet for all records but messages: these
   *     records are never moved to another packet
   */
  RecordWriter(
      int controlLengthMax,
      TransactionSublayer transactions,
      Initiator initiator,
      Target target,
      GrantScheduler grants,
      Cancellations cancellations,
      Flyweights write) {
    this.controlLengthMax = controlLengthMax;
    this.transactions = transactions;
    this.initiator = initiator;
    this.target = target;
    this.grants = grants;
    this.cancellations = cancellations;
    pushGrant = write.pushGrant;
    pullGrant = write.pullGrant;
    fin = write.fin;
    ni = write.ni;
  }

  /** Returns whether {@link #write} would write something into an empty packet. */
  boolean hasRecords(WindowClass windowClass) {
    if (windowClass == WindowClass.REQUEST) {
      return initiator.hasRequests();
    }
    return hasOwed() || initiator.hasUnsolicited();
  }

  /**
   * Returns whether a packet has something to carry, apart from submissions that are not admitted.
   */
  boolean hasOwed() {
    return target.completions().isDue()
        || cancellations.isDue()
        || grants.hasGrant()
        || isFinDue
        || niChanges != null && niChanges.isDue()
        || initiator.hasGranted()
        || initiator.hasAdmitted()
        || !target.responder().isEmpty();
  }

  /**
   * Writes whole records at {@code to[index .. limit)} for the packet {@code psn}. Returns their
   * length.
   */
  int write(WindowClass windowClass, int psn, ByteBuffer to, int index, int limit, long nowNs) {
    recordCount = 0;
    if (windowClass == WindowClass.REQUEST) {
      return writeRequests(to, index, limit) - index;
    }
    initiator.beginPacket(psn);
    int controlEnd = writeControl(psn, to, index, Math.min(limit, index + controlLengthMax), nowNs);
    int at = controlEnd;
    for (int i = 0; i < STREAMS; i++) {
      at = writeStream((firstStream + i) % STREAMS, to, at, limit);
    }
    firstStream = (firstStream + 1) % STREAMS;
    if (at > controlEnd) {
      target.completions().onRide(nowNs);
    }
    return at - index;
  }

  private int writeRequests(ByteBuffer to, int index, int limit) {
    int at = index;
    int length = 1;
    while (length > 0 && hasRecordRoom()) {
      length = initiator.writeRequest(to, at, limit);
      at = written(at, length);
    }
    return at;
  }

  private boolean hasRecordRoom() {
    return recordCount < RecordSource.RECORDS_MAX;
  }

  private int written(int at, int length) {
    if (length > 0) {
      recordCount++;
    }
    return at + length;
  }

  private int writeControl(int psn, ByteBuffer to, int index, int limit, long nowNs) {
    int at = index;
    int length = 1;
    while (length > 0 && hasRecordRoom() && target.completions().hasNews()) {
      length = target.completions().write(psn, to, at, limit);
      at = written(at, length);
    }
    length = 1;
    while (length > 0 && hasRecordRoom() && cancellations.isDue()) {
      length = cancellations.write(psn, to, at, limit);
      at = written(at, length);
    }
    while (hasRecordRoom() && limit - at >= PushGrantFlyweight.FIXED_LENGTH && grants.hasGrant()) {
      at = written(at, writeGrant(to, at, nowNs));
    }
    if (isFinDue && hasRecordRoom() && limit - at >= FinFlyweight.FIXED_LENGTH) {
      isFinDue = false;
      isFinSent = true;
      finPsn = psn;
      fin.wrapNew(to, at).finalRsn(transactions.nextRsn());
      fin.flags(isFinClosing ? FinFlyweight.FLAG_CLOSING : 0);
      at = written(at, fin.length());
    }
    if (niChanges != null && niChanges.isDue() && hasRecordRoom()) {
      at = written(at, niChanges.write(ni, psn, to, at, limit));
    }
    return at;
  }

  private int writeGrant(ByteBuffer to, int at, long nowNs) {
    Transaction t = grants.prepared();
    int length;
    if (t.kind() == Transaction.Kind.PULL) {
      pullGrant
          .wrapNew(to, at)
          .rsn(t.rsn())
          .offset(t.incoming().grantedBytes())
          .grantLength(grants.preparedBytes());
      length = pullGrant.length();
    } else {
      pushGrant.wrapNew(to, at).rsn(t.rsn()).ssn(t.ssn()).offset(t.incoming().grantedBytes());
      length = pushGrant.grantLength(grants.preparedBytes()).length();
    }
    grants.onGranted(nowNs);
    return length;
  }

  private int writeStream(int stream, ByteBuffer to, int index, int limit) {
    int at = index;
    int length = 1;
    while (length > 0 && hasRecordRoom()) {
      length =
          switch (stream) {
            case 0 -> writeUnsolicited(to, at, limit);
            case 1 -> initiator.writeGranted(to, at, limit);
            default -> target.responder().write(to, at, limit);
          };
      at = written(at, length);
    }
    return at;
  }

  private int writeUnsolicited(ByteBuffer to, int at, int limit) {
    int length = initiator.writeUnsolicited(to, at, limit, RecordSource.RECORDS_MAX - recordCount);
    if (length > 0) {
      recordCount += initiator.writtenCount() - 1; // written() counts one
    }
    return length;
  }

  /** Returns how many records the last {@link #write} wrote. */
  int recordCount() {
    return recordCount;
  }

  /** Queues FIN, once. It is queued once more when this side closes after it had only finished. */
  void queueFin(boolean isClosing) {
    boolean isNews = isClosing ? !isFinClosing : !isFinSent;
    isFinClosing |= isClosing;
    if (isNews) {
      isFinDue = true;
      isFinSent = false;
      isFinAcknowledged = false;
    }
  }

  /** Queues ADD_NI or REMOVE_NI. Returns false if as many as allowed wait. */
  boolean queueNi(boolean isAdded, String nid) {
    niChanges = niChanges == null ? new NiChanges() : niChanges;
    return niChanges.offer(isAdded, nid);
  }

  /** Returns whether a change of interfaces waits or is not acknowledged. */
  boolean hasNiChange() {
    return niChanges != null && niChanges.isAny();
  }

  /** Handles acknowledgements that the window saw. */
  void onAcknowledged(AcknowledgementView view) {
    if (niChanges != null) {
      niChanges.onAcknowledged(view);
    }
    if (isFinSent && !isFinAcknowledged) {
      isFinAcknowledged = view.isAcknowledged(WindowClass.DATA, finPsn);
    }
  }

  /** Returns whether the peer has our FIN. */
  boolean isFinAcknowledged() {
    return isFinAcknowledged;
  }
}
