package io.rtransport.loadgen.transceiver;

import io.rtransport.core.outcome.CloseReason;
import io.rtransport.netty.queue.RtQueueConnection;
import io.rtransport.netty.queue.RtQueueEntry;

/** One connection of a {@link QueueConsumer}. Confined to the consumer's thread. */
abstract class QueuePeer {
  /** Code of the answer to what this side does not serve. */
  static final int NOT_SERVED = 300;

  /** Whether the consumer has had something for it since the last {@link #onBatchEnd}. */
  boolean isTouched;

  /** Takes the end of an own transaction. */
  abstract void onEnd(RtQueueEntry end);

  /** Takes a message of the peer. */
  abstract void onMessage(RtQueueEntry message);

  /** Takes a request of the peer. */
  void onRequest(RtQueueEntry request) {
    request.connection().fail(request.defer(), NOT_SERVED, "no requests are served");
  }

  /** Tells that the connection is set up. */
  void onOpen(RtQueueConnection connection) {}

  /** Tells that the connection has ended. */
  abstract void onClosed(CloseReason reason);

  /** Tells that what has come is over for now, outside the consumer's handler. */
  abstract void onBatchEnd();
}
