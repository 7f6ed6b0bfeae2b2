package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.TransactionSublayer;

/**
 * Decides whether the peer may begin a transaction: inside its RSN window, below its FIN, paid for
 * by its credit. What is outside is a broken rule and ends the connection, for a peer that keeps
 * the rules cannot get there; what has ended is ignored.
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

  /** Takes {@code cost} off the peer's credit; fails when it had not so much. */
  boolean charge(long cost) {
    if (credit.charge(cost)) {
      return true;
    }
    failure.fail("credit overrun: " + credit.usedBytes() + " B charged and not returned");
    return false;
  }

  /** Whether a message is no longer than this side takes; fails when it is. */
  boolean isLengthAgreed(long length) {
    if (length <= lengthMax) {
      return true;
    }
    failure.fail("push length=" + length + " must be 0.." + lengthMax);
    return false;
  }

  /**
   * Takes a header off the peer's credit; fails when it is longer than was agreed, or the credit
   * less.
   */
  boolean chargeHeader(int length) {
    if (length <= headerLengthMax) {
      return charge(length);
    }
    failure.fail("application header length=" + length + " must be 0.." + headerLengthMax);
    return false;
  }

  /**
   * Whether an RSN that has no state here may begin a transaction.
   *
   * @param inFlight transactions with state here of whose end the peer may have heard already
   */
  boolean isAcceptable(int rsn, int inFlight) {
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
    if (transactions.peers().size() - inFlight >= outstandingMax) {
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

  /** New transactions are refused from now on. */
  void refuse() {
    isRefusing = true;
  }

  boolean isRefusing() {
    return isRefusing;
  }

  /**
   * FIN: nothing begins at or above {@code rsn}; {@code isPeerClosing}: nor is anything taken that
   * this side begins from now on.
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

  /** Whether it said, besides, that it takes nothing more. */
  boolean isPeerClosing() {
    return isClosing;
  }

  /** Whether the peer said that it begins nothing more. */
  boolean hasFinal() {
    return hasFinal;
  }

  /** The RSN that it will never use; only with {@link #hasFinal}. */
  int finalRsn() {
    return finalRsn;
  }

  /** Whether, besides, all that it began has ended. */
  boolean isAllEnded() {
    return hasFinal && window.base() == finalRsn;
  }
}
