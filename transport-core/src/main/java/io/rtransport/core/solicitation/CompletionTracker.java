package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionQueue;
import io.rtransport.core.transaction.TransactionTable;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.CompletedFlyweight;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.WindowClass;
import io.rtransport.core.wire.WireText;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Tells the initiator how its transactions ended here. One COMPLETED tells all successes since the
 * last one. COMPLETE_IN_ERROR tells one failure.
 *
 * <p>Both are numbered records, so they cannot be lost and are told once. A success at the lowest
 * unended RSN only moves the base, which costs nothing. A success above it is remembered until a
 * record has carried its bit.
 *
 * <p>An RSN that ended in error holds the base back until the packet with its COMPLETE_IN_ERROR was
 * acknowledged. An initiator that reads "all below have ended" must already know which of them
 * failed.
 *
 * <p>Records are built when the window asks for them, so a newer state replaces an older one that
 * had not left. The success of a push that nobody waits for may be told a little later ({@link
 * CompletionDelay}).
 */
final class CompletionTracker {
  /** Completions that are examined for one record. Limits the work for a packet. */
  private static final int SCAN_MAX = 1_024;

  private final RsnWindow window;
  private final TransactionTable peers;
  private final CreditAllowance credit;
  private final CompletionDelay delay;
  private final Counters counters;
  private final Consumer<Transaction> onReported;
  private final TransactionQueue completed;
  private final TransactionQueue failed;
  private final TransactionQueue failedInFlight;

  /** Failures that the peer knows, for which there is no free range of ended RSNs. */
  private final TransactionQueue awaitingRange;

  private final CompletedFlyweight completedRecord;
  private final CompleteInErrorFlyweight errorRecord;
  private final long[] words = new long[CompletedFlyweight.WORD_COUNT_MAX];
  private boolean isDue;

  /**
   * @param onReported called with each transaction whose end needs no more work; it may be given
   *     back to the pool
   */
  CompletionTracker(
      RsnWindow window,
      TransactionTable peers,
      TransactionPool pool,
      CreditAllowance credit,
      CompletionDelay delay,
      Counters counters,
      Flyweights write,
      Consumer<Transaction> onReported) {
    this.window = window;
    this.peers = peers;
    completed = new TransactionQueue(pool, Transaction.REPORT);
    failed = new TransactionQueue(pool, Transaction.REPORT);
    failedInFlight = new TransactionQueue(pool, Transaction.REPORT);
    awaitingRange = new TransactionQueue(pool, Transaction.REPORT);
    this.credit = credit;
    this.delay = delay;
    this.counters = counters;
    completedRecord = write.completed;
    errorRecord = write.completeInError;
    this.onReported = onReported;
  }

  /**
   * Completes a transaction at the base that never needed an entry in the table. Almost every small
   * push takes this way.
   */
  void onCompletedAtBase(int rsn) {
    assert rsn == window.base() : "RSN " + Integer.toUnsignedString(rsn) + " is not the base";
    window.end(rsn);
    isDue = true;
    advance();
  }

  /** Completes such a push of that cost, if its initiator does not wait for its end. */
  void onUnawaitedAtBase(int rsn, long costBytes) {
    if (!delay.isOn()) {
      onCompletedAtBase(rsn);
      return;
    }
    window.end(rsn);
    delay.add(costBytes);
    advance();
  }

  /** Notes that the application acknowledged a transaction. */
  void onCompleted(Transaction transaction) {
    if (transaction.isUnawaited() && delay.isOn()) {
      delay.add(Credit.costBytes(transaction.lengthBytes(), transaction.headerLength()));
    } else {
      isDue = true;
    }
    if (transaction.rsn() == window.base()) {
      window.end(transaction.rsn());
      report(transaction);
      advance();
    } else {
      transaction.complete();
      completed.addLast(transaction);
    }
  }

  /**
   * Notes that a transaction ended in error. A pull may fail after its success was told, when its
   * answer broke off.
   */
  void onFailed(Transaction transaction) {
    leave(transaction);
    transaction.fail();
    failed.addLast(transaction);
  }

  /**
   * Notes that the peer gave up an RSN and had sent nothing of it. The peer knows the end, so the
   * base waits only for a free range.
   */
  void onGivenUp(Transaction transaction) {
    endKnown(transaction);
    advance();
  }

  /** Ends a failure that the peer knows, or lets it wait for a free range. */
  private void endKnown(Transaction transaction) {
    if (window.isEnded(transaction.rsn()) || window.end(transaction.rsn())) {
      isDue = true;
      report(transaction);
    } else {
      awaitingRange.addLast(transaction);
    }
  }

  private void leave(Transaction transaction) {
    if (!completed.remove(transaction)
        && !failed.remove(transaction)
        && !failedInFlight.remove(transaction)) {
      awaitingRange.remove(transaction);
    }
  }

  /** Moves the base over the transactions that have ended. */
  private void advance() {
    while (!completed.isEmpty() || !awaitingRange.isEmpty()) {
      Transaction transaction = peers.find(window.base());
      if (transaction == null) {
        return;
      }
      if (transaction.stage() == Stage.COMPLETED) {
        completed.remove(transaction);
      } else if (awaitingRange.remove(transaction)) {
        isDue = true;
      } else {
        return;
      }
      window.end(transaction.rsn());
      report(transaction);
    }
  }

  private void report(Transaction transaction) {
    transaction.report();
    onReported.accept(transaction);
  }

  /**
   * Decides at the start of a transmission whether held successes must be told.
   *
   * @param isAckDue whether an acknowledgement leaves in any case
   * @param isPeerFinishing whether the peer waits for all ends
   */
  void onTransmitting(boolean isAckDue, boolean isPeerFinishing, long nowNs) {
    if (!delay.isHolding()) {
      return;
    }
    boolean isAlone = nowNs >= delay.endNs() || isAckDue && delay.replacesAck();
    if (isAlone) {
      delay.onToldAlone(nowNs);
    }
    if (isAlone || isPeerFinishing || delay.isOver(credit, nowNs)) {
      delay.end();
      isDue = true;
    }
  }

  /** Notes that a packet leaves with payload or an answer in it. */
  void onRide(long nowNs) {
    delay.onRide(nowNs);
  }

  /**
   * Notes that everything that could be transmitted was transmitted: held successes wait for
   * another turn.
   */
  void onTransmitted(long nowNs) {
    if (delay.begin(nowNs)) {
      counters.increment(CounterId.COMPLETIONS_HELD);
    }
  }

  /** Returns when held successes must be told; {@link Long#MAX_VALUE}: none is held. */
  long delayEndNs() {
    return delay.endNs();
  }

  /** Returns whether a record waits to be written. */
  boolean isDue() {
    return isDue || !failed.isEmpty() || credit.isWorthTelling();
  }

  /** Returns whether a record would be written into a packet that leaves anyway. */
  boolean hasNews() {
    return isDue() || delay.isHolding();
  }

  /** Returns the number of failures that the peer may know, and that hold their RSN here. */
  int failuresHeld() {
    return failedInFlight.size() + awaitingRange.size();
  }

  /**
   * Returns whether every end was told, every error was acknowledged and the peer's credit was
   * told. Then nothing is left to be numbered.
   */
  boolean isIdle() {
    return !hasNews() && completed.isEmpty() && failuresHeld() == 0;
  }

  /**
   * Writes one record for the packet {@code psn}. Returns its length, 0 when there is no news or it
   * does not fit.
   */
  int write(int psn, ByteBuffer to, int index, int limit) {
    if (!failed.isEmpty()) {
      return writeError(psn, to, index, limit);
    }
    return hasNews() ? writeCompleted(psn, to, index, limit) : 0;
  }

  private int writeError(int psn, ByteBuffer to, int index, int limit) {
    int room = limit - index;
    if (room < CompleteInErrorFlyweight.FIXED_LENGTH + CompleteInErrorFlyweight.TEXT_LENGTH_MAX
        && room
            < CompleteInErrorFlyweight.FIXED_LENGTH + 4 * failed.peek().ending().text().length()) {
      return 0;
    }
    Transaction transaction = failed.poll();
    errorRecord
        .wrapNew(to, index)
        .rsn(transaction.rsn())
        .code(transaction.ending().code())
        .flags(transaction.ending().flags());
    int textLength =
        WireText.put(
            to,
            errorRecord.textOffset(),
            room - CompleteInErrorFlyweight.FIXED_LENGTH,
            transaction.ending().text());
    errorRecord.textLength(textLength);
    transaction.tellFailure(psn);
    failedInFlight.addLast(transaction);
    return errorRecord.length();
  }

  private int writeCompleted(int psn, ByteBuffer to, int index, int limit) {
    int room = limit - index - CompletedFlyweight.FIXED_LENGTH;
    if (room < (completed.isEmpty() ? 0 : CompletedFlyweight.WORD_LENGTH)) {
      return 0;
    }
    int wordsMax = Math.min(words.length, room / CompletedFlyweight.WORD_LENGTH);
    int firstWord = completed.isEmpty() ? 0 : wordOf(completed.peek().rsn());
    int count = completed.isEmpty() ? 0 : collect(firstWord, wordsMax);
    completedRecord
        .wrapNew(to, index)
        .baseRsn(window.base())
        .wordOffset(count == 0 ? 0 : firstWord);
    completedRecord.creditLimit(credit.tell(psn)).words(count);
    for (int i = 0; i < count; i++) {
      completedRecord.word(i, words[i]);
    }
    if (delay.end()) {
      counters.increment(CounterId.COMPLETIONS_RIDDEN);
    }
    // The rest did not fit in eight words and goes next, or it waits for a free range of ended
    // RSNs.
    isDue = !completed.isEmpty() && count > 0;
    return completedRecord.length();
  }

  private int wordOf(int rsn) {
    return (rsn - (window.base() & ~63)) >>> 6;
  }

  /**
   * Fills {@link #words} with the successes of up to {@code wordsMax} words, which are told by
   * that. Returns the number of words.
   */
  private int collect(int firstWord, int wordsMax) {
    Arrays.fill(words, 0);
    int count = 0;
    Transaction transaction = completed.peek();
    for (int i = 0; transaction != null && i < SCAN_MAX; i++) {
      Transaction following = completed.after(transaction);
      int word = wordOf(transaction.rsn()) - firstWord;
      if (word >= 0 && word < wordsMax && window.end(transaction.rsn())) {
        words[word] |= 1L << (transaction.rsn() & 63);
        count = Math.max(count, word + 1);
        completed.remove(transaction);
        report(transaction);
      }
      transaction = following;
    }
    return count;
  }

  /**
   * Handles acknowledgements that the window saw: errors that have arrived hold the base back no
   * longer.
   */
  void onAcknowledged(AcknowledgementView view) {
    credit.onAcknowledged(view);
    Transaction transaction = failedInFlight.peek();
    while (transaction != null) {
      Transaction following = failedInFlight.after(transaction);
      if (view.isAcknowledged(WindowClass.DATA, transaction.errorPsn())) {
        failedInFlight.remove(transaction);
        endKnown(transaction);
      }
      transaction = following;
    }
    endAwaitingRange();
    advance();
  }

  /**
   * Ends known failures whose RSNs find a range. The base passes the others when it comes there.
   */
  private void endAwaitingRange() {
    for (int i = Math.min(SCAN_MAX, awaitingRange.size()); i > 0; i--) {
      endKnown(awaitingRange.poll()); // those without a range go to the end
    }
  }

  /** Forgets a transaction: the connection ended, and nothing more is told. */
  void forget(Transaction transaction) {
    leave(transaction);
    delay.end();
    isDue = false;
  }
}
