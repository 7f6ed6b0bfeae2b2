package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.util.AbstractReferenceCounted;
import io.rtransport.netty.internal.write.CancelWish;
import io.rtransport.netty.internal.write.Deadlines;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * An outbound request for bytes of the peer. The promise of its write is done once the whole answer
 * is here, or fails with an {@link RtException}. The answer goes to a sink, or to a buffer that
 * completes {@link #answer()}. A write hands the pull over. Netty releases a pull whose write was
 * cancelled before the event loop took it; the release of an unwritten pull ends its answer.
 */
public final class Pull extends AbstractReferenceCounted {
  private final byte[] header;
  private final long lengthBytesMax;
  private final RtSink sink;
  private final CancelWish cancel = new CancelWish();
  private volatile long deadlineNs = Deadlines.NONE;
  private volatile boolean isTaken;
  private final CompletableFuture<ByteBuf> answer = new CompletableFuture<>();

  private Pull(byte[] header, long lengthBytesMax, RtSink sink) {
    if (lengthBytesMax < 0 || lengthBytesMax > 0xFFFF_FFFFL) {
      throw new IllegalArgumentException(
          "lengthBytesMax=" + lengthBytesMax + ", valid: 0.." + 0xFFFF_FFFFL);
    }
    this.header = header.clone();
    this.lengthBytesMax = lengthBytesMax;
    this.sink = sink;
  }

  /**
   * Returns a pull whose answer comes as a buffer, so it has at most {@link
   * RtChannelOption#MAX_BUFFERED_MESSAGE} bytes.
   */
  public static Pull of(byte[] header, int lengthBytesMax) {
    return new Pull(header, lengthBytesMax, null);
  }

  /** Returns a pull whose answer, 0..2^32-1 bytes, goes to {@code sink}. */
  public static Pull into(RtSink sink, byte[] header, long lengthBytesMax) {
    return new Pull(header, lengthBytesMax, Objects.requireNonNull(sink, "sink"));
  }

  /** Returns the application header, 0..512 bytes; it must not be changed. */
  public byte[] header() {
    return header;
  }

  /** Returns the length of the longest answer wanted, bytes. */
  public long lengthBytesMax() {
    return lengthBytesMax;
  }

  /**
   * Returns the future of the answer. It completes on the channel's event loop just before the
   * write's promise. Its value is the buffer, which the receiver must release, or null if the pull
   * had a sink. Cancelling the future gives the buffer up, not the transaction.
   */
  public CompletableFuture<ByteBuf> answer() {
    return answer;
  }

  /**
   * Gives the pull up, on any thread. {@link io.netty.util.concurrent.Future#cancel} works before
   * the flush only. The promise and {@link #answer()} then fail with an {@link RtException}. If the
   * request has not left, they fail at once with outcome NOT_EXECUTED. Else the peer decides:
   * NOT_EXECUTED if its application had not seen the request, UNKNOWN if it had. Bytes of the
   * answer that have come are dropped at once, and a sink gets {@code end(false)}. Nothing happens
   * if the pull has ended.
   */
  public void cancel() {
    cancel.make();
  }

  /**
   * Sets a deadline: the pull is given up, as by {@link #cancel()}, if it has not ended {@code
   * within} that time after its write. Its promise then says DEADLINE instead of CANCELLED. The
   * connection goes on. Call this before the write.
   *
   * @param within 1 ns to 365 days
   */
  public Pull deadline(Duration within) {
    deadlineNs = Deadlines.checked(within);
    return this;
  }

  /** Returns the deadline, ns after the write; {@link Deadlines#NONE} for none. */
  long deadlineNs() {
    return deadlineNs;
  }

  CancelWish wish() {
    return cancel;
  }

  RtSink sink() {
    return sink;
  }

  /** Marks the pull as taken by a channel, which then ends its answer. */
  void taken() {
    isTaken = true;
  }

  /** Ends the answer of a pull that no channel takes. Calls into the application. */
  void refused(Exception cause) {
    taken();
    if (sink != null) {
      sink.tryEnd(null, false); // the pull is given up in any case
    }
    answer.completeExceptionally(cause);
  }

  @Override
  public Pull touch(Object hint) {
    return this;
  }

  @Override
  protected void deallocate() {
    if (!isTaken) {
      refused(new CancellationException("the pull was released unwritten"));
    }
  }

  @Override
  public String toString() {
    return "Pull(up to " + lengthBytesMax + " bytes, header of " + header.length + ")";
  }
}
