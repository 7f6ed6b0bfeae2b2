package io.rtransport.netty;

import io.rtransport.core.transaction.OutboxEntry;

/**
 * Decides which part of a channel takes an entry of the core: its reads, its writes or the answer
 * to a pull. The two entries that nearly all are, a whole message and the end of a transaction, do
 * not come here. Stateless.
 */
final class EntryDispatch {
  private EntryDispatch() {}

  /**
   * Gives {@code entry} to its part.
   *
   * @return false if no part takes it, because it is of the connection's own life
   */
  static boolean give(OutboxEntry entry, Link link, WriteQueue writes, ReadLoop reading) {
    switch (entry.kind()) {
      case OPENED -> {
        if (entry.isAnswer()) {
          writes.answerIn(entry.tag()).onOpened(link.connection().verbs(), entry);
        } else {
          reading.queue().onOpened(entry);
        }
      }
      case BYTES -> {
        if (entry.isAnswer()) {
          writes.answerIn(entry.handle()).onBytes(link.connection().verbs(), entry);
        } else {
          reading.queue().onBytes(entry);
        }
      }
      case DELIVERED -> {
        if (entry.isAnswer()) {
          writes.answerIn(entry.handle()).onDelivered(entry);
        } else {
          reading.queue().onDelivered(entry);
        }
      }
      case REQUESTED -> {
        reading.queue().onRequested(entry);
        link.readDue();
      }
      case RECEIVED -> {
        writes.completions().onReceived(entry.tag());
        link.due();
      }
      case SOURCE_RELEASED -> writes.onSourceReleased(entry.handle());
      case ROOM -> {
        writes.onSubmittable();
        link.pumpDue();
      }
      case PEER_FINISHED -> {
        reading.onPeerFinished();
        link.due();
      }
      default -> {
        return false;
      }
    }
    return true;
  }
}
