package io.rtransport.core.solicitation;

/**
 * One connection's part of the node's {@link IncastLimit}: how much of a push may be granted now,
 * how much its grants ahead count, and when it checks again by itself. Loop-confined.
 */
final class IncastShare {
  private static final long NEVER = Long.MAX_VALUE;

  private final IncastLimit limit;
  private final BudgetAccount account;
  private final PathView path;
  private final GrantDoubt doubt = new GrantDoubt();
  private long lastNowNs;
  private long lookAgainNs = NEVER;

  /** Granted bytes of pushes that the present burst brought. */
  private long burstBytes;

  IncastShare(IncastLimit limit, BudgetAccount account, PathView path) {
    this.limit = limit;
    this.account = account;
    this.path = path;
  }

  /**
   * Returns how many of {@code bytes} may be granted now; 0: the connection waits. Returns all of
   * them while its grants are in doubt, because they do not count then.
   *
   * @param isReserved whether the bytes are reserved already. Then the connection checks again by
   *     itself. If it stands in the queue, it goes on before its turn: those before it may wait for
   *     just these bytes
   */
  long grantable(long bytes, boolean isReserved) {
    if (doubt.isDoubted()) {
      return bytes;
    }
    long roundTripNs = roundTripNs();
    long least = Math.min(bytes, SolicitationConfig.GRANT_BYTES_MIN);
    boolean isBehind = isReserved && account.isPushQueued();
    if (isBehind
        ? least > account.incastRoomBytes(roundTripNs)
        : !account.hasIncastRoom(least, roundTripNs)) {
      lookAgainNs = isReserved ? lastNowNs + IncastLimit.PERIOD_NS : NEVER;
      return 0;
    }
    return Math.min(bytes, Math.max(least, account.incastRoomBytes(roundTripNs)));
  }

  void onGranted(long bytes, long nowNs) {
    lastNowNs = nowNs;
    doubt.onGranted(account.aheadUnits() == 0, nowNs);
    if (!doubt.isDoubted()) {
      account.onAhead(bytes, roundTripNs());
    }
  }

  /**
   * @param leftBytes bytes granted to pushes that are still on their way
   */
  void onArrived(long bytes, long leftBytes, long nowNs) {
    atMostAhead(leftBytes);
    burstBytes += bytes;
    doubt.onArrived(bytes, leftBytes == 0, nowNs);
  }

  /** Notes that no more than {@code bytes} of pushes are on their way now. */
  void atMostAhead(long bytes) {
    account.atMostAhead(bytes, roundTripNs());
  }

  void onBurstEnd(long nowNs) {
    lastNowNs = nowNs;
    if (burstBytes > 0) {
      limit.onArrived(burstBytes, path.hasGap(), nowNs);
      burstBytes = 0;
    }
  }

  long deadlineNs() {
    return account.aheadUnits() > 0
        ? Math.min(lookAgainNs, doubt.deadlineNs(path.srttNs()))
        : lookAgainNs;
  }

  void onTimeout(long nowNs) {
    lastNowNs = nowNs;
    lookAgainNs = nowNs >= lookAgainNs ? NEVER : lookAgainNs;
    if (account.aheadUnits() > 0 && doubt.onTimeout(path.srttNs(), nowNs)) {
      atMostAhead(0);
    }
  }

  /** Stops: the connection ended. */
  void stop() {
    lookAgainNs = NEVER;
  }

  private long roundTripNs() {
    return limit.roundTripNs(path.srttNs(), path.leastRttNs());
  }
}
