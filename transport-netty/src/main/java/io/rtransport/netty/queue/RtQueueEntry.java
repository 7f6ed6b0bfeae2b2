package io.rtransport.netty.queue;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import java.nio.ByteBuffer;

/**
 * One thing that a consumer is given: the end of an own transaction, a message of a peer, or its
 * request. The queues reuse one object: its values are valid during the handler's call alone.
 * Confined to the consumer's thread.
 */
public final class RtQueueEntry {
  private static final Outcome[] OUTCOMES = Outcome.values();
  private static final int OUTCOME_MASK = 0x3F;

  RtQueueConnection connection;
  boolean isPull;
  long tag;
  int status;
  int code;
  String text = "";
  long id;
  long bytes;
  ByteBuffer buffer;
  int headerOffset;
  int headerLength;
  int offset;
  int length;
  boolean isAnswered;

  RtQueueEntry() {}

  /** Returns the connection. */
  public RtQueueConnection connection() {
    return connection;
  }

  // ---- ends of own transactions

  /** Returns the tag that the transaction was posted with. */
  public long tag() {
    return tag;
  }

  /** Returns whether a pull ended; else a push did. */
  public boolean isPull() {
    return isPull;
  }

  /** Returns how the transaction ended. */
  public Outcome outcome() {
    return OUTCOMES[status & OUTCOME_MASK];
  }

  /** Returns 0 for a transaction that completed; else RT's or the peer's application's code. */
  public int code() {
    return code;
  }

  /** Returns the text for people of a transaction that failed; never null. */
  public String text() {
    return text;
  }

  /** Returns whether {@link #code} is RT's, a {@link CloseCode}. */
  public boolean isFromTransport() {
    return (status & ConnectionRings.FROM_TRANSPORT) != 0;
  }

  // ---- what a peer began

  /**
   * Returns by what a message or a request is named in an answer that comes later: see {@link
   * #defer}.
   */
  public long id() {
    return id;
  }

  /** Returns the most bytes that the answer to a request may have, 0 to 2^32 - 1. */
  public long limitBytes() {
    return bytes;
  }

  /** Returns where the application header begins in {@link #buffer}. */
  public int headerOffset() {
    return headerOffset;
  }

  /** Returns the bytes of the application header, 0 to 512. */
  public int headerLength() {
    return headerLength;
  }

  /**
   * Leaves the answer to later: the consumer's thread gives it by {@link
   * RtQueueConnection#acknowledge}, {@link RtQueueConnection#respond} or {@link
   * RtQueueConnection#fail}, once, with {@link #id}. Until then the entry keeps its place. The
   * bytes are valid during the handler's call all the same.
   *
   * @return the id
   * @throws IllegalStateException if it is answered already, or needs no answer
   */
  public long defer() {
    if (isAnswered) {
      throw new IllegalStateException("answered already, valid: one answer to each entry");
    }
    isAnswered = true;
    connection.onDeferred(id);
    return id;
  }

  // ---- bytes

  /**
   * Returns the buffer of a message, of a request's header or of the answer to a pull; null if
   * there is none. Positions are absolute; the buffer's own position and limit have no meaning.
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns where in {@link #buffer} the bytes begin. */
  public int offset() {
    return offset;
  }

  /** Returns how many bytes there are. */
  public int length() {
    return length;
  }
}
