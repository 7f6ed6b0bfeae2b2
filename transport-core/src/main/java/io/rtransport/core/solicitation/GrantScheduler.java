package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.IncomingPayload;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionQueue;
import java.util.function.Supplier;

/**
 * Decides when this receiver asks for bytes: grants for the peer's solicited pushes, and for the
 * answers to own pulls.
 *
 * <p>On an ordered connection messages are granted one after the other, in SSN order. On an
 * unordered one the shortest goes first, and one grant in eight goes to the oldest ({@link
 * ServingOrder}). Every granted byte is first reserved in the {@link NodeBudget}, and stays
 * reserved until the sink has taken it.
 *
 * <p>A message for a streaming sink is granted range by range, at most 256 KiB each. It is granted
 * so far ahead of the arrived bytes that a fast path stays full. A message that its sink keeps
 * whole is granted only after all of it is reserved. Otherwise two half-granted messages could wait
 * for each other.
 *
 * <p>The sink of a message may write behind and have no {@link SinkRoom} now. On an unordered
 * connection such a message steps aside, and others are granted. It queues again, behind them, once
 * its sink has taken some. On an ordered connection it does not step aside: later messages could
 * not be delivered before it.
 *
 * <p>A message that is reserved whole and not granted whole can go on while another before it waits
 * for the budget. Perhaps the other waits for just these bytes.
 *
 * <p>Grants for pushes also wait for room in the node's {@link IncastLimit} ({@link IncastShare}).
 *
 * <p>Two clocks judge the connection as a whole. {@link GrantDoubt} decides when grants no longer
 * count in the IncastLimit. {@link PushesAhead} decides when they no longer count in the budget. On
 * an unordered connection they do not count in what may be ahead either, for others: pushes whose
 * sources have nothing must not keep grants from these. {@link StaleBytes} handles bytes that
 * nobody takes for long.
 */
final class GrantScheduler {
  private final long aheadBytesMost;
  private final PathNeed need = new PathNeed();
  private long aheadBytesMax;
  private final BudgetAccount account;
  private final PushesAhead ahead;
  private final StaleBytes stale;
  private final IncastShare incast;
  private final NodeBudget budget;
  private final SinkRoom room;
  private final PathView path;
  private final Supplier<Transaction> oldestOwn;
  private final Counters counters;
  private final boolean isOrdered;
  private final ServingOrder pushes;
  private final ServingOrder pulls;
  private final TransactionQueue reservedPushes;
  private final TransactionQueue reservedPulls;

  /** Messages whose sinks have no room. */
  private final TransactionQueue aside;

  private Transaction prepared;
  private long preparedBytes;
  private boolean isInTurn;
  private boolean isBudgetShort;
  private boolean isPullNext;

  private long pullAheadBytes;

  /** Bytes that the sinks have taken, to measure what the path needs. */
  private long carriedBytes;

  /**
   * @param aheadBytesMost granted bytes that have not arrived, at the most. Begins at no more than
   *     {@link SolicitationConfig#GRANT_AHEAD_BYTES} and follows bandwidth × delay
   * @param oldestOwn the own transaction whose end is handed up next, on an ordered connection;
   *     null when there is none
   */
  GrantScheduler(
      TransactionPool pool,
      long aheadBytesMost,
      NodeBudget budget,
      Runnable waker,
      PathView path,
      boolean isOrdered,
      Supplier<Transaction> oldestOwn,
      Counters counters) {
    this.isOrdered = isOrdered;
    pushes = new ServingOrder(pool, Transaction.GRANT, isOrdered, 1);
    pulls = new ServingOrder(pool, Transaction.GRANT, isOrdered, 1);
    reservedPushes = new TransactionQueue(pool, Transaction.STREAM);
    reservedPulls = new TransactionQueue(pool, Transaction.STREAM);
    aside = new TransactionQueue(pool, Transaction.GRANT);
    room = new SinkRoom(budget);
    this.aheadBytesMost = aheadBytesMost;
    this.aheadBytesMax = Math.min(aheadBytesMost, SolicitationConfig.GRANT_AHEAD_BYTES);
    account = new BudgetAccount(budget, waker);
    ahead = new PushesAhead(account, path, counters);
    stale = new StaleBytes(account);
    incast = new IncastShare(budget.incast(), account, path);
    this.budget = budget;
    this.path = path;
    this.oldestOwn = oldestOwn;
    this.counters = counters;
  }

  /** Returns whether a message of this length could ever be reserved whole. */
  boolean isPossible(long wholeBytes) {
    return wholeBytes <= budget.capacityBytes() >> 1;
  }

  /**
   * Adds a peer's solicited push whose sink is open. On an ordered connection pushes are granted in
   * the order of these calls.
   */
  void addPush(Transaction transaction) {
    room.onSink(transaction.incoming());
    pushes.add(transaction, transaction.lengthBytes());
  }

  /**
   * Reserves the first part of a pull's answer. Returns false when the budget has no room: the
   * connection is woken when it has.
   */
  boolean reservePull(Transaction pull) {
    long bytes = Math.min(pull.lengthBytes(), Limits.PULL_RESERVATION_BYTES_MAX);
    if (bytes > 0 && account.reserve(bytes, bytes, true) == 0) {
      return false;
    }
    pull.incoming().reserve(bytes);
    pull.incoming().grant(bytes);
    return true;
  }

  /**
   * Handles the length of a pull's answer. The reservation shrinks to it, or grants for the rest
   * begin.
   */
  void onAnswerLength(Transaction pull) {
    IncomingPayload payload = pull.incoming();
    room.onSink(payload);
    long surplus = payload.grantedBytes() - pull.answerLengthBytes();
    if (surplus > 0) {
      payload.shrink(surplus);
      room.onReserved(payload, -surplus);
      account.release(surplus, true);
    } else if (surplus < 0) {
      pulls.add(pull, -surplus);
    }
    // The answer counts as on its way only from now on. A pull that nobody has answered yet must
    // not keep grants from an answered one.
    pullAheadBytes += payload.grantedBytes();
    payload.countAhead();
  }

  /** Returns whether a grant can be written now, after reserving its bytes. */
  boolean hasGrant() {
    if (prepared == null && !(pushes.isEmpty() && pulls.isEmpty())) {
      if (!prepare(isPullNext ? pulls : pushes, isPullNext)) {
        prepare(isPullNext ? pushes : pulls, !isPullNext);
      }
    }
    return prepared != null;
  }

  /**
   * Prepares a grant for one message of a queue.
   *
   * <p>Two problems could stop all pulls. On an ordered connection, bytes that later pulls hold
   * come free only in RSN order. On an unordered one, several pulls may hold the bytes that the
   * others wait for.
   *
   * <p>So one pull counts as the oldest. Bytes held by others and bytes that nobody takes do not
   * stop it. On an ordered connection the oldest own transaction is this pull, if it waits here,
   * and it goes first.
   */
  private boolean prepare(ServingOrder queue, boolean isPull) {
    if (queue.isEmpty() || !isOrdered && isAllAside(queue, isPull)) {
      return false;
    }
    Transaction oldest = isPull ? oldestPull() : null;
    Transaction next = isOrdered && oldest != null ? oldest : queue.next();
    isInTurn = prepare(next, isPull, next == oldest);
    return isInTurn
        || (!isOrdered
            && isBudgetShort
            && ((oldest != null && oldest != next && prepare(oldest, true, true))
                || prepareReserved(isPull ? reservedPulls : reservedPushes, isPull)));
  }

  /** Moves messages whose sinks have no room aside. Returns whether no message is left. */
  private boolean isAllAside(ServingOrder queue, boolean isPull) {
    for (Transaction t = fullOf(queue); t != null; t = fullOf(queue)) {
      putAside(t);
    }
    if (!queue.isEmpty()) {
      return false;
    }
    if (isPull) {
      account.passTurn(true); // another pull may wait for its first reservation
    } else {
      renouncePushes();
    }
    return true;
  }

  private void putAside(Transaction transaction) {
    queueOf(transaction).remove(transaction);
    reservedOf(transaction).remove(transaction);
    aside.addLast(transaction);
  }

  /**
   * Leaves the budget's queue for the pushes, which want nothing now. If the oldest pull waits in
   * that queue, it keeps its place.
   */
  private void renouncePushes() {
    if (oldestPull() == null) {
      account.renounce(false);
    }
  }

  /** Returns the oldest message or the next one, if its sink has no room; otherwise null. */
  private Transaction fullOf(ServingOrder queue) {
    Transaction first = queue.first();
    if (first == null || isFull(first)) {
      return first;
    }
    Transaction next = queue.next();
    return isFull(next) ? next : null;
  }

  private boolean isFull(Transaction transaction) {
    long bytes = nextBytes(transaction);
    return room.grantable(transaction.incoming(), bytes) == 0 || isStuck(transaction, bytes);
  }

  /**
   * Returns whether a push has stalled and would get more only because stalled bytes do not count
   * as ahead: they leave room for others, and not for the push that brings nothing.
   */
  private boolean isStuck(Transaction transaction, long bytes) {
    return !isOrdered
        && transaction.kind() != Transaction.Kind.PULL
        && ahead.bytes() + bytes > aheadBytesMax
        && ahead.hasStalled(transaction.incoming());
  }

  /** Returns the length of the next grant for a message that is not granted whole. */
  private static long nextBytes(Transaction transaction) {
    return Math.min(ungrantedBytes(transaction), Limits.GRANT_BYTES_MAX);
  }

  private static long ungrantedBytes(Transaction transaction) {
    return transaction.payloadBytes() - transaction.incoming().grantedBytes();
  }

  private ServingOrder queueOf(Transaction transaction) {
    return transaction.kind() == Transaction.Kind.PULL ? pulls : pushes;
  }

  private TransactionQueue reservedOf(Transaction transaction) {
    return transaction.kind() == Transaction.Kind.PULL ? reservedPulls : reservedPushes;
  }

  /**
   * Returns the bytes that are reserved, and neither granted nor taken. Of a message kept whole
   * these are all that remains, once it has room.
   */
  private static long reservedUngrantedBytes(IncomingPayload payload) {
    return payload.reservedBytes() - (payload.grantedBytes() - payload.takenBytes());
  }

  /** Prepares a grant for a message of which bytes are reserved. Without order only. */
  private boolean prepareReserved(TransactionQueue reserved, boolean isPull) {
    Transaction next = reserved.peek();
    while (next != null && isFull(next)) {
      putAside(next);
      next = reserved.peek();
    }
    return next != null && prepare(next, isPull, false);
  }

  private boolean prepare(Transaction transaction, boolean isPull, boolean isOldest) {
    IncomingPayload payload = transaction.incoming();
    long remaining = ungrantedBytes(transaction);
    long bytes = room.grantable(payload, nextBytes(transaction));
    long aheadBytes = isPull ? pullAheadBytes : pushAheadBytes();
    if (isOldest) {
      aheadBytes = payload.missingBytes();
    }
    isBudgetShort = false;
    if (aheadBytes > 0 && aheadBytes + bytes > aheadBytesMax) {
      account.passTurn(isPull && !isOldest);
      return false;
    }
    if (bytes == 0) {
      if (isPull) {
        account.renounce(true); // like a connection that is barred
      } else {
        renouncePushes();
      }
      isBudgetShort = true;
      return false;
    }
    long ungranted = reservedUngrantedBytes(payload);
    if (!isPull) {
      bytes = incast.grantable(bytes, ungranted > 0);
      if (bytes == 0) {
        isBudgetShort = true;
        return false;
      }
    }
    if (ungranted == 0) {
      if (!isOldest && account.isBarred()) {
        // Others in the queue must not wait for this connection's application too.
        account.renounce(isPull);
        isBudgetShort = true;
        return false;
      }
      boolean isWhole = !payload.isDiscarding() && payload.isKeptWhole();
      long most = isWhole ? remaining : bytes;
      long least = isWhole ? remaining : Math.min(bytes, SolicitationConfig.GRANT_BYTES_MIN);
      long reserved = account.reserve(least, most, isPull, isOldest);
      if (reserved == 0) {
        isBudgetShort = true;
        return false;
      }
      payload.reserve(reserved);
      room.onReserved(payload, reserved);
      bytes = Math.min(bytes, reserved);
      if (reserved > bytes) {
        reservedOf(transaction).addLast(transaction);
      }
    } else if (!isPull) {
      account.useTurn();
    }
    prepared = transaction;
    preparedBytes = bytes;
    isPullNext = !isPull;
    return true;
  }

  /** Returns the bytes of pushes ahead. On an unordered connection stalled ones do not count. */
  private long pushAheadBytes() {
    return isOrdered ? ahead.bytes() : ahead.countedBytes();
  }

  private Transaction oldestPull() {
    Transaction oldest = isOrdered ? oldestOwn.get() : pulls.first();
    return oldest != null && pulls.contains(oldest) ? oldest : null;
  }

  /**
   * Passes on a turn at the budget that was not used in this transmission, because a window or the
   * link has no room. This connection asks again when it has room. Called when everything possible
   * was transmitted.
   */
  void passUnusedTurn() {
    account.passNotedTurns();
  }

  /** Notes that transmission begins: {@link #passUnusedTurn} ends it. */
  void onTransmitting() {
    account.noteTurns();
  }

  /**
   * Returns the transaction whose grant is to be written. Valid after {@link #hasGrant} returned
   * true.
   */
  Transaction prepared() {
    return prepared;
  }

  /**
   * Returns the length of the prepared grant, bytes. It begins at {@link
   * IncomingPayload#grantedBytes}.
   */
  long preparedBytes() {
    return preparedBytes;
  }

  /** Notes that the prepared grant was written. */
  void onGranted(long nowNs) {
    Transaction transaction = prepared;
    prepared = null;
    if (transaction.kind() == Transaction.Kind.PULL) {
      pullAheadBytes += preparedBytes;
    } else {
      ahead.onGranting(transaction.incoming(), preparedBytes, nowNs);
      incast.onGranted(preparedBytes, nowNs);
    }
    transaction.incoming().grant(preparedBytes);
    counters.increment(CounterId.GRANTS_SENT);
    if (preparedBytes < transaction.payloadBytes()) {
      counters.increment(CounterId.GRANTS_PARTIAL);
    }
    long remaining = ungrantedBytes(transaction);
    ServingOrder queue = queueOf(transaction);
    if (isInTurn) {
      queue.onServed(transaction, 1, remaining);
    } else {
      queue.onRemaining(transaction, remaining);
    }
    if (remaining == 0) {
      leave(transaction);
    }
  }

  private void leave(Transaction transaction) {
    aside.remove(transaction);
    pushes.remove(transaction);
    pulls.remove(transaction);
    reservedPushes.remove(transaction); // also while it stands aside
    reservedPulls.remove(transaction);
  }

  /**
   * Notes that granted bytes arrived. Called before the sink gets them, which may end the
   * transaction.
   */
  void onArrived(Transaction transaction, long bytes, long nowNs) {
    IncomingPayload payload = transaction.incoming();
    stale.onArrived(payload, bytes);
    if (transaction.kind() == Transaction.Kind.PULL) {
      payload.arrive(bytes);
      pullAheadBytes -= bytes;
    } else {
      ahead.onArriving(payload, bytes, nowNs);
      payload.arrive(bytes);
      incast.onArrived(bytes, ahead.bytes(), nowNs);
      returnIfNotFull(transaction);
    }
  }

  /** Has a message that stands aside queue again, behind the others. */
  private void returnIfNotFull(Transaction transaction) {
    if (!aside.contains(transaction) || isFull(transaction)) {
      return;
    }
    aside.remove(transaction);
    queueOf(transaction).add(transaction, ungrantedBytes(transaction));
    if (reservedUngrantedBytes(transaction.incoming()) > 0) {
      reservedOf(transaction).addLast(transaction);
    }
  }

  /** Notes that the sink took bytes that had arrived. */
  void onTaken(Transaction transaction, long bytes) {
    IncomingPayload payload = transaction.incoming();
    carriedBytes += bytes;
    payload.release(bytes);
    room.onReserved(payload, -bytes);
    returnIfNotFull(transaction);
    account.release(bytes, transaction.kind() == Transaction.Kind.PULL);
    stale.onTaken(payload, bytes);
  }

  /** Ends a transaction: it takes no more bytes and gives back all that it holds. */
  void onEnded(Transaction transaction) {
    if (prepared == transaction) {
      prepared = null;
    }
    leave(transaction);
    IncomingPayload payload = transaction.incoming();
    long reserved = payload.reservedBytes();
    long missing = payload.missingBytes();
    long untaken = payload.untakenBytes();
    if (transaction.kind() == Transaction.Kind.PULL) {
      pullAheadBytes -= payload.isCountedAhead() ? missing : 0;
      account.release(reserved, true);
    } else {
      ahead.onEnding(payload);
      incast.atMostAhead(ahead.bytes());
      account.release(reserved - missing, false);
    }
    payload.stop();
    room.onReserved(payload, -reserved);
    carriedBytes += untaken;
    stale.onTaken(payload, untaken);
    if (pushes.isEmpty()) {
      renouncePushes();
    }
  }

  /** Notes that no pull waits for its first reservation any more. */
  void onNoPullWaiting() {
    if (pulls.isEmpty()) {
      account.renounce(true);
    }
  }

  /** Notes that all records of a burst were read. */
  void onBurstEnd(long nowNs) {
    incast.onBurstEnd(nowNs);
    if (aheadBytesMax < aheadBytesMost
        && need.isMore(carriedBytes, aheadBytesMax, path.leastRttNs(), nowNs)) {
      aheadBytesMax = Math.min(aheadBytesMost, 2 * aheadBytesMax);
    }
    stale.onBurstEnd(nowNs);
  }

  long nextDeadlineNs() {
    return Math.min(ahead.deadlineNs(), Math.min(stale.deadlineNs(), incast.deadlineNs()));
  }

  void onTimeout(long nowNs) {
    incast.onTimeout(nowNs);
    ahead.onTimeout(nowNs);
    stale.onTimeout(nowNs);
  }

  /** Returns how many granted bytes may be on their way, with the path as it is now. */
  long aheadBytesMax() {
    return aheadBytesMax;
  }

  /** Returns the bytes that count for this connection, for tests and statistics. */
  long heldBytes() {
    return account.heldBytes();
  }

  /** Closes: the connection and all its transactions have ended. */
  void close() {
    assert pushes.isEmpty() && pulls.isEmpty() && aside.isEmpty()
        : "transactions wait for grants on an ended connection";
    assert pullAheadBytes == 0 : "grants outlive their transactions";
    ahead.stop();
    account.close();
    stale.stop();
    incast.stop();
  }
}
