package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.RangeLimit;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionQueue;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.transaction.TransactionTable;
import io.rtransport.core.wire.PullGrantFlyweight;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Sends the answers to the peer's pulls, in {@link ServingOrder}. Each answer goes as far as the
 * puller has granted and its source is ready. An answer that has to wait for either stands aside.
 */
final class PullResponder {
  private final TransactionTable peers;
  private final Segmenter segmenter;
  private final Counters counters;
  private final Consumer<Transaction> onAllSent;
  private final boolean isOrdered;
  private final ServingOrder sending;
  private final TransactionQueue notReady;
  private final RangeLimit grantRanges;

  /** Number of answers that the application has given and that are not all sent. */
  private int onGrants;

  /**
   * @param config only its order and its datagram length are used
   * @param grantRanges limit of the ranges of all grants of the connection
   * @param onAllSent called with a transaction when the last byte of its answer is in a packet
   */
  PullResponder(
      SolicitationConfig config,
      TransactionSublayer transactions,
      Segmenter segmenter,
      RangeLimit grantRanges,
      Counters counters,
      Consumer<Transaction> onAllSent) {
    this.grantRanges = grantRanges;
    peers = transactions.peers();
    sending =
        new ServingOrder(
            transactions.pool(),
            Transaction.STREAM,
            config.isOrdered(),
            config.datagramLengthBytes());
    notReady = new TransactionQueue(transactions.pool(), Transaction.STREAM);
    this.segmenter = segmenter;
    this.counters = counters;
    this.onAllSent = onAllSent;
    isOrdered = config.isOrdered();
  }

  /**
   * Handles PULL_GRANT: the puller takes more. Ranges may come in any order. Sending goes up to the
   * first gap.
   */
  void onGrant(PullGrantFlyweight record) {
    Transaction t = peers.find(record.rsn());
    long offset = record.offset();
    long end = offset + record.grantLength();
    if (t == null || t.hasFailed()) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return;
    }
    if (t.kind() != Kind.PULL || end > t.lengthBytes()) {
      counters.increment(CounterId.GRANTS_IGNORED);
      return;
    }
    if (!t.outgoing().grant(offset, end, grantRanges)) {
      counters.increment(CounterId.GRANTS_IGNORED);
      return;
    }
    counters.increment(CounterId.GRANTS_RECEIVED);
    add(t);
  }

  /** Queues a pull: the application has given its answer, or the puller allows more. */
  void add(Transaction t) {
    if (t.hasSource() && t.outgoing().awaitGrants()) {
      onGrants++;
    }
    if (canSend(t) && !notReady.contains(t) && !sending.contains(t)) {
      sending.add(t, t.answerLengthBytes() - t.outgoing().sentBytes());
    }
  }

  /**
   * Returns whether the puller allows another record. An empty answer is one record too.
   *
   * <p>Without order, a puller that has its answer counts the RSN as ended, and may begin another
   * transaction in its place. So no answer leaves before this side counts the RSN as ended too.
   * This side cannot do so while no range of ended RSNs is free.
   */
  private boolean canSend(Transaction t) {
    return t.hasSource()
        && (isOrdered || t.stage() == Stage.REPORTED)
        && (t.answerLengthBytes() == 0
            || t.outgoing().sentBytes()
                < Math.min(t.outgoing().grantedBytes(), t.answerLengthBytes()));
  }

  /**
   * Notes that the source of {@code handle} has more bytes. Sources choose their handles
   * independently, so this may concern several answers.
   */
  void ready(long handle) {
    Transaction following;
    for (Transaction t = notReady.peek(); t != null; t = following) {
      following = notReady.after(t);
      if (t.outgoing().handle() == handle) {
        notReady.remove(t);
        add(t);
      }
    }
  }

  /** Removes a transaction: nothing more of it is sent. */
  void remove(Transaction t) {
    if (t.isIncoming()) {
      return; // a push
    }
    leaveGrants(t);
    if (!sending.remove(t)) {
      notReady.remove(t);
    }
  }

  private void leaveGrants(Transaction t) {
    if (t.outgoing().stopAwaitingGrants()) {
      onGrants--;
    }
  }

  /**
   * Returns whether answers wait for the puller's grants, and nothing is granted that could leave.
   */
  boolean isAwaitingGrants() {
    return onGrants > 0 && sending.isEmpty() && notReady.isEmpty();
  }

  boolean isEmpty() {
    return sending.isEmpty();
  }

  /** Writes one record of the first answer. Returns 0 when there is none or it does not fit. */
  int write(ByteBuffer to, int index, int limit) {
    Transaction t = sending.next();
    if (t == null) {
      return 0;
    }
    int length = segmenter.writeAnswer(t, to, index, limit);
    sending.onServed(t, length, t.answerLengthBytes() - t.outgoing().sentBytes());
    if (length > 0 && t.outgoing().sentBytes() == t.answerLengthBytes()) {
      sending.remove(t);
      leaveGrants(t);
      onAllSent.accept(t);
    } else if (segmenter.isSourceEmpty()) {
      if (sending.remove(t)) {
        notReady.addLast(t);
      }
    } else if (!canSend(t)) {
      sending.remove(t);
    }
    return length;
  }
}
