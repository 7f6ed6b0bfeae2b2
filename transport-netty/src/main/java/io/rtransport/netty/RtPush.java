package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.util.AbstractReferenceCounted;

/**
 * An inbound push with its header, as a handler reads it. Its payload is a buffer, or has gone to a
 * sink. It is acknowledged to its sender by {@link #acknowledge()} or refused by {@link #fail};
 * with {@link RtChannelOption.Acknowledge#ON_READ} it is acknowledged when {@code channelRead}
 * returns, if the handler has done neither; with {@link RtChannelOption.Acknowledge#ON_RELEASE}
 * when it and its content are released. The verbs may be called on any thread; the first counts.
 */
public final class RtPush extends AbstractReferenceCounted {
  private final ReadQueue reads;
  private final long rsn;
  private final byte[] header;
  private final long lengthBytes;
  private final ByteBuf content;
  private final RtSink sink;
  private final boolean isByRelease;
  private volatile boolean answered;

  /**
   * @param isByRelease whether its last release, or its content's, acknowledges it
   */
  RtPush(
      ReadQueue reads,
      long rsn,
      byte[] header,
      long lengthBytes,
      ByteBuf content,
      RtSink sink,
      boolean isByRelease) {
    this.reads = reads;
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

  /** The transaction's number, for tests. */
  long rsn() {
    return rsn;
  }

  /** The application header, 0..512 bytes; the caller's. */
  public byte[] header() {
    return header;
  }

  /** Of the whole message. */
  public long lengthBytes() {
    return lengthBytes;
  }

  /** The payload, released with this object; null if it went to {@link #sink()}. */
  public ByteBuf content() {
    return content;
  }

  /** The sink that took the payload, whole; null if it is in {@link #content()}. */
  public RtSink sink() {
    return sink;
  }

  /**
   * The application has taken it: the sender's transaction completes. False if it had been answered
   * before.
   */
  public boolean acknowledge() {
    if (!answer()) {
      return false;
    }
    reads.acknowledge(rsn);
    return true;
  }

  /**
   * The application refuses it: the sender's transaction fails.
   *
   * @param code of the application, 32 bits
   * @param text for people, at most 256 bytes of UTF-8 arrive
   * @return false if it had been answered before
   */
  public boolean fail(int code, String text) {
    if (!answer()) {
      return false;
    }
    reads.fail(rsn, code, text);
    return true;
  }

  /** The handler broke off over it without an answer. */
  void failBroken() {
    if (answer()) {
      reads.failBroken(rsn);
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
      content.release(); // the last of it tells
    } else if (isByRelease) {
      onReleased();
    }
  }

  private void onReleased() {
    if (!answered) { // it is not answered by this: the handler that let go of it may yet throw
      reads.acknowledgeReleased(rsn);
    }
  }

  @Override
  public String toString() {
    return "RtPush(rsn " + rsn + ", " + lengthBytes + " bytes, header of " + header.length + ")";
  }
}
