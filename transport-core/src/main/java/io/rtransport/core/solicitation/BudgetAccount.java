package io.rtransport.core.solicitation;

/**
 * One connection's bytes of the {@link NodeBudget}, and whether the connection waits for more. Its
 * methods run on the connection's loop, except {@link #onTurn}, {@link #neededBytes}, {@link
 * #neededUnits} and {@link #wake}. The budget calls these four on the thread that released bytes.
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
   * @param waker called when it is this connection's turn: it must make the connection transmit, on
   *     its own loop, soon. Any thread
   */
  BudgetAccount(NodeBudget budget, Runnable waker) {
    this.budget = budget;
    this.waker = waker;
  }

  /** Returns the bytes that count for this connection. */
  long heldBytes() {
    return heldBytes;
  }

  /** Returns the granted bytes that stopped counting. */
  long givenAwayBytes() {
    return givenAwayBytes;
  }

  /** Reserves bytes for a push, or for a pull that is not the oldest; see the method below. */
  long reserve(long bytesMin, long bytesMax, boolean isPull) {
    return reserve(bytesMin, bytesMax, isPull, false);
  }

  /**
   * Reserves as many bytes as possible within {@code [bytesMin, bytesMax]}.
   *
   * @param isOldest for a pull for which everything else of this connection may be waiting. Neither
   *     the connection's share nor the part of the pulls limits it, only the budget itself. It
   *     waits for that in the queue of the pushes
   * @return 0 when too little is free: then this connection is queued, or waits for its own
   *     releases
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
      // Only its own bytes stand in its way: it goes on when it releases them.
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
    // The last holder may have released bytes between the refusal and the queueing: ask once more.
    budget.tellNext();
  }

  /**
   * Returns whether the node's {@link IncastLimit} lets a push be granted {@code bytes} more. If
   * not, this connection is queued. If it has a turn, {@link #reserve} can still use it.
   *
   * @param roundTripNs the value of {@link IncastLimit#roundTripNs} for its path
   */
  boolean hasIncastRoom(long bytes, long roundTripNs) {
    if (isClosed || isQueued(PUSH)) {
      return false;
    }
    IncastLimit incast = budget.incast();
    long units = IncastLimit.units(bytes, roundTripNs);
    if (incast.hasRoom(units, aheadUnits) // as judged when the turn was given
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

  /** Returns whether this connection waits in the queue for the pushes. */
  boolean isPushQueued() {
    return isQueued(PUSH);
  }

  /** Passes a kept turn on, because its bytes are reserved: the next may go on. */
  void useTurn() {
    if (!isQueued(PUSH)) {
      pass(takeTurn(false));
    }
  }

  /** Notes that {@code bytes} more are granted ahead and count. */
  void onAhead(long bytes, long roundTripNs) {
    IncastLimit incast = budget.incast();
    long units = incast.countedUnits(bytes, aheadUnits, roundTripNs);
    aheadUnits += units;
    incast.onAhead(units);
  }

  /**
   * Notes that no more than {@code bytes} are ahead now. Bytes that had stopped counting do not
   * count again.
   */
  void atMostAhead(long bytes, long roundTripNs) {
    long units = Math.min(aheadUnits, IncastLimit.units(bytes, roundTripNs));
    if (units < aheadUnits) {
      budget.incast().onAhead(units - aheadUnits);
      aheadUnits = units;
      budget.tellNext();
    }
  }

  /** Returns the most bytes of a push that the IncastLimit lets be granted now. */
  long incastRoomBytes(long roundTripNs) {
    return budget.incast().roomBytes(aheadUnits, roundTripNs);
  }

  /** Returns how much this connection's grants ahead count. */
  long aheadUnits() {
    return aheadUnits;
  }

  private void pass(boolean hadTurn) {
    if (hadTurn) {
      budget.tellNext();
    }
  }

  /** Returns whether this connection stands in the queue. A turn that was given ends that. */
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

  /**
   * Notes the turns that this connection has at the start of a transmission, in which it can use
   * them.
   */
  void noteTurns() {
    hadPushTurn = hasPushTurn;
    hadPullTurn = hasPullTurn;
  }

  /**
   * Passes on turns that the connection had during the whole transmission and did not use. A turn
   * given meanwhile stays for the next transmission, for which the connection is woken.
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
   * Passes on a turn that the connection has and cannot use now: the next in the queue may go on.
   * If the connection only waits, it keeps its place.
   */
  void passTurn(boolean isPull) {
    if (isPull ? hasPullTurn : hasPushTurn) {
      renounce(isPull);
    }
  }

  /** Gives up place and turn, because nothing is wanted now: the next in the queue may go on. */
  void renounce(boolean isPull) {
    int kind = isPull ? PULL : PUSH;
    if (isWaiting[kind] || (isPull ? hasPullTurn : hasPushTurn)) {
      isWaiting[kind] = false;
      budget.leave(this, isPull);
      takeTurn(isPull);
      deactivateIfIdle();
    }
  }

  /**
   * Notes that granted bytes arrived, and {@code stalledBytes} that were granted before the last
   * stall are still missing. More than these cannot be given away: the others count again.
   */
  void onArrived(long stalledBytes) {
    long back = givenAwayBytes - stalledBytes;
    if (back > 0) {
      givenAwayBytes -= back;
      heldBytes += back;
      budget.takeBack(back);
    }
  }

  /**
   * Releases {@code bytes}: the application took arrived bytes, or a reservation is not needed any
   * more.
   */
  void release(long bytes, boolean isPull) {
    assert bytes <= heldBytes : "released " + bytes + " of " + heldBytes + " B held";
    heldBytes -= bytes;
    deactivateIfIdle();
    budget.release(bytes, isPull);
  }

  /**
   * Releases {@code bytes} of a push that were granted and will never come.
   *
   * @param stalledBytes bytes of other pushes that were granted before the last stall and are
   *     missing
   */
  void cancel(long bytes, long stalledBytes) {
    long forgotten = Math.max(0, givenAwayBytes - stalledBytes);
    givenAwayBytes -= forgotten;
    budget.forgetGivenAway(forgotten);
    release(bytes - forgotten, false);
  }

  /**
   * Stops counting grants of {@code bytes} that brought nothing for long, as far as the budget
   * allows. Returns how many bytes.
   */
  long giveAway(long bytes) {
    long given = budget.giveAway(Math.min(bytes, heldBytes));
    heldBytes -= given;
    givenAwayBytes += given;
    deactivateIfIdle();
    return given;
  }

  /** Sets how many bytes arrived and were not taken for long. */
  void stale(long bytes) {
    if (bytes != staleBytes) { // called for every packet, and the node's count is shared
      budget.onStale(bytes - staleBytes);
      staleBytes = bytes;
    }
  }

  /**
   * Returns whether untaken bytes forbid another grant: more than 1/8 of the budget here, or more
   * than 1/2 on the node and some of it here.
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

  /** Closes: the connection ended and released everything before. */
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

  /** Returns how much the next push needs of the {@link IncastLimit}. */
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
