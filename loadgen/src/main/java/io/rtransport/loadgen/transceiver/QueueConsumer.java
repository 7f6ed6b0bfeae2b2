package io.rtransport.loadgen.transceiver;

import io.rtransport.core.outcome.CloseReason;
import io.rtransport.netty.queue.RtQueueConnection;
import io.rtransport.netty.queue.RtQueueEntry;
import io.rtransport.netty.queue.RtQueueHandler;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Gives each connection of one side what the queues hand over, and the end of each batch. Confined
 * to the consumer's thread.
 */
final class QueueConsumer implements RtQueueHandler {
  private final Map<RtQueueConnection, QueuePeer> peers = new IdentityHashMap<>();
  private final List<QueuePeer> touched = new ArrayList<>();
  private Function<RtQueueConnection, QueuePeer> arrivals =
      connection -> {
        throw new IllegalStateException("nothing is accepted here");
      };
  private RtQueueConnection lastConnection;
  private QueuePeer last;

  /** Sets who makes the peers of accepted connections. */
  void arrivals(Function<RtQueueConnection, QueuePeer> maker) {
    arrivals = maker;
  }

  /** Adds a connection that this side has begun. */
  void add(RtQueueConnection connection, QueuePeer peer) {
    peers.put(connection, peer);
  }

  /** Tells each connection that had something: the batch is over. */
  void onBatchEnd() {
    for (int i = 0; i < touched.size(); i++) {
      QueuePeer peer = touched.get(i);
      peer.isTouched = false;
      peer.onBatchEnd();
    }
    touched.clear();
  }

  private QueuePeer touch(RtQueueConnection connection) {
    if (connection != lastConnection) {
      lastConnection = connection;
      last = peers.computeIfAbsent(connection, arrivals);
    }
    if (!last.isTouched) {
      last.isTouched = true;
      touched.add(last);
    }
    return last;
  }

  @Override
  public void onCompletion(RtQueueEntry entry) {
    touch(entry.connection()).onEnd(entry);
  }

  @Override
  public void onMessage(RtQueueEntry entry) {
    touch(entry.connection()).onMessage(entry);
  }

  @Override
  public void onRequest(RtQueueEntry entry) {
    touch(entry.connection()).onRequest(entry);
  }

  @Override
  public void onOpen(RtQueueConnection connection) {
    touch(connection).onOpen(connection);
  }

  @Override
  public void onClosed(RtQueueConnection connection, CloseReason reason) {
    QueuePeer peer = peers.remove(connection);
    lastConnection = null;
    if (peer != null) {
      peer.onClosed(reason);
    }
  }
}
