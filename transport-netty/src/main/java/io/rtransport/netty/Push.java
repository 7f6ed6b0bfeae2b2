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
 * An outbound push as a whole transaction: payload and application header. Writing it completes the
 * write's promise with its end: success once the peer's application has acknowledged it, else an
 * {@link RtException} that says whether it may have been executed. Unlike a {@link ByteBuf} written
 * by itself it may fail alone. Writing hands over the payload; a push that is not written must be
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

  /** The application header; not to be changed. */
  public byte[] header() {
    return header;
  }

  /**
   * Gives the push up, on any thread; for {@link io.netty.util.concurrent.Future#cancel} works
   * before the flush only. Its promise ends all the same: at once, with an {@link RtException} of
   * outcome NOT_EXECUTED, if nothing of it has left; else by what the peer says, which is
   * NOT_EXECUTED too if its application had not got it, and the normal end if it had. The payload
   * is released with the wish. Nothing happens if it has ended; and one that was written with the
   * void promise can be given up only until its last byte has left.
   */
  public void cancel() {
    cancel.make();
  }

  /**
   * Has the push given up, as {@link #cancel()} does, if it has not ended so long after its write;
   * where that would say CANCELLED its promise says DEADLINE. The connection goes on. Set before it
   * is written.
   *
   * @param within 1 ns to 365 days
   */
  public Push deadline(Duration within) {
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
