package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.TransactionSublayer;

/**
 * Decides whether the peer may begin a transaction: inside its RSN window, below its FIN, and paid
 * for by its credit. A peer that keeps the rules cannot get outside these limits. So a transaction
 * outside breaks a rule and ends the connection. A transaction that has ended is ignored.
 */
final class PeerAdmission {
  private final TransactionSublayer transactions;
  private final CreditAllowance credit;
  private final RsnWindow window;
  private final int outstandingMax;
  private final long lengthMax;
  private final int headerLengthMax;
  private final Counters counters;
  private final Failure failure;

  private int highestRsn;
  private boolean isRefusing;
  private boolean hasFinal;
  private int finalRsn;
  private boolean isClosing;

  PeerAdmission(
      SolicitationConfig config,
      TransactionSublayer transactions,
      CreditAllowance credit,
      RsnWindow window,
      Counters counters,
      Failure failure) {
    this.transactions = transactions;
    this.credit = credit;
    this.window = window;
    outstandingMax = config.agreed().both().outstandingMax();
    lengthMax = config.agreed().rx().messageLengthMax();
    headerLengthMax = config.agreed().both().headerLengthMax();
    this.counters = counters;
    this.failure = failure;
    highestRsn = config.agreed().rxNumbers().rsn() - 1;
  }

  /**
   * Charges {@code cost} to the peer's credit; fails the connection when the peer has not so much.
   */
  boolean charge(long cost) {
    if (credit.charge(cost)) {
      return true;
    }
    failure.fail("credit overrun: " + credit.usedBytes() + " B charged and not returned");
    return false;
  }

  /**
   * Returns whether this side takes a message of this length; fails the connection when it is too
   * long.
   */
  boolean isLengthAgreed(long length) {
    if (length <= lengthMax) {
      return true;
    }
    failure.fail("push length=" + length + " must be 0.." + lengthMax);
    return false;
  }

  /**
   * Charges a header to the peer's credit; fails the connection when the header is longer than
   * agreed or the credit is too small.
   */
  boolean chargeHeader(int length) {
    if (length <= headerLengthMax) {
      return charge(length);
    }
    failure.fail("application header length=" + length + " must be 0.." + headerLengthMax);
    return false;
  }

  /**
   * Returns whether an RSN that has no state here may begin a transaction.
   *
   * @param known transactions with state here whose end the peer may know already. No more of them
   *     than the agreed number are left out of the count: a peer could make any number
   */
  boolean isAcceptable(int rsn, int known) {
    if (window.isEnded(rsn)) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return false;
    }
    if (!window.isInSpan(rsn)) {
      failure.fail("RSN " + text(rsn) + " is beyond the span from " + text(window.base()));
      return false;
    }
    if (hasFinal && rsn - finalRsn >= 0) {
      failure.fail("RSN " + text(rsn) + " is not below the final " + text(finalRsn));
      return false;
    }
    if (transactions.peers().size() - Math.min(known, outstandingMax) >= outstandingMax) {
      failure.fail("more than " + outstandingMax + " transactions unended");
      return false;
    }
    if (rsn - highestRsn > 0) {
      highestRsn = rsn;
    }
    return true;
  }

  private static String text(int rsn) {
    return Integer.toUnsignedString(rsn);
  }

  /** Refuses new transactions from now on. */
  void refuse() {
    isRefusing = true;
  }

  boolean isRefusing() {
    return isRefusing;
  }

  /**
   * Handles FIN: the peer begins nothing at or above {@code rsn}.
   *
   * @param isPeerClosing whether the peer also takes nothing that this side begins from now on
   */
  void onFin(int rsn, boolean isPeerClosing) {
    boolean isValid =
        hasFinal
            ? rsn == finalRsn
            : rsn - highestRsn > 0
                && rsn - window.base() >= 0
                && rsn - window.base() <= Limits.RSN_SPAN_MAX;
    if (!isValid) {
      failure.fail(
          "FIN final RSN "
              + text(rsn)
              + " does not fit highest "
              + text(highestRsn)
              + " and base "
              + text(window.base()));
      return;
    }
    hasFinal = true;
    finalRsn = rsn;
    isClosing |= isPeerClosing;
  }

  /** Returns whether the peer also said that it takes nothing more. */
  boolean isPeerClosing() {
    return isClosing;
  }

  /** Returns whether the peer said that it begins nothing more. */
  boolean hasFinal() {
    return hasFinal;
  }

  /** Returns the lowest RSN that the peer will never use. Valid only with {@link #hasFinal}. */
  int finalRsn() {
    return finalRsn;
  }

  /** Returns whether the peer begins nothing more and everything that it began has ended. */
  boolean isAllEnded() {
    return hasFinal && window.base() == finalRsn;
  }
}
