package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.IncomingPayload;

/**
 * Decides how many bytes of a message may be granted and not yet taken when its sink writes behind,
 * such as a sink into a file.
 *
 * <p>The sink's owner sets its bound, {@link IncomingPayload#untakenBytesMax}. In addition, all
 * such messages together have three eighths of the {@link NodeBudget}, and each has an eighth of
 * what the others leave of that. So the parts shrink as the messages become more. Sinks whose disk
 * hangs leave the rest of the budget free, and a message of half the budget fits into it. Each
 * message may always hold {@link #BYTES_LEAST}, with which it goes on slowly. In 64 MiB there is
 * room for 128 of these beside that message of half the budget.
 *
 * <p>Bytes that such a sink has not taken are never stale: these bounds replace that rule. They
 * must not keep the connection's other messages from being granted.
 */
final class SinkRoom {
  static final long BYTES_LEAST = 64 << 10;

  private static final int PARTS = 8;

  private final NodeBudget budget;

  SinkRoom(NodeBudget budget) {
    this.budget = budget;
  }

  /**
   * Notes that the sink of a message is known. The bytes that the message already holds count from
   * now on.
   */
  void onSink(IncomingPayload payload) {
    payload.settleSink();
    onReserved(payload, payload.reservedBytes());
  }

  /**
   * Returns how many of the next {@code bytes} may be granted now; 0: none until the sink takes
   * some.
   */
  long grantable(IncomingPayload payload, long bytes) {
    if (!payload.isWrittenBehind() || payload.isDiscarding()) {
      return bytes;
    }
    long othersBytes = budget.behindBytes() - payload.reservedBytes();
    long part = (budget.capacityBytes() / 8 * 3 - othersBytes) / PARTS;
    long most = Math.max(BYTES_LEAST, Math.min(part, payload.untakenBytesMax()));
    long now = Math.min(bytes, most);
    long untaken = payload.grantedBytes() - payload.takenBytes();
    return untaken + now <= most ? now : 0;
  }

  /** Notes that the message holds {@code change} bytes more of the budget. */
  void onReserved(IncomingPayload payload, long change) {
    if (payload.isWrittenBehind()) {
      budget.onBehind(change);
    }
  }
}
