package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Promise;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.Session;
import io.rtransport.loadgen.workload.SizeMix;
import kcp.KcpListener;
import kcp.Ukcp;

/**
 * One KCP connection of the client. KCP accepts everything and does not tell how much of it waits,
 * so the application counts. Twice the send window in datagrams, unacknowledged by the peer's
 * application, keeps the window full. Confined to its event loop.
 */
final class KcpSession implements KcpListener, Session {
  private final Op op;
  private final SizeMix sizes;
  private final int connection;
  private final EventLoop loop;
  private final WorkCounter counter;
  private final Listener listener;
  private final Promise<Session> connected;
  private final KcpWriter writer;
  private final MessageStream stream;
  private final int piecesMax;
  private Ukcp kcp;
  private int pieces;
  private long completed;
  private boolean hasEnded;
  private boolean isClosed;

  KcpSession(
      TransceiverSettings settings,
      int mtuBytes,
      int connection,
      EventLoop loop,
      WorkCounter counter,
      Listener listener,
      Promise<Session> connected) {
    this.op = settings.op();
    this.sizes = settings.sizes();
    this.connection = connection;
    this.loop = loop;
    this.counter = counter;
    this.listener = listener;
    this.connected = connected;
    this.writer =
        new KcpWriter(mtuBytes, new MessageContents(settings.seed(), sizes.sizeBytesMax()));
    this.stream =
        new MessageStream(
            counter.verifier, Integer.MAX_VALUE, () -> onThrough(counter.verifier.sequence()));
    this.piecesMax = 2 * settings.windowPackets();
  }

  @Override
  public boolean offer(long sequence, int lengthBytes, boolean measured) {
    int needed = writer.pieces(lengthBytes);
    if (isClosed || pieces > 0 && pieces + needed > piecesMax) {
      return false; // completions follow
    }
    pieces += needed;
    if (op == Op.PULL) {
      writer.request(kcp, sequence, lengthBytes, measured);
    } else {
      writer.message(kcp, sequence, lengthBytes, measured);
    }
    return true;
  }

  @Override
  public void flush() {
    // The writes leave with the task that KCP has queued.
  }

  @Override
  public void onConnected(Ukcp connection) {
    kcp = connection;
    connected.trySuccess(this);
  }

  @Override
  public void handleReceive(ByteBuf in, Ukcp from) {
    if (op == Op.PUSH) {
      onThrough(in.getLong(in.readerIndex()) - 1);
    } else if (!stream.feed(in, in.readerIndex(), in.writerIndex())) {
      end("a message with a length that was never sent");
    }
    if (!hasEnded) {
      hasEnded = true;
      loop.execute(this::endBatch);
    }
  }

  /** Completes all messages up to a number, because KCP keeps the order. */
  private void onThrough(long sequence) {
    while (completed <= sequence) {
      pieces -= writer.pieces(sizes.sizeBytes(connection, completed++));
    }
    listener.onCompletedThrough(sequence);
  }

  private void endBatch() {
    hasEnded = false;
    counter.verifier.onBatchEnd(System.nanoTime());
    listener.onBatchEnd();
  }

  @Override
  public void handleException(Throwable cause, Ukcp from) {
    end(String.valueOf(cause.getMessage()));
  }

  @Override
  public void handleClose(Ukcp from) {
    end("the connection was closed");
  }

  private void end(String reason) {
    if (!isClosed) {
      isClosed = true;
      listener.onClosed(reason);
    }
  }
}
