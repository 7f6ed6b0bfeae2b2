package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Promise;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Completion;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;
import io.rtransport.loadgen.workload.Session;
import io.rtransport.netty.Pull;
import io.rtransport.netty.RtChannel;

/**
 * One RT connection of the client. On an ordered connection the promise of a push waits for all
 * before it. So one promise serves a run of small pushes, like a cumulative acknowledgement for
 * tcp. Without order, or where a promise is done earlier, each push has its own. Confined to its
 * event loop.
 */
final class RtSession extends ChannelInboundHandlerAdapter implements Session {
  private static final int RUN_MESSAGES_MAX = 64;
  private static final int RUN_BYTES_MAX = 16 << 10;

  private final Op op;
  private final boolean isCumulative;
  private final MessageContents contents;
  private final WorkCounter counter;
  private final Listener listener;
  private final Promise<Session> connected;
  private final RtMessageWriter writer;
  private ChannelHandlerContext ctx;
  private boolean refused;

  /** The last push, which is written when it is known whether another follows in its run. */
  private ByteBuf held;

  private long heldSequence;
  private int runMessages;
  private int runBytes;
  private boolean hasEnded;

  RtSession(
      TransceiverSettings settings,
      MessageContents contents,
      WorkCounter counter,
      Listener listener,
      Promise<Session> connected) {
    this.op = settings.op();
    this.isCumulative = settings.ordered() && settings.completion() == Completion.COMPLETED;
    this.contents = contents;
    this.counter = counter;
    this.listener = listener;
    this.connected = connected;
    this.writer = new RtMessageWriter(contents);
  }

  @Override
  public boolean offer(long sequence, int lengthBytes, boolean measured) {
    if (!ctx.channel().isWritable()) {
      refused = true;
      return false;
    }
    switch (op) {
      case PULL -> pull(sequence, lengthBytes, measured);
      case PUSH -> push(writer.message(ctx.alloc(), sequence, lengthBytes, measured), sequence);
      case ECHO ->
          ctx.write(
              writer.message(ctx.alloc(), sequence, lengthBytes, measured), ctx.voidPromise());
      case IDLE -> throw new IllegalStateException("idle connections send nothing");
    }
    return true;
  }

  private void push(ByteBuf message, long sequence) {
    if (!isCumulative) {
      ChannelPromise promise = ctx.newPromise();
      promise.addListener(done -> onPushed(done.isSuccess(), sequence));
      ctx.write(message, promise);
      return;
    }
    if (held != null) {
      ByteBuf before = held;
      held = null;
      ctx.write(before, ctx.voidPromise());
    }
    held = message;
    heldSequence = sequence;
    runBytes += message.readableBytes();
    if (++runMessages >= RUN_MESSAGES_MAX || runBytes >= RUN_BYTES_MAX) {
      endRun();
    }
  }

  private void endRun() {
    if (held != null) {
      ByteBuf last = held;
      long sequence = heldSequence;
      held = null;
      runMessages = 0;
      runBytes = 0;
      ChannelPromise promise = ctx.newPromise();
      promise.addListener(done -> onPushed(done.isSuccess(), sequence));
      ctx.write(last, promise);
    }
  }

  private void onPushed(boolean isSuccess, long sequence) {
    if (!isSuccess) {
      listener.onFailed(sequence); // and the channel closes, which fails the others
    } else if (isCumulative) {
      listener.onCompletedThrough(sequence);
    } else {
      listener.onCompleted(sequence);
    }
    batchEnd();
  }

  private void pull(long sequence, int lengthBytes, boolean measured) {
    ByteBuf header = Unpooled.buffer(MessageHeader.LENGTH, MessageHeader.LENGTH);
    MessageHeader.write(header, sequence, lengthBytes, measured, 0);
    Pull pull = Pull.of(header.array(), lengthBytes);
    pull.answer().whenComplete((answer, failure) -> onAnswer(answer, sequence));
    ctx.write(pull);
  }

  private void onAnswer(ByteBuf answer, long sequence) {
    if (answer == null) {
      listener.onFailed(sequence);
    } else {
      try {
        verify(answer);
      } finally {
        answer.release();
      }
      counter.verifier.onBatchEnd(System.nanoTime());
    }
    batchEnd();
  }

  private void verify(ByteBuf message) {
    if (counter.verifier.onMessage(message, message.readerIndex(), message.readableBytes())) {
      listener.onCompleted(counter.verifier.sequence());
    }
  }

  /**
   * Ends the batch in a later task. Inside a completion, the next send would recurse into the next
   * completion.
   */
  private void batchEnd() {
    if (!hasEnded) {
      hasEnded = true;
      ctx.executor().execute(this::endBatch);
    }
  }

  private void endBatch() {
    hasEnded = false;
    listener.onBatchEnd();
  }

  @Override
  public void flush() {
    endRun();
    ctx.flush();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    this.ctx = ctx;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    connected.trySuccess(this);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      verify(in);
    } finally {
      in.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    counter.verifier.onBatchEnd(System.nanoTime());
    listener.onBatchEnd();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (refused && ctx.channel().isWritable()) {
      refused = false;
      listener.onRoom();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (held != null) {
      held.release();
      held = null;
    }
    listener.onClosed(String.valueOf(((RtChannel) ctx.channel()).closeReason()));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    listener.onClosed(String.valueOf(cause.getMessage()));
    ctx.close();
  }
}
