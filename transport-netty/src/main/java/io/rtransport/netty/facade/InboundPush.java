package io.rtransport.netty.facade;

import io.netty.buffer.ByteBufUtil;
import io.rtransport.netty.RtPush;
import io.rtransport.netty.RtSink;

/**
 * A peer's push, whole. Its sender waits until it is answered by one of {@link #acknowledge} and
 * {@link #fail}, now or later, on any thread; the first counts. One that is never answered keeps
 * one of the peer's transactions until the connection ends.
 */
public final class InboundPush {
  private static final byte[] NO_BYTES = {};

  private final RtPush push;
  private final byte[] payload;

  /** Takes over the buffer of {@code push}. */
  InboundPush(RtPush push) {
    this.push = push;
    this.payload = push.content() == null ? NO_BYTES : ByteBufUtil.getBytes(push.content());
    push.release();
  }

  /** The application header, 0..512 bytes; the caller's. */
  public byte[] header() {
    return push.header();
  }

  /** The payload; the caller's. Empty if it went to {@link #sink}. */
  public byte[] payload() {
    return payload;
  }

  /** Of the whole message. */
  public long lengthBytes() {
    return push.lengthBytes();
  }

  /** The sink that has taken the payload, whole; null if that is in {@link #payload}. */
  public RtSink sink() {
    return push.sink();
  }

  /**
   * This side has taken it: the sender's future completes. False if it had been answered before.
   */
  public boolean acknowledge() {
    return push.acknowledge();
  }

  /**
   * This side refuses it: the sender's future fails with {@code FAILED}, this code and this text.
   *
   * @param code of the application, 32 bits
   * @param text for people, at most 256 bytes of UTF-8 arrive
   * @return false if it had been answered before
   */
  public boolean fail(int code, String text) {
    return push.fail(code, text);
  }

  @Override
  public String toString() {
    return push.toString();
  }
}
