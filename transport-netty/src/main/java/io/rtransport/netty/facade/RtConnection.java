package io.rtransport.netty.facade;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.Future;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.Pull;
import io.rtransport.netty.Push;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelStats;
import io.rtransport.netty.RtException;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/**
 * One connection to a peer. Both sides push and pull. The transactions of this side arrive in the
 * order of the calls, if one thread makes them.
 *
 * <p>The future of a transaction completes exactly once. It completes normally once the peer's
 * application has acknowledged the push, or the pull's whole answer is here. Else it fails with an
 * {@link RtException}, whose {@link RtException#outcome()} says what is known:
 *
 * <ul>
 *   <li>{@code FAILED}: the peer's application answered with the code and text in it;
 *   <li>{@code NOT_EXECUTED}: the peer's application certainly has not executed it;
 *   <li>{@code UNKNOWN}: the connection ended first, or the peer's application threw an exception
 *       over it;
 *   <li>{@code COMPLETED}: the peer has answered a pull, but the sink of this side failed over the
 *       answer.
 * </ul>
 *
 * <p>Cancelling a future gives its transaction up, as {@link Push#cancel} does. It ends the future
 * at once, so the future does not tell the outcome. An application that needs the outcome calls
 * {@code cancel()} of the {@link Push} or {@link Pull} instead. No method here holds a caller back:
 * pushes that have not left wait in memory, so bound the number of unfinished futures.
 *
 * <p>Every method may be called on any thread and returns at once. Futures complete on the
 * connection's event loop.
 */
public final class RtConnection {
  private static final byte[] NO_HEADER = {};

  private final RtChannel channel;
  private final PendingFutures pending;
  private final CompletableFuture<CloseReason> closed;

  RtConnection(RtChannel channel, PendingFutures pending) {
    this.channel = channel;
    this.pending = pending;
    this.closed = pending.begin();
    channel.closeFuture().addListener(ended -> closed.complete(endedBy()));
  }

  /** Pushes a message without header. */
  public CompletableFuture<Void> push(byte[] payload) {
    return push(payload, NO_HEADER);
  }

  /**
   * Pushes a message.
   *
   * @param payload not copied; it must not be changed before the future is done
   * @param header 0..512 bytes, opaque to RT, copied
   */
  public CompletableFuture<Void> push(byte[] payload, byte[] header) {
    return push(Push.of(Unpooled.wrappedBuffer(payload), header));
  }

  /**
   * Pushes a message of any length, for example a file, or bytes that are made as they are sent.
   * Header and deadline are optional.
   *
   * @param push taken over, and released in any case; it can be cancelled
   */
  public CompletableFuture<Void> push(Push push) {
    LoopFuture<Void> future = pending.begin();
    if (future.isDone()) {
      push.release();
      return future;
    }
    future.onCancel(push::cancel);
    return begin(push, future, () -> null);
  }

  /**
   * Asks the peer for bytes.
   *
   * @param header names the bytes; 0..512 bytes, opaque to RT, copied
   * @param lengthBytesMax length of the longest answer wanted, 0..16 MiB or the value of {@code
   *     MAX_BUFFERED_MESSAGE}
   */
  public CompletableFuture<byte[]> pull(byte[] header, int lengthBytesMax) {
    return pull(Pull.of(header, lengthBytesMax));
  }

  /**
   * Asks the peer for bytes. They go to the pull's sink as they come, or else become the future's
   * value. A deadline is optional.
   *
   * @param pull not written before; it can be cancelled
   * @return the future of the answer; its value is null if the pull has a sink
   */
  public CompletableFuture<byte[]> pull(Pull pull) {
    LoopFuture<byte[]> future = pending.begin();
    if (future.isDone()) {
      pull.release();
      return future;
    }
    future.onCancel(pull::cancel);
    return begin(pull, future, () -> bytesOf(pull));
  }

  private <T> CompletableFuture<T> begin(
      Object transaction, CompletableFuture<T> future, Callable<T> value) {
    channel
        .writeAndFlush(transaction)
        .addListener(
            ended -> {
              if (ended.isSuccess()) {
                complete(future, value);
              } else {
                future.completeExceptionally(Failures.of(ended.cause()));
              }
            });
    return future;
  }

  private static <T> void complete(CompletableFuture<T> future, Callable<T> value) {
    try {
      future.complete(value.call());
    } catch (Exception e) { // else the future would never be done
      future.completeExceptionally(Failures.of(e));
    }
  }

  private static byte[] bytesOf(Pull pull) throws RtException {
    if (pull.answer().isCompletedExceptionally()) { // the answer is done before the write's promise
      throw new RtException(
          Outcome.COMPLETED, CloseCode.REFUSED_BY_SINK.code(), "the answer was given up", true);
    }
    ByteBuf answer = pull.answer().join();
    if (answer == null) {
      return null; // it went to the pull's sink
    }
    byte[] bytes = ByteBufUtil.getBytes(answer);
    answer.release();
    return bytes;
  }

  /**
   * Closes the connection. Transactions that were begun finish first, for some seconds at most. The
   * future completes when the connection has ended.
   */
  public CompletableFuture<CloseReason> close() {
    channel.close();
    return closed();
  }

  /**
   * Closes as {@link #close()} does, with a reason that the peer reads.
   *
   * @param code from {@link CloseCode#APPLICATION_CODE_MIN}
   * @param text for people; at most 256 bytes of UTF-8 arrive
   */
  public CompletableFuture<CloseReason> close(int code, String text) {
    channel.close(code, text);
    return closed();
  }

  /**
   * Returns a future that completes with the reason when the connection has ended, by either side.
   */
  public CompletableFuture<CloseReason> closed() {
    return closed.copy();
  }

  /** Returns why the connection ended; null while it lives. */
  public CloseReason closeReason() {
    return channel.closeReason();
  }

  /** Returns the peer's address; null before the connection is set up. */
  public InetSocketAddress remoteAddress() {
    return channel.remoteAddress();
  }

  /** Returns this side's address. */
  public InetSocketAddress localAddress() {
    return channel.localAddress();
  }

  /** Returns the connection's counts so far. */
  public CompletableFuture<RtChannelStats> stats() {
    CompletableFuture<RtChannelStats> future = pending.begin();
    channel
        .stats()
        .addListener(
            (Future<RtChannelStats> read) -> {
              if (read.isSuccess()) {
                future.complete(read.getNow());
              } else {
                future.completeExceptionally(read.cause());
              }
            });
    return future;
  }

  /**
   * Returns the channel below, for features that the facade does not offer: options, handlers,
   * agreed parameters.
   */
  public RtChannel channel() {
    return channel;
  }

  /**
   * Returns why the channel was closed. A close that waited too long for its drain knows no reason
   * yet; then this method returns ABORTED.
   */
  CloseReason endedBy() {
    CloseReason reason = channel.closeReason();
    return reason == null ? CloseReason.of(CloseCode.ABORTED) : reason;
  }

  @Override
  public String toString() {
    return "RtConnection(" + channel + ")";
  }
}
