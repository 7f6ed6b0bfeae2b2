package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.FileRegion;
import io.rtransport.core.outcome.CloseCode;

/**
 * A peer's request for bytes, as a handler reads it. Answer it by {@link #respond} or {@link
 * #fail}, now or later, on any thread. The first call counts.
 */
public final class RtPullRequest {
  private final InboundAnswers answers;
  private final long rsn;
  private final byte[] header;
  private final long lengthBytesMax;
  private boolean answered;

  RtPullRequest(InboundAnswers answers, long rsn, byte[] header, long lengthBytesMax) {
    this.answers = answers;
    this.rsn = rsn;
    this.header = header;
    this.lengthBytesMax = lengthBytesMax;
  }

  /** Returns the transaction's number, for tests. */
  long rsn() {
    return rsn;
  }

  /** Returns the application header, 0..512 bytes. The array is the caller's. */
  public byte[] header() {
    return header;
  }

  /** Returns the length of the longest answer that the peer wants, bytes. */
  public long lengthBytesMax() {
    return lengthBytesMax;
  }

  /** Answers with bytes. They are not copied, so the caller must not change them any more. */
  public boolean respond(byte[] payload) {
    return respond(Unpooled.wrappedBuffer(payload));
  }

  /** Answers with a buffer, and takes it over. */
  public boolean respond(ByteBuf payload) {
    return respond(RtPayload.of(payload));
  }

  /** Answers with a file region, and takes it over. */
  public boolean respond(FileRegion payload) {
    return respond(RtPayload.of(payload));
  }

  /**
   * Answers with {@code payload}.
   *
   * @param payload at most {@link #lengthBytesMax} bytes; taken over in every case
   * @return false if the request had been answered before
   */
  public boolean respond(RtPayload payload) {
    if (payload.lengthBytes() > lengthBytesMax) {
      payload.release();
      throw new IllegalArgumentException(
          "lengthBytes=" + payload.lengthBytes() + ", valid: 0.." + lengthBytesMax);
    }
    if (!answer()) {
      payload.release();
      return false;
    }
    answers.respond(rsn, payload);
    return true;
  }

  /**
   * Refuses the request.
   *
   * @param code of the application, 32 bits
   * @param text for people; at most 256 bytes of UTF-8 arrive
   * @return false if the request had been answered before
   */
  public boolean fail(int code, String text) {
    if (!answer()) {
      return false;
    }
    answers.fail(rsn, code, text);
    return true;
  }

  /** Fails a request that no handler has taken. */
  void failUnhandled() {
    if (answer()) {
      answers.failByTransport(rsn, CloseCode.REFUSED_BY_SINK, false);
    }
  }

  /** Fails a request whose handler threw an exception and gave no answer. */
  void failBroken() {
    if (answer()) {
      answers.failBroken(rsn);
    }
  }

  private synchronized boolean answer() {
    boolean first = !answered;
    answered = true;
    return first;
  }

  @Override
  public String toString() {
    return "RtPullRequest(rsn "
        + rsn
        + ", up to "
        + lengthBytesMax
        + " bytes, header of "
        + header.length
        + ")";
  }
}
