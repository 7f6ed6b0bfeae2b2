package io.rtransport.netty.facade;

import io.netty.buffer.ByteBufUtil;
import io.rtransport.netty.RtPush;
import io.rtransport.netty.RtSink;

/**
 * A peer's whole push. Its sender waits until {@link #acknowledge} or {@link #fail} answers it, now
 * or later, on any thread; the first call counts. A push that is never answered uses up one of the
 * peer's transactions until the connection ends.
 */
public final class InboundPush {
  private static final byte[] NO_BYTES = {};

  private final RtPush push;
  private final byte[] payload;

  /** Makes it from {@code push}, and takes over its buffer. */
  InboundPush(RtPush push) {
    this.push = push;
    this.payload = push.content() == null ? NO_BYTES : ByteBufUtil.getBytes(push.content());
    push.release();
  }

  /** Returns the application header, 0..512 bytes. The array is the caller's. */
  public byte[] header() {
    return push.header();
  }

  /** Returns the payload; the array is the caller's. Empty if the payload went to {@link #sink}. */
  public byte[] payload() {
    return payload;
  }

  /** Returns the length of the whole message, bytes. */
  public long lengthBytes() {
    return push.lengthBytes();
  }

  /**
   * Returns the sink that has taken the whole payload; null if the payload is in {@link #payload}.
   */
  public RtSink sink() {
    return push.sink();
  }

  /**
   * Acknowledges the push: this side has taken it, and the sender's future completes. Returns false
   * if the push had been answered before.
   */
  public boolean acknowledge() {
    return push.acknowledge();
  }

  /**
   * Refuses the push: the sender's future fails with {@code FAILED}, this code and this text.
   *
   * @param code of the application, 32 bits
   * @param text for people; at most 256 bytes of UTF-8 arrive
   * @return false if the push had been answered before
   */
  public boolean fail(int code, String text) {
    return push.fail(code, text);
  }

  @Override
  public String toString() {
    return push.toString();
  }
}
