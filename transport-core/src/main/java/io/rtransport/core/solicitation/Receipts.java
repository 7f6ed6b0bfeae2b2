package io.rtransport.core.solicitation;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.wire.WindowClass;
import org.agrona.collections.LongArrayQueue;

/**
 * Own pushes of which the application wants to hear once the peer's transport has them. Such a push
 * waits here from its last byte's packet on, until that packet and all before it are acknowledged.
 * Records that are taken out of packets too long for the path travel with other numbers: whatever
 * waits by then waits for those packets too. Loop-confined.
 */
final class Receipts {
  /** With so many those that have ended are dropped: a peer may complete what it never received. */
  static final int WAITING_MAX = 2 * Limits.OUTSTANDING_MAX;

  private final TransactionSublayer transactions;
  private final LongArrayQueue waitingRsns = new LongArrayQueue();
  private final LongArrayQueue waitingPsns = new LongArrayQueue();
  private final LongArrayQueue dueRsns = new LongArrayQueue();
  private int repackedPsn;

  /** How many of those that wait, from the first on, wait for {@link #repackedPsn} too. */
  private int repackedCount;

  Receipts(TransactionSublayer transactions) {
    this.transactions = transactions;
  }

  /** How many wait. */
  int size() {
    return waitingRsns.size();
  }

  /** The last byte of {@code rsn} is in the data packet {@code psn}. */
  void onSent(int rsn, int psn) {
    if (waitingRsns.size() >= WAITING_MAX) {
      dropEnded();
    }
    waitingRsns.addLong(Integer.toUnsignedLong(rsn));
    waitingPsns.addLong(Integer.toUnsignedLong(psn));
  }

  /** Those that are left are open transactions, of which there are no more than half as many. */
  private void dropEnded() {
    int kept = 0;
    for (int i = waitingRsns.size(); i > 0; i--) {
      long rsn = waitingRsns.pollLong();
      long psn = waitingPsns.pollLong();
      boolean isRepacked = repackedCount > 0 && repackedCount-- > 0;
      if (!transactions.isHandedUp((int) rsn)) {
        waitingRsns.addLong(rsn);
        waitingPsns.addLong(psn);
        kept += isRepacked ? 1 : 0;
      }
    }
    repackedCount = kept;
  }

  /** The data packet {@code psn} has records that were taken out of others. */
  void onRepacked(int psn) {
    repackedPsn = psn;
    repackedCount = waitingRsns.size();
  }

  /** The window saw acknowledgements. */
  void onAcknowledged(AcknowledgementView view) {
    while (!waitingRsns.isEmpty() && isFirstAcknowledged(view)) {
      dueRsns.addLong(waitingRsns.pollLong());
      waitingPsns.pollLong();
      repackedCount = Math.max(0, repackedCount - 1);
    }
  }

  private boolean isFirstAcknowledged(AcknowledgementView view) {
    int psn = (int) waitingPsns.peekLong();
    boolean isLater = repackedCount > 0 && repackedPsn - psn > 0;
    return view.isAcknowledgedThrough(WindowClass.DATA, isLater ? repackedPsn : psn);
  }

  /** Says of the next one that the peer has it, unless its end is known to be another. */
  boolean poll(OutboxEntry into) {
    while (!dueRsns.isEmpty()) {
      if (transactions.putReceived((int) dueRsns.pollLong(), into)) {
        return true;
      }
    }
    return false;
  }
}
