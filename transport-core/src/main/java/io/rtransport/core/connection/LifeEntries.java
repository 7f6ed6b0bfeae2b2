package io.rtransport.core.connection;

import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.OutboxEntry.Kind;

/**
 * Entries about a connection's own life, until they are polled. One bit for each is enough: an
 * entry that is due twice before a poll is told once. Entries of the beginning come before the
 * entries of transactions, entries of the end come after them.
 */
final class LifeEntries {
  private static final Kind[] FIRST = {
    Kind.ESTABLISHED, Kind.MOVED, Kind.PORT_CHANGED, Kind.PEER_CHANGED
  };
  private static final Kind[] LAST = {Kind.PEER_FINISHED, Kind.CLOSED, Kind.FORGOTTEN};

  private int due;
  private CloseReason reason;

  void put(Kind kind) {
    due |= bit(kind);
  }

  void putClosed(CloseReason why) {
    reason = why;
    put(Kind.CLOSED);
  }

  boolean pollFirst(OutboxEntry into) {
    return due != 0 && poll(FIRST, into);
  }

  /**
   * @param isSending whether packets wait to be sent; they go before {@link Kind#FORGOTTEN}
   */
  boolean pollLast(OutboxEntry into, boolean isSending) {
    return due != 0 && !(isSending && due == bit(Kind.FORGOTTEN)) && poll(LAST, into);
  }

  private boolean poll(Kind[] kinds, OutboxEntry into) {
    for (Kind kind : kinds) {
      if ((due & bit(kind)) != 0) {
        due &= ~bit(kind);
        if (kind == Kind.CLOSED) {
          into.putClosed(reason.code(), reason.text(), reason.isByPeer());
        } else {
          into.put(kind);
        }
        return true;
      }
    }
    return false;
  }

  private static int bit(Kind kind) {
    return 1 << kind.ordinal();
  }
}
