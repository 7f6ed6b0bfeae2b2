package io.rtransport.core.solicitation;

/**
 * What one connection holds of the {@link NodeBudget}, and whether it waits for more. All verbs are
 * its loop's, except {@link #onTurn}, {@link #neededBytes}, {@link #neededUnits} and {@link #wake},
 * which the budget calls on whichever thread let bytes go.
 */
final class BudgetAccount {
  private static final int PUSH = 0;
  private static final int PULL = 1;

  private final NodeBudget budget;
  private final Runnable waker;
  private final boolean[] isWaiting = new boolean[2];
  private final long[] neededBytes = new long[2];

  private volatile boolean hasPushTurn;
  private volatile boolean hasPullTurn;
  private boolean hadPushTurn;
  private boolean hadPullTurn;
  private long heldBytes;
  private long givenAwayBytes;
  private long staleBytes;
  private volatile long neededUnits;
  private long aheadUnits;
  private boolean isActive;
  private boolean isClosed;

  /**
   * @param waker called on any thread when it is this connection's turn: it must make the
   *     connection transmit, on its own loop, soon
   */
  BudgetAccount(NodeBudget budget, Runnable waker) {
    this.budget = budget;
    this.waker = waker;
  }

  /** Bytes that count for this connection. */
  long heldBytes() {
    return heldBytes;
  }

  /** Bytes granted that stopped counting. */
  long givenAwayBytes() {
    return givenAwayBytes;
  }

  /** As below, for all but the oldest pull. */
  long reserve(long bytesMin, long bytesMax, boolean isPull) {
    return reserve(bytesMin, bytesMax, isPull, false);
  }

  /**
   * Reserves as much as there is of {@code [bytesMin, bytesMax]}.
   *
   * @param isOldest for a pull that everything else of this connection may be waiting for: neither
   *     the connection's share nor the part of the pulls limits it, only the budget itself, for
   *     which it waits among the pushes
   * @return 0 when there is too little: then this connection is queued, or waits for what it holds
   *     itself
   */
  long reserve(long bytesMin, long bytesMax, boolean isPull, boolean isOldest) {
    int kind = isPull && !isOldest ? PULL : PUSH;
    if (isClosed || isQueued(kind)) {
      return 0;
    }
    boolean hadTurn = takeTurn(kind == PULL);
    activate(true);
    long shareBytes = isOldest ? budget.capacityBytes() : budget.shareBytes();
    long most = Math.min(bytesMax, shareBytes - heldBytes);
    if (most < bytesMin) {
      // Only what it holds itself stands in its way; its own releases will let it go on.
      deactivateIfIdle();
      pass(hadTurn);
      return 0;
    }
    if (!hadTurn && budget.hasWaiting(kind == PULL)) {
      queue(kind, bytesMin, false);
      return 0;
    }
    long bytes = budget.reserve(bytesMin, most, isPull, isOldest);
    if (bytes == 0) {
      queue(kind, bytesMin, hadTurn);
      return 0;
    }
    heldBytes += bytes;
    pass(hadTurn);
    return bytes;
  }

  private void queue(int kind, long bytesMin, boolean isFirst) {
    if (kind == PUSH) {
      neededUnits = 0;
    }
    enqueue(kind, bytesMin, isFirst);
  }

  private void enqueue(int kind, long bytesMin, boolean isFirst) {
    neededBytes[kind] = bytesMin;
    isWaiting[kind] = true;
    budget.enqueue(this, kind == PULL, isFirst);
    // Between the refusal and the queueing the last holder may have let go: ask once more.
    budget.tellNext();
  }

  /**
   * Whether a push may be granted {@code bytes} more as far as the node's {@link IncastLimit} goes.
   * If not, this connection is queued. A turn that it has is kept for {@link #reserve}.
   *
   * @param roundTripNs what {@link IncastLimit#roundTripNs} says of its path
   */
  boolean hasIncastRoom(long bytes, long roundTripNs) {
    if (isClosed || isQueued(PUSH)) {
      return false;
    }
    IncastLimit incast = budget.incast();
    long units = IncastLimit.units(bytes, roundTripNs);
    if (incast.hasRoom(units, aheadUnits) // as the budget judged that told of the turn
        && (hasPushTurn || !budget.hasWaiting(false))) {
      return true;
    }
    incast.onShort();
    boolean hadTurn = takeTurn(false);
    activate(true);
    neededUnits = units;
    enqueue(PUSH, 0, hadTurn);
    return false;
  }

  /** Whether it waits in the queue for the pushes. */
  boolean isPushQueued() {
    return isQueued(PUSH);
  }

  /** What a turn was kept for needs no reservation: whoever waits behind may go on. */
  void useTurn() {
    if (!isQueued(PUSH)) {
      pass(takeTurn(false));
    }
  }

  /** {@code bytes} more are granted ahead, and count. */
  void onAhead(long bytes, long roundTripNs) {
    IncastLimit incast = budget.incast();
    long units = incast.countedUnits(bytes, aheadUnits, roundTripNs);
    aheadUnits += units;
    incast.onAhead(units);
  }

  /**
   * No more than {@code bytes} are ahead now. Those that had stopped counting do not begin again.
   */
  void atMostAhead(long bytes, long roundTripNs) {
    long units = Math.min(aheadUnits, IncastLimit.units(bytes, roundTripNs));
    if (units < aheadUnits) {
      budget.incast().onAhead(units - aheadUnits);
      aheadUnits = units;
      budget.tellNext();
    }
  }

  /** Bytes of a push that may be granted now at the most, as far as that limit goes. */
  long incastRoomBytes(long roundTripNs) {
    return budget.incast().roomBytes(aheadUnits, roundTripNs);
  }

  /** What counts of this connection's grants ahead. */
  long aheadUnits() {
    return aheadUnits;
  }

  private void pass(boolean hadTurn) {
    if (hadTurn) {
      budget.tellNext();
    }
  }

  /** Whether it stands in the queue; a turn that was told ends that. */
  private boolean isQueued(int kind) {
    if (isWaiting[kind] && (kind == PULL ? hasPullTurn : hasPushTurn)) {
      isWaiting[kind] = false;
    }
    return isWaiting[kind];
  }

  private boolean takeTurn(boolean isPull) {
    boolean had = isPull ? hasPullTurn : hasPushTurn;
    if (isPull) {
      hasPullTurn = false;
      hadPullTurn = false;
    } else {
      hasPushTurn = false;
      hadPushTurn = false;
    }
    return had;
  }

  /** The connection is about to transmit, and can use what turns it has. */
  void noteTurns() {
    hadPushTurn = hasPushTurn;
    hadPullTurn = hasPullTurn;
  }

  /**
   * It has transmitted: turns that it had all the while and did not use go on. One told meanwhile
   * is for the next time, which it is woken for.
   */
  void passNotedTurns() {
    if (hadPushTurn) {
      passTurn(false);
    }
    if (hadPullTurn) {
      passTurn(true);
    }
  }

  /**
   * Its turn may have come, and it has no use for it now: whoever waits behind may go on. Where it
   * only waits it keeps its place.
   */
  void passTurn(boolean isPull) {
    if (isPull ? hasPullTurn : hasPushTurn) {
      renounce(isPull);
    }
  }

  /** Nothing is wanted now: whoever waits behind may go on. */
  void renounce(boolean isPull) {
    int kind = isPull ? PULL : PUSH;
    if (isWaiting[kind] || (isPull ? hasPullTurn : hasPushTurn)) {
      isWaiting[kind] = false;
      budget.leave(this, isPull);
      takeTurn(isPull);
      deactivateIfIdle();
    }
  }

  /** Bytes that had been granted arrived: those that had stopped counting count again. */
  void onArrived(long bytes) {
    long back = Math.min(bytes, givenAwayBytes);
    if (back > 0) {
      givenAwayBytes -= back;
      heldBytes += back;
      budget.takeBack(back);
    }
  }

  /**
   * The application took {@code bytes} that had arrived, or a reservation of them is no longer
   * needed.
   */
  void release(long bytes, boolean isPull) {
    assert bytes <= heldBytes : "released " + bytes + " of " + heldBytes + " B held";
    heldBytes -= bytes;
    deactivateIfIdle();
    budget.release(bytes, isPull);
  }

  /** {@code bytes} of a push that were granted will never come. */
  void cancel(long bytes) {
    long forgotten = Math.min(bytes, givenAwayBytes);
    givenAwayBytes -= forgotten;
    budget.forgetGivenAway(forgotten);
    release(bytes - forgotten, false);
  }

  /**
   * Grants of {@code bytes} saw nothing for long: as far as the budget allows they stop counting.
   */
  long giveAway(long bytes) {
    long given = budget.giveAway(Math.min(bytes, heldBytes));
    heldBytes -= given;
    givenAwayBytes += given;
    deactivateIfIdle();
    return given;
  }

  /** So many bytes arrived and were not taken for long. */
  void stale(long bytes) {
    if (bytes != staleBytes) { // asked for every packet; the node's count is shared
      budget.onStale(bytes - staleBytes);
      staleBytes = bytes;
    }
  }

  /**
   * Whether untaken bytes forbid another grant: above 1/8 here, or above 1/2 on the node with a
   * part of it here.
   */
  boolean isBarred() {
    return staleBytes > budget.capacityBytes() >> 3 || (staleBytes > 0 && budget.isTooMuchStale());
  }

  private void activate(boolean value) {
    if (isActive != value) {
      isActive = value;
      budget.onActive(value ? 1 : -1);
    }
  }

  private void deactivateIfIdle() {
    if (heldBytes == 0 && !isWaiting[PUSH] && !isWaiting[PULL]) {
      activate(false);
    }
  }

  /** The connection ended; everything it held was released before. */
  void close() {
    renounce(false);
    renounce(true);
    stale(0);
    assert aheadUnits == 0 : "closed with grants ahead";
    assert heldBytes == 0 && givenAwayBytes == 0
        : "closed holding " + heldBytes + " + " + givenAwayBytes + " B";
    isClosed = true;
    deactivateIfIdle();
  }

  long neededBytes(boolean isPull) {
    return neededBytes[isPull ? PULL : PUSH];
  }

  /** What it needs of the {@link IncastLimit} for its next push. */
  long neededUnits() {
    return neededUnits;
  }

  void onTurn(boolean isPull) {
    if (isPull) {
      hasPullTurn = true;
    } else {
      hasPushTurn = true;
    }
  }

  void wake() {
    waker.run();
  }
}
