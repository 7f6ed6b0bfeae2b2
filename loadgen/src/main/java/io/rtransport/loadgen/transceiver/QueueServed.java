package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.MessageHeader;
import io.rtransport.netty.queue.RtQueueConnection;
import io.rtransport.netty.queue.RtQueueEntry;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * One connection of the server through RT's queues. It verifies a message, and the return of the
 * handler acknowledges it. Or it sends a verified message back, or answers a request. An echo that
 * finds no room waits with its message unacknowledged, which finally stops the client. Confined to
 * the consumer's thread.
 */
final class QueueServed extends QueuePeer {
  /** An echo without room, and the message that it answers. */
  private record Waiting(long id, ByteBuf echo) {}

  private final RtQueueConnection connection;
  private final Op op;
  private final int lengthBytesMax;
  private final WorkCounter counter;
  private final QueueMessages messages;
  private final Queue<Waiting> waiting = new ArrayDeque<>();

  QueueServed(
      RtQueueConnection connection,
      TransceiverSettings settings,
      QueueMessages messages,
      WorkCounter counter) {
    this.connection = connection;
    this.op = settings.op();
    this.lengthBytesMax = settings.sizes().sizeBytesMax();
    this.counter = counter;
    this.messages = messages;
  }

  @Override
  void onMessage(RtQueueEntry message) {
    ByteBuf in = messages.bytesOf(message);
    boolean isIntact = counter.verifier.onMessage(in, 0, message.length());
    if (op == Op.ECHO && isIntact) {
      echo(message);
    }
  }

  private void echo(RtQueueEntry message) {
    boolean isCopied = message.length() <= connection.copyBytesMax();
    long tag = counter.verifier.sequence();
    if (!isCopied || !waiting.isEmpty() || !messages.push(connection, message, tag)) {
      ByteBuf copy = messages.copyOf(message);
      waiting.add(new Waiting(message.defer(), copy));
      sendWaiting();
    }
  }

  /** Sends the echoes that wait, in order, as long as there is room: ends of others make some. */
  private void sendWaiting() {
    while (!waiting.isEmpty() && messages.push(connection, waiting.peek().echo, 0)) {
      connection.acknowledge(waiting.poll().id);
    }
  }

  @Override
  void onRequest(RtQueueEntry request) {
    boolean isKnown = op == Op.PULL && request.headerLength() == MessageHeader.LENGTH;
    ByteBuf in = isKnown ? messages.headerOf(request) : null;
    int lengthBytes = isKnown ? MessageHeader.lengthBytes(in, 0) : 0;
    if (lengthBytes < MessageHeader.LENGTH || lengthBytes > lengthBytesMax) {
      super.onRequest(request);
      return;
    }
    long sequence = MessageHeader.sequence(in, 0);
    boolean measured = MessageHeader.isMeasured(in, 0);
    connection.respond(request.defer(), messages.message(sequence, lengthBytes, measured));
  }

  @Override
  void onEnd(RtQueueEntry end) {
    // An echo has arrived, or its client is going.
  }

  @Override
  void onBatchEnd() {
    if (op != Op.PULL) {
      counter.verifier.onBatchEnd(System.nanoTime());
    }
    sendWaiting();
  }

  @Override
  void onClosed(CloseReason reason) {
    waiting.forEach(each -> each.echo.release());
    waiting.clear();
  }
}
