package io.rtransport.loadgen.transceiver;

import io.netty.util.concurrent.Promise;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.Session;
import io.rtransport.netty.queue.RtQueueConnection;
import io.rtransport.netty.queue.RtQueueEntry;
import java.io.IOException;

/**
 * One connection of the client through RT's queues. The tag of a message is its number. A push
 * completes with its end, an echo with the message that comes back, a pull with its answer.
 * Confined to the consumer's thread.
 */
final class QueueSession extends QueuePeer implements Session {
  private static final int POSTS_OF_A_FLUSH = 64;

  private final Op op;
  private final WorkCounter counter;
  private final Listener listener;
  private final Promise<Session> connected;
  private final QueueMessages messages;
  private final EndRuns ends;
  private RtQueueConnection connection;
  private int unflushed;

  QueueSession(
      TransceiverSettings settings,
      QueueMessages messages,
      WorkCounter counter,
      Listener listener,
      Promise<Session> connected) {
    this.op = settings.op();
    this.counter = counter;
    this.messages = messages;
    this.listener = listener;
    this.connected = connected;
    this.ends = new EndRuns(listener, settings.ordered());
  }

  /** Sets the connection, before it is set up. */
  void attach(RtQueueConnection begun) {
    connection = begun;
    connection.autoFlush(false);
  }

  /** Refused posts need no further call: as long as there is no room, ends are to come. */
  @Override
  public boolean offer(long sequence, int lengthBytes, boolean measured) {
    boolean isTaken =
        op == Op.PULL
            ? messages.pull(connection, sequence, lengthBytes, measured)
            : messages.push(connection, sequence, lengthBytes, measured);
    if (!isTaken || ++unflushed == POSTS_OF_A_FLUSH) {
      flush();
    }
    return isTaken;
  }

  @Override
  public void flush() {
    unflushed = 0;
    connection.flush();
  }

  @Override
  void onEnd(RtQueueEntry end) {
    boolean isCompleted = end.outcome() == Outcome.COMPLETED;
    if (op == Op.PUSH) {
      ends.onEnd(end.tag(), isCompleted);
    } else if (!isCompleted) {
      listener.onFailed(end.tag());
    } else if (op == Op.PULL) {
      verify(end);
    }
  }

  @Override
  void onMessage(RtQueueEntry message) {
    verify(message);
  }

  private void verify(RtQueueEntry entry) {
    if (counter.verifier.onMessage(messages.bytesOf(entry), 0, entry.length())) {
      listener.onCompleted(counter.verifier.sequence());
    }
  }

  @Override
  void onBatchEnd() {
    ends.tell();
    if (op != Op.PUSH) {
      counter.verifier.onBatchEnd(System.nanoTime());
    }
    listener.onBatchEnd();
  }

  @Override
  void onOpen(RtQueueConnection opened) {
    connected.trySuccess(this);
  }

  @Override
  void onClosed(CloseReason reason) {
    ends.tell();
    String text = String.valueOf(reason);
    if (!connected.tryFailure(new IOException(text))) {
      listener.onClosed(text);
    }
  }
}
