package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionQueue;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.wire.CancelFlyweight;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.ResyncFlyweight;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Tells the peer which transactions this side's application gave up. If a part has left, the record
 * is CANCEL, and the peer's answer ends the transaction. If nothing has left, the transaction has
 * ended here already. The record is then RESYNC, which tells the peer the RSN, SSN and credit.
 *
 * <p>A RESYNC counts as an unended transaction until its packet is acknowledged. So the RSN window
 * also holds back a submitter that submits and cancels without end. Neither this list nor the
 * peer's table grows beyond the window.
 */
final class Cancellations {
  private static final byte WAITING = 0;
  private static final byte SENT = 1;
  private static final byte ACKNOWLEDGED = 2;

  private final TransactionQueue cancels;
  private final CancelFlyweight cancelRecord;
  private final ResyncFlyweight resyncRecord;
  private int[] rsns = {};
  private int[] ssns = {};
  private long[] credits = {};
  private boolean[] hasSsn = {};
  private int[] psns = {};
  private byte[] states = {};
  private int head;
  private int unsent;
  private int tail;
  private int lowestRsn;
  private int unsettled;

  Cancellations(TransactionPool pool, Flyweights write) {
    cancels = new TransactionQueue(pool, Transaction.REPORT);
    cancelRecord = write.cancel;
    resyncRecord = write.resync;
  }

  /** Asks the peer to end a transaction that has left in part. */
  void cancel(Transaction own) {
    cancels.addLast(own);
  }

  /** Removes a transaction that has ended, whether the peer was asked or not. */
  void remove(Transaction own) {
    cancels.remove(own);
  }

  /** Tells the peer to pass over a transaction: nothing of it has left or will leave. */
  void giveUp(Transaction own, long chargedBytes) {
    if (tail == rsns.length) {
      makeRoom();
    }
    lowestRsn = head == tail || own.rsn() - lowestRsn < 0 ? own.rsn() : lowestRsn;
    unsettled++;
    rsns[tail] = own.rsn();
    ssns[tail] = own.ssn();
    hasSsn[tail] = own.isSolicited();
    credits[tail] = chargedBytes;
    states[tail++] = WAITING;
  }

  private void makeRoom() {
    int count = tail - head;
    int capacity = head > 0 && count <= rsns.length >> 1 ? rsns.length : Math.max(8, 2 * count);
    rsns = Arrays.copyOf(Arrays.copyOfRange(rsns, head, tail), capacity);
    ssns = Arrays.copyOf(Arrays.copyOfRange(ssns, head, tail), capacity);
    credits = Arrays.copyOf(Arrays.copyOfRange(credits, head, tail), capacity);
    hasSsn = Arrays.copyOf(Arrays.copyOfRange(hasSsn, head, tail), capacity);
    psns = Arrays.copyOf(Arrays.copyOfRange(psns, head, tail), capacity);
    states = Arrays.copyOf(Arrays.copyOfRange(states, head, tail), capacity);
    unsent -= head;
    head = 0;
    tail = count;
  }

  /** Returns the lower of {@code rsn} and the lowest RSN whose RESYNC was not acknowledged. */
  int lowestUnsettled(int rsn) {
    return head < tail && lowestRsn - rsn < 0 ? lowestRsn : rsn;
  }

  /** Returns how many RESYNCs were not acknowledged. */
  int unsettledCount() {
    return unsettled;
  }

  /** Returns whether every RESYNC was acknowledged. */
  boolean isSettled() {
    return head == tail;
  }

  /** Returns whether a record waits to be written. */
  boolean isDue() {
    return unsent < tail || !cancels.isEmpty();
  }

  /**
   * Writes one record for the packet {@code psn}. Returns its length, 0 when none is due or it does
   * not fit.
   */
  int write(int psn, ByteBuffer to, int index, int limit) {
    int room = limit - index;
    if (unsent < tail) {
      return room < ResyncFlyweight.FIXED_LENGTH ? 0 : writeResync(psn, to, index);
    }
    if (cancels.isEmpty() || room < CancelFlyweight.FIXED_LENGTH) {
      return 0;
    }
    return cancelRecord.wrapNew(to, index).rsn(cancels.poll().rsn()).length();
  }

  private int writeResync(int psn, ByteBuffer to, int index) {
    int at = unsent++;
    states[at] = SENT;
    psns[at] = psn;
    resyncRecord.wrapNew(to, index).rsn(rsns[at]).creditBytes(credits[at]);
    resyncRecord.ssn(hasSsn[at] ? ssns[at] : 0).flags(hasSsn[at] ? ResyncFlyweight.FLAG_SSN : 0);
    return resyncRecord.length();
  }

  /** Handles acknowledgements that the window saw. */
  void onAcknowledged(AcknowledgementView view) {
    boolean isAny = false;
    for (int i = head; i < unsent; i++) {
      if (states[i] == SENT && view.isAcknowledged(WindowClass.DATA, psns[i])) {
        states[i] = ACKNOWLEDGED;
        unsettled--;
        isAny = true;
      }
    }
    if (isAny) {
      settle();
    }
  }

  private void settle() {
    while (head < unsent && states[head] == ACKNOWLEDGED) {
      head++;
    }
    if (head == tail) {
      clear();
      return;
    }
    lowestRsn = rsns[head];
    for (int i = head + 1; i < tail; i++) {
      if (states[i] != ACKNOWLEDGED && rsns[i] - lowestRsn < 0) {
        lowestRsn = rsns[i];
      }
    }
  }

  private void clear() {
    head = 0;
    unsent = 0;
    tail = 0;
    unsettled = 0;
  }

  /** Closes: the connection ended, and the peer is told nothing more. */
  void close() {
    assert cancels.isEmpty() : "transactions wait to be cancelled on an ended connection";
    clear();
  }
}
