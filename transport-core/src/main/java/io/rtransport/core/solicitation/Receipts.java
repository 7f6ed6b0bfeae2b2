package io.rtransport.core.solicitation;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.wire.WindowClass;
import org.agrona.collections.LongArrayQueue;

/**
 * Own pushes whose arrival at the peer's transport the application wants to hear about. Such a push
 * waits here from the packet with its last byte on, until that packet and all before it are
 * acknowledged.
 *
 * <p>When a packet is too long for the path, its records travel again in packets with other
 * numbers. Pushes that wait at that time also wait for those packets. Loop-confined.
 */
final class Receipts {
  /**
   * Number of waiting pushes at which those that have ended are dropped: a peer may complete pushes
   * that it never received.
   */
  static final int WAITING_MAX = 2 * Limits.OUTSTANDING_MAX;

  private final TransactionSublayer transactions;
  private final LongArrayQueue waitingRsns = new LongArrayQueue();
  private final LongArrayQueue waitingPsns = new LongArrayQueue();
  private final LongArrayQueue dueRsns = new LongArrayQueue();
  private int repackedPsn;

  /** Number of pushes, from the first in the queue on, that also wait for {@link #repackedPsn}. */
  private int repackedCount;

  Receipts(TransactionSublayer transactions) {
    this.transactions = transactions;
  }

  /** Returns how many pushes wait. */
  int size() {
    return waitingRsns.size();
  }

  /** Notes that the last byte of {@code rsn} is in the data packet {@code psn}. */
  void onSent(int rsn, int psn) {
    if (waitingRsns.size() >= WAITING_MAX) {
      dropEnded();
    }
    waitingRsns.addLong(Integer.toUnsignedLong(rsn));
    waitingPsns.addLong(Integer.toUnsignedLong(psn));
  }

  /** Drops pushes that have ended. The rest are open transactions: no more than half as many. */
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

  /** Notes that the data packet {@code psn} has records that were taken out of other packets. */
  void onRepacked(int psn) {
    repackedPsn = psn;
    repackedCount = waitingRsns.size();
  }

  /** Handles acknowledgements that the window saw. */
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

  /**
   * Puts the next entry RECEIVED into {@code into}. Skips pushes that are known to have ended
   * otherwise.
   */
  boolean poll(OutboxEntry into) {
    while (!dueRsns.isEmpty()) {
      if (transactions.putReceived((int) dueRsns.pollLong(), into)) {
        return true;
      }
    }
    return false;
  }
}
