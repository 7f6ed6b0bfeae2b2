package io.rtransport.core.transaction;

import java.nio.ByteBuffer;

/**
 * One thing that a connection has to say to its application, as {@code Connection.poll} gives it:
 * fields of primitives, written anew by each call. What a kind does not name has no meaning for it.
 * One object serves all connections of an event loop, so whoever reads it takes what it needs
 * before it calls anything.
 *
 * <p>Confined to the event loop.
 */
public final class OutboxEntry {
  /** What it says. */
  public enum Kind {
    /** The connection is set up: the first entry, unless it ends before. No fields. */
    ESTABLISHED,
    /** The peer was found at another address. No fields. */
    MOVED,
    /** The peer begins nothing more, and all that it began was given out. Once, no fields. */
    PEER_FINISHED,
    /**
     * A push of the peer that came whole, at its turn: {@link #rsn}, its bytes at {@link #buffer},
     * {@link #offset}, {@link #length}, its application header in that buffer at {@link
     * #headerOffset}, {@link #headerLength}. They stay there until the next call of {@code poll}.
     * It is the application's from here on; no answer by then means that it is not acknowledged
     * yet, and that none of it is taken.
     */
    MESSAGE,
    /**
     * A push of the peer, or the answer to an own pull ({@link #isAnswer}), begins: {@link #rsn},
     * its {@link #messageLength}, its application header at {@link #buffer}, {@link #headerOffset},
     * {@link #headerLength} until the next call of {@code poll}; of an answer, the {@link #tag} of
     * its pull. To be accepted or refused by the next call: else a push is put off, and asked about
     * again when the application says so, and an answer is refused.
     */
    OPENED,
    /**
     * Bytes of a message that was accepted as {@link #handle}, from {@link #messageOffset} on, each
     * byte once: at {@link #buffer}, {@link #offset}, {@link #length} until the next call of {@code
     * poll}; of {@link #rsn}, {@link #isAnswer}.
     */
    BYTES,
    /**
     * A message, or the answer to a pull, that was accepted as {@link #handle}, has been given
     * whole, at its turn; or, not {@link #isWhole}, never will be. Of {@link #rsn}, {@link
     * #isAnswer}. The handle of a push that is whole lives on until it is acknowledged or failed.
     */
    DELIVERED,
    /**
     * The peer pulls: {@link #rsn}, at most {@link #limitBytes}, its application header at {@link
     * #buffer}, {@link #headerOffset}, {@link #headerLength} until the next call of {@code poll}.
     */
    REQUESTED,
    /**
     * The payload {@link #handle} of an own push, or of an answer, is let go before its last byte
     * was asked for. Comes before the transaction's end.
     */
    SOURCE_RELEASED,
    /**
     * The peer's transport has an own push wholly, and all that left before it; whether its
     * application takes it is open: {@link #tag}. Only where that was asked for, at most once, and
     * before its end.
     */
    RECEIVED,
    /**
     * One of this side's own transactions ended: {@link #tag}, {@link #outcome}, {@link #code},
     * {@link #text}, {@link #isFromTransport}. Exactly once each, in RSN order where the connection
     * is ordered. Its place in the window is free with this. Pushes that completed one behind the
     * other, and have the same tag, share an entry: {@link #count} says how many.
     */
    ENDED,
    /** More can be submitted, after a submission was refused. No fields. */
    ROOM,
    /**
     * The connection ended: {@link #code}, {@link #text}, {@link #isByPeer}. Once, behind the end
     * of every transaction.
     */
    CLOSED,
    /** Nothing is sent for it any more: the last entry. No fields. */
    FORGOTTEN
  }

  private static final ByteBuffer NO_HEADER = ByteBuffer.allocate(0);

  private Kind kind;
  private long tag;
  private int count;
  private Outcome outcome;
  private int code;
  private String text = "";
  private boolean isFromTransport;
  private boolean isByPeer;
  private long handle;
  private boolean isAnswer;
  private boolean isWhole;
  private long messageLength;
  private long messageOffset;
  private long rsn;
  private ByteBuffer buffer;
  private int headerOffset;
  private int headerLength;
  private int offset;
  private int length;
  private long limitBytes;

  public Kind kind() {
    return kind;
  }

  /** What was given at the submission. */
  public long tag() {
    return tag;
  }

  /**
   * How many transactions ended, all with this tag: 1, or more where they are pushes that
   * completed.
   */
  public int count() {
    return count;
  }

  public Outcome outcome() {
    return outcome;
  }

  /** 0 of a transaction that completed; else RT's own, or an application's. */
  public int code() {
    return code;
  }

  /** For people; never null. */
  public String text() {
    return text;
  }

  /** Whether {@link #code} is RT's, a {@link io.rtransport.core.wire.CloseCode}. */
  public boolean isFromTransport() {
    return isFromTransport;
  }

  /** Whether the peer ended the connection. */
  public boolean isByPeer() {
    return isByPeer;
  }

  public long handle() {
    return handle;
  }

  /** Whether it is the answer to the own pull {@link #rsn}; else the peer's push. */
  public boolean isAnswer() {
    return isAnswer;
  }

  /** Bytes of the whole message, 0 to 2^32 - 1. */
  public long messageLength() {
    return messageLength;
  }

  /** Where in the message these bytes belong. */
  public long messageOffset() {
    return messageOffset;
  }

  /** Whether the message is complete. */
  public boolean isWhole() {
    return isWhole;
  }

  /** 0 to 2^32 - 1. */
  public long rsn() {
    return rsn;
  }

  public ByteBuffer buffer() {
    return buffer;
  }

  /** Where in {@link #buffer} the application header begins. */
  public int headerOffset() {
    return headerOffset;
  }

  /** 0 where there is no header. */
  public int headerLength() {
    return headerLength;
  }

  /** Where in {@link #buffer} the message begins. */
  public int offset() {
    return offset;
  }

  public int length() {
    return length;
  }

  /** 0 to 2^32 - 1. */
  public long limitBytes() {
    return limitBytes;
  }

  /** Keeps nothing of what it said last. */
  public void clear() {
    kind = null;
    outcome = null;
    text = "";
    buffer = null;
  }

  // ---- for those who write it

  /** An entry without fields. */
  public void put(Kind of) {
    kind = of;
  }

  /** A whole push; references are stored where they differ only, as in {@link #putCompleted}. */
  public void putMessage(
      int ofRsn, ByteBuffer in, int headerAt, int headerBytes, int at, int lengthBytes) {
    if (kind != Kind.MESSAGE) {
      kind = Kind.MESSAGE;
    }
    if (buffer != in) {
      buffer = in;
    }
    rsn = Integer.toUnsignedLong(ofRsn);
    headerOffset = headerAt;
    headerLength = headerBytes;
    offset = at;
    length = lengthBytes;
  }

  /** The peer's push begins, or the answer to the own pull. */
  public void putOpened(Transaction message) {
    kind = Kind.OPENED;
    isAnswer = message.role() == Transaction.Role.OWN;
    tag = message.tag;
    rsn = Integer.toUnsignedLong(message.rsn);
    messageLength = message.payloadBytes();
    buffer = isAnswer ? NO_HEADER : message.header();
    headerOffset = 0;
    headerLength = isAnswer ? 0 : message.headerLength;
  }

  /** Bytes of a message that was accepted. */
  public void putBytes(
      Transaction message, long ofMessageOffset, ByteBuffer in, int at, int lengthBytes) {
    kind = Kind.BYTES;
    isAnswer = message.role() == Transaction.Role.OWN;
    handle = message.handle;
    rsn = Integer.toUnsignedLong(message.rsn);
    messageOffset = ofMessageOffset;
    if (buffer != in) {
      buffer = in;
    }
    offset = at;
    length = lengthBytes;
  }

  /** A message, or an answer, that is whole, or never will be. */
  public void putDelivered(Transaction message, boolean whole) {
    kind = Kind.DELIVERED;
    isAnswer = message.role() == Transaction.Role.OWN;
    rsn = Integer.toUnsignedLong(message.rsn);
    handle = message.handle;
    isWhole = whole;
  }

  /**
   * Pushes that completed. The entry before was of such as well, for the most part: what is there
   * already is not stored again, since a store of a reference may cost the collector's barrier.
   */
  void putCompleted(long ofTag, int ofCount) {
    if (kind != Kind.ENDED || outcome != Outcome.COMPLETED) {
      putEnded(ofTag, Outcome.COMPLETED, 0, "", false);
    } else {
      tag = ofTag;
    }
    count = ofCount;
  }

  void putReceived(long ofTag) {
    kind = Kind.RECEIVED;
    tag = ofTag;
  }

  void putSourceReleased(long ofHandle) {
    kind = Kind.SOURCE_RELEASED;
    handle = ofHandle;
  }

  void putRequested(int ofRsn, long ofLimitBytes, ByteBuffer header, int headerBytes) {
    kind = Kind.REQUESTED;
    rsn = Integer.toUnsignedLong(ofRsn);
    limitBytes = ofLimitBytes;
    buffer = header;
    headerOffset = 0;
    headerLength = headerBytes;
  }

  void putEnded(long ofTag, Outcome ofOutcome, int ofCode, String ofText, boolean fromTransport) {
    kind = Kind.ENDED;
    tag = ofTag;
    count = 1;
    outcome = ofOutcome;
    code = ofCode;
    text = ofText;
    isFromTransport = fromTransport;
  }

  /** The connection's end. */
  public void putClosed(int ofCode, String ofText, boolean byPeer) {
    kind = Kind.CLOSED;
    code = ofCode;
    text = ofText;
    isByPeer = byPeer;
  }
}
