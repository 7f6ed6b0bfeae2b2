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
 * Tells the peer what this side's application gave up: CANCEL of a transaction of which something
 * has left, which the peer's answer ends; RESYNC of one of which nothing had left, which has ended
 * here and whose RSN, SSN and credit the peer must hear of.
 *
 * <p>A RESYNC counts as an unended transaction until its packet is acknowledged: whoever submits
 * and cancels without end is held back by the RSN window as if nothing had been cancelled, so
 * neither this list nor the peer's table grows beyond it.
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

  /** Something of it has left: the peer is asked to end it. */
  void cancel(Transaction own) {
    cancels.addLast(own);
  }

  /** It ended, asked or not. */
  void remove(Transaction own) {
    cancels.remove(own);
  }

  /** Nothing of it has left, and nothing will: the peer is told to pass over it. */
  void giveUp(Transaction own, long chargedBytes) {
    if (tail == rsns.length) {
      makeRoom();
    }
    lowestRsn = head == tail || own.rsn - lowestRsn < 0 ? own.rsn : lowestRsn;
    unsettled++;
    rsns[tail] = own.rsn;
    ssns[tail] = own.ssn;
    hasSsn[tail] = own.isSolicited;
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

  /** The lower of {@code rsn} and the lowest RSN whose RESYNC has not been acknowledged. */
  int lowestUnsettled(int rsn) {
    return head < tail && lowestRsn - rsn < 0 ? lowestRsn : rsn;
  }

  /** RESYNCs that have not been acknowledged. */
  int unsettledCount() {
    return unsettled;
  }

  /** Whether every RESYNC has been acknowledged. */
  boolean isSettled() {
    return head == tail;
  }

  /** Whether a record waits to be written. */
  boolean isDue() {
    return unsent < tail || !cancels.isEmpty();
  }

  /**
   * Writes one record for the packet {@code psn}; answers its length, 0 when none is due or it does
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
    return cancelRecord.wrapNew(to, index).rsn(cancels.poll().rsn).length();
  }

  private int writeResync(int psn, ByteBuffer to, int index) {
    int at = unsent++;
    states[at] = SENT;
    psns[at] = psn;
    resyncRecord.wrapNew(to, index).rsn(rsns[at]).creditBytes(credits[at]);
    resyncRecord.ssn(hasSsn[at] ? ssns[at] : 0).flags(hasSsn[at] ? ResyncFlyweight.FLAG_SSN : 0);
    return resyncRecord.length();
  }

  /** The window saw acknowledgements. */
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

  /** The connection ended: the peer is told nothing more. */
  void close() {
    assert cancels.isEmpty() : "transactions wait to be cancelled on an ended connection";
    clear();
  }
}
