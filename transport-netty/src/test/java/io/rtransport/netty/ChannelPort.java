package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.simulator.PlannedTransaction;
import io.rtransport.simulator.SimApplication;
import io.rtransport.simulator.SimPort;
import io.rtransport.simulator.Workload;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * A simulated application's verbs as writes to a channel, and what the channel reads as its
 * deliveries.
 */
final class ChannelPort implements SimPort {
  private final ChannelHost host;
  private final RtChannel channel;
  private final SimApplication application;
  private final Map<Long, Object> unanswered = new HashMap<>();
  private Object arriving;

  ChannelPort(ChannelHost host, RtChannel channel, SimApplication application) {
    this.host = host;
    this.channel = channel;
    this.application = application;
  }

  /** Takes what the channel read: the application says its verdict now, or later. */
  void onMessage(Object message) {
    arriving = message;
    if (message instanceof RtPush push) {
      ByteBuf content = push.content();
      application.onWholePush(
          push.rsn(),
          push.header(),
          content.nioBuffer(content.readerIndex(), content.readableBytes()));
      content.release();
    } else {
      RtPullRequest pull = (RtPullRequest) message;
      application.onWholePullRequest(pull.rsn(), pull.header(), pull.lengthBytesMax());
    }
  }

  @Override
  public void onUndecided(long rsn) {
    unanswered.put(rsn, arriving);
  }

  private Object message(long rsn) {
    Object waiting = unanswered.remove(rsn);
    return waiting == null ? arriving : waiting;
  }

  private byte[] headerOf(PlannedTransaction transaction) {
    byte[] header = new byte[transaction.headerLength];
    Workload.header(transaction, ByteBuffer.wrap(header), 0);
    return header;
  }

  private ByteBuf payloadOf(PlannedTransaction transaction) {
    int length = transaction.lengthBytes;
    ByteBuf payload = UnpooledByteBufAllocator.DEFAULT.heapBuffer(length, length);
    application.fill(transaction, payload.nioBuffer(0, length));
    return payload.writerIndex(length);
  }

  @Override
  public boolean push(PlannedTransaction transaction) {
    Push push = Push.of(payloadOf(transaction), headerOf(transaction));
    channel
        .write(push)
        .addListener(
            done -> {
              application.released(transaction);
              onEnded(transaction, done.cause());
            });
    return true;
  }

  @Override
  public boolean pull(PlannedTransaction transaction) {
    Pull pull = Pull.of(headerOf(transaction), transaction.lengthBytesMax);
    pull.answer()
        .thenAccept(
            answer -> {
              ByteBuffer bytes = answer.nioBuffer(answer.readerIndex(), answer.readableBytes());
              host.guarded(() -> application.onWholeAnswer(transaction, bytes));
              answer.release();
            });
    channel.write(pull).addListener(done -> onEnded(transaction, done.cause()));
    return true;
  }

  private static String textOf(RtException failure) {
    String[] parts = failure.getMessage().split(": ", 2);
    return parts.length == 2 ? parts[1] : "";
  }

  private void onEnded(PlannedTransaction transaction, Throwable cause) {
    host.guarded(() -> end(transaction, cause));
  }

  private void end(PlannedTransaction transaction, Throwable cause) {
    if (cause == null) {
      application.onEnded(transaction.index, Outcome.COMPLETED, 0, "");
    } else if (cause instanceof RtException failure) {
      application.onEnded(transaction.index, failure.outcome(), failure.code(), textOf(failure));
    } else {
      throw new AssertionError("another failure than the peer's", cause);
    }
  }

  @Override
  public boolean cancel(long rsn) {
    throw new AssertionError("not part of the comparison");
  }

  @Override
  public void deadline(long rsn, long deadlineNs) {
    throw new AssertionError("not part of the comparison");
  }

  @Override
  public boolean receipt(long rsn) {
    return false; // no part of the comparison
  }

  @Override
  public void acknowledge(long rsn) {
    ((RtPush) message(rsn)).acknowledge();
  }

  @Override
  public void fail(long rsn, int code, String text) {
    Object message = message(rsn);
    if (message instanceof RtPush push) {
      push.fail(code, text);
    } else {
      ((RtPullRequest) message).fail(code, text);
    }
  }

  @Override
  public boolean respond(long rsn, PlannedTransaction transaction) {
    ((RtPullRequest) message(rsn)).respond(payloadOf(transaction));
    application.released(transaction);
    return true;
  }

  @Override
  public void ready(PlannedTransaction transaction) {
    throw new AssertionError("buffers are always ready");
  }

  @Override
  public void taken(long rsn, boolean isAnswer, long bytes) {
    throw new AssertionError("the channel says what is taken");
  }

  @Override
  public void retryOpen(long rsn, boolean isAnswer) {
    throw new AssertionError("a channel puts nothing off");
  }

  @Override
  public void flush(long nowNs) {
    channel.flush();
    host.run(nowNs);
  }

  @Override
  public void finish() {
    channel.flush(); // what was not flushed would fail
    channel.shutdownOutput();
  }

  @Override
  public void close(int code, String text, long nowNs) {
    channel.close();
  }

  @Override
  public void abort(int code, String text, long nowNs) {
    throw new AssertionError("not part of the comparison");
  }
}
