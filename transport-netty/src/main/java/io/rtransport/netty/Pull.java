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
 * An outbound request for bytes of the peer. Writing it completes the write's promise once the
 * whole answer is here, or fails it with an {@link RtException}. The answer goes to a sink, or to a
 * buffer that {@link #answer()} completes with. Writing hands it over; releasing one that was not
 * written, as Netty does with a write that was cancelled before the event loop took it, ends its
 * answer.
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
   * A pull whose answer comes as a buffer, so of at most {@link
   * RtChannelOption#MAX_BUFFERED_MESSAGE} bytes.
   */
  public static Pull of(byte[] header, int lengthBytesMax) {
    return new Pull(header, lengthBytesMax, null);
  }

  /** A pull whose answer, 0..2^32-1 bytes, goes to {@code sink}. */
  public static Pull into(RtSink sink, byte[] header, long lengthBytesMax) {
    return new Pull(header, lengthBytesMax, Objects.requireNonNull(sink, "sink"));
  }

  /** The application header, 0..512 bytes; not to be changed. */
  public byte[] header() {
    return header;
  }

  /** The longest answer wanted. */
  public long lengthBytesMax() {
    return lengthBytesMax;
  }

  /**
   * The answer, completed on the channel's event loop just before the write's promise: the buffer,
   * to be released by the one who takes it, or null where the pull had a sink. Cancelling it gives
   * the buffer up, not the transaction.
   */
  public CompletableFuture<ByteBuf> answer() {
    return answer;
  }

  /**
   * Gives the pull up, on any thread; for {@link io.netty.util.concurrent.Future#cancel} works
   * before the flush only. Its promise and {@link #answer()} fail all the same with an {@link
   * RtException}: at once with outcome NOT_EXECUTED, if the request has not left; else by what the
   * peer says, NOT_EXECUTED if its application had not seen the request and UNKNOWN if it had. What
   * has come of the answer is dropped at once; a sink hears {@code end(false)}. Nothing happens if
   * it has ended.
   */
  public void cancel() {
    cancel.make();
  }

  /**
   * Has the pull given up, as {@link #cancel()} does, if it has not ended so long after its write;
   * where that would say CANCELLED its promise says DEADLINE. The connection goes on. Set before it
   * is written.
   *
   * @param within 1 ns to 365 days
   */
  public Pull deadline(Duration within) {
    deadlineNs = Deadlines.checked(within);
    return this;
  }

  /** After its write, ns; {@link Deadlines#NONE} for none. */
  long deadlineNs() {
    return deadlineNs;
  }

  CancelWish wish() {
    return cancel;
  }

  RtSink sink() {
    return sink;
  }

  /** A channel has it: what becomes of its answer is the channel's affair. */
  void taken() {
    isTaken = true;
  }

  /** No channel takes it. Calls into the application. */
  void refused(Exception cause) {
    taken();
    if (sink != null) {
      sink.tryEnd(null, false); // it is given up anyhow
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
