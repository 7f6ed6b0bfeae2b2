package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;
import io.rtransport.netty.internal.write.CancelWish;
import io.rtransport.netty.internal.write.Deadlines;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;

/**
 * An outbound push as one transaction: payload and application header. Its end completes the
 * promise of its write. That is a success once the peer's application has acknowledged the push,
 * else an {@link RtException} that says whether it may have been executed. Unlike a bare {@link
 * ByteBuf} it may fail alone. A write hands over the payload; a push that is not written must be
 * released.
 */
public final class Push extends AbstractReferenceCounted {
  private static final byte[] NO_HEADER = {};

  private final RtPayload payload;
  private final byte[] header;
  private final CancelWish cancel = new CancelWish();
  private volatile long deadlineNs = Deadlines.NONE;

  /**
   * @param payload taken over
   * @param header 0..512 bytes, opaque to RT, copied
   */
  public Push(RtPayload payload, byte[] header) {
    this.payload = Objects.requireNonNull(payload, "payload");
    this.header = header.length == 0 ? NO_HEADER : header.clone();
  }

  public static Push of(ByteBuf payload, byte[] header) {
    return new Push(RtPayload.of(payload), header);
  }

  public static Push of(ByteBuf payload) {
    return new Push(RtPayload.of(payload), NO_HEADER);
  }

  public static Push of(FileRegion payload, byte[] header) {
    return new Push(RtPayload.of(payload), header);
  }

  public RtPayload payload() {
    return payload;
  }

  /** Returns the application header; it must not be changed. */
  public byte[] header() {
    return header;
  }

  /**
   * Gives the push up, on any thread. {@link io.netty.util.concurrent.Future#cancel} works before
   * the flush only. The promise still ends. If nothing of the push has left, it fails at once with
   * an {@link RtException} of outcome NOT_EXECUTED. Else the peer decides: NOT_EXECUTED if its
   * application had not got the push, the normal end if it had. The payload is released at once
   * when the push is given up. Nothing happens if the push has ended. A push that was written with
   * the void promise can be given up only until its last byte has left.
   */
  public void cancel() {
    cancel.make();
  }

  /**
   * Sets a deadline: the push is given up, as by {@link #cancel()}, if it has not ended {@code
   * within} that time after its write. Its promise then says DEADLINE instead of CANCELLED. The
   * connection goes on. Call this before the write.
   *
   * @param within 1 ns to 365 days
   */
  public Push deadline(Duration within) {
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

  @Override
  public Push touch(Object hint) {
    payload.touch(hint);
    return this;
  }

  @Override
  protected void deallocate() {
    payload.release();
  }

  @Override
  public String toString() {
    return "Push(" + payload.lengthBytes() + " bytes, header " + Arrays.toString(header) + ")";
  }
}
