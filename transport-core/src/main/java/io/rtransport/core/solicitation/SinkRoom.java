package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.Transaction;

/**
 * Decides how much of a message may be granted and not yet taken where its sink writes behind, such
 * as one into a file. Its owner names its bound, {@link Transaction#untakenBytesMax}. Beside that
 * such messages have three eighths of the {@link NodeBudget} together, and each an eighth of what
 * the others leave of those. So their parts shrink with their number, and sinks whose disk hangs
 * leave the rest of the budget, in which a message of half of it has room. Each may hold {@link
 * #BYTES_LEAST} all the same, with which it goes on slowly: in 64 MiB there is room for 128 of
 * those beside that message.
 *
 * <p>What such a sink has not taken is never stale: these bounds stand for it, and must not keep
 * the other messages of its connection from being granted.
 */
final class SinkRoom {
  static final long BYTES_LEAST = 64 << 10;

  private static final int PARTS = 8;

  private final NodeBudget budget;

  SinkRoom(NodeBudget budget) {
    this.budget = budget;
  }

  /** The sink of a message is known. What it holds already counts from now on. */
  void onSink(Transaction transaction) {
    transaction.isWrittenBehind =
        transaction.isOpen
            && !transaction.isDiscarding
            && !transaction.isKeptWhole
            && transaction.untakenBytesMax < Long.MAX_VALUE;
    onReserved(transaction, transaction.reservedBytes);
  }

  /** How many of the next {@code bytes} may be granted now; 0 until its sink takes some. */
  long grantable(Transaction transaction, long bytes) {
    if (!transaction.isWrittenBehind || transaction.isDiscarding) {
      return bytes;
    }
    long othersBytes = budget.behindBytes() - transaction.reservedBytes;
    long part = (budget.capacityBytes() / 8 * 3 - othersBytes) / PARTS;
    long most = Math.max(BYTES_LEAST, Math.min(part, transaction.untakenBytesMax));
    long now = Math.min(bytes, most);
    long untaken = transaction.grantedBytes - transaction.takenBytes;
    return untaken + now <= most ? now : 0;
  }

  /** The message holds {@code change} bytes more of the budget. */
  void onReserved(Transaction transaction, long change) {
    if (transaction.isWrittenBehind) {
      budget.onBehind(change);
    }
  }
}
