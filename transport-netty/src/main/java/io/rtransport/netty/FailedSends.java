package io.rtransport.netty;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.SendFailure;

/**
 * Sends of one connection that failed since its last turn. A send may fail in the middle of a turn,
 * when the connection takes no calls. Confined to the event loop.
 */
final class FailedSends {
  private static final SendFailure[] FAILURES = SendFailure.values();

  /** Of each failure the paths that had it, a bit for each. */
  private final int[] paths = new int[FAILURES.length];

  void add(int pathIndex, SendFailure failure) {
    paths[failure.ordinal()] |= 1 << pathIndex;
  }

  /** Tells the connection, and forgets them. Returns whether there were any. */
  boolean tell(Connection connection, long nowNs) {
    boolean isAny = false;
    for (SendFailure failure : FAILURES) {
      int mask = paths[failure.ordinal()];
      paths[failure.ordinal()] = 0;
      isAny |= mask != 0;
      for (int rest = mask; rest != 0; rest &= rest - 1) {
        connection.onSendFailed(Integer.numberOfTrailingZeros(rest), failure, nowNs);
      }
    }
    return isAny;
  }
}
