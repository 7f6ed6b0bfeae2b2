package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.util.AbstractReferenceCounted;

/**
 * An inbound push with its header, as a handler reads it. Its payload is a buffer, or has gone to a
 * sink. {@link #acknowledge()} acknowledges it to its sender, and {@link #fail} refuses it. If the
 * handler calls neither, {@link RtChannelOption.Acknowledge#ON_READ} acknowledges it when {@code
 * channelRead} returns, and {@link RtChannelOption.Acknowledge#ON_RELEASE} when the push and its
 * content are released. Both methods may be called on any thread; the first call counts.
 */
public final class RtPush extends AbstractReferenceCounted {
  private final InboundAnswers answers;
  private final long rsn;
  private final byte[] header;
  private final long lengthBytes;
  private final ByteBuf content;
  private final RtSink sink;
  private final boolean isByRelease;
  private volatile boolean answered;

  /**
   * @param isByRelease whether the last release of the push, or of its content, acknowledges it
   */
  RtPush(
      InboundAnswers answers,
      long rsn,
      byte[] header,
      long lengthBytes,
      ByteBuf content,
      RtSink sink,
      boolean isByRelease) {
    this.answers = answers;
    this.rsn = rsn;
    this.header = header;
    this.lengthBytes = lengthBytes;
    this.content =
        isByRelease && content != null
            ? new AcknowledgingBuffer(content.alloc(), content, this::onReleased)
            : content;
    this.sink = sink;
    this.isByRelease = isByRelease;
  }

  /** Returns the transaction's number, for tests. */
  long rsn() {
    return rsn;
  }

  /** Returns the application header, 0..512 bytes. The array is the caller's. */
  public byte[] header() {
    return header;
  }

  /** Returns the length of the whole message, bytes. */
  public long lengthBytes() {
    return lengthBytes;
  }

  /**
   * Returns the payload, which is released with this object; null if it went to {@link #sink()}.
   */
  public ByteBuf content() {
    return content;
  }

  /** Returns the sink that took the whole payload; null if the payload is in {@link #content()}. */
  public RtSink sink() {
    return sink;
  }

  /**
   * Acknowledges the push: the application has taken it, and the sender's transaction completes.
   * Returns false if the push had been answered before.
   */
  public boolean acknowledge() {
    if (!answer()) {
      return false;
    }
    answers.acknowledge(rsn);
    return true;
  }

  /**
   * Refuses the push: the sender's transaction fails.
   *
   * @param code of the application, 32 bits
   * @param text for people; at most 256 bytes of UTF-8 arrive
   * @return false if the push had been answered before
   */
  public boolean fail(int code, String text) {
    if (!answer()) {
      return false;
    }
    answers.fail(rsn, code, text);
    return true;
  }

  /** Fails a push whose handler threw an exception and gave no answer. */
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
  public RtPush touch(Object hint) {
    if (content != null) {
      content.touch(hint);
    }
    return this;
  }

  @Override
  protected void deallocate() {
    if (content != null) {
      content.release(); // its last release calls onReleased
    } else if (isByRelease) {
      onReleased();
    }
  }

  private void onReleased() {
    if (!answered) { // a release is no answer: the handler that released it may still throw
      answers.acknowledgeReleased(rsn);
    }
  }

  @Override
  public String toString() {
    return "RtPush(rsn " + rsn + ", " + lengthBytes + " bytes, header of " + header.length + ")";
  }
}
