package io.rtransport.core.transaction;

import io.rtransport.core.outcome.Outcome;
import java.nio.ByteBuffer;

/**
 * One thing that a connection tells its application, as {@code Connection.poll} gives it. Its
 * fields are written anew by each call. A field that the kind does not name has no meaning. One
 * object serves all connections of an event loop, so a reader takes what it needs before it calls
 * anything.
 *
 * <p>Confined to the event loop.
 */
public final class OutboxEntry {
  /** Meaning of an entry. */
  public enum Kind {
    /** The connection is set up: the first entry, unless it ends before. No fields. */
    ESTABLISHED,
    /** The peer was found at another address. No fields. */
    MOVED,
    /**
     * Packets leave by another port of this side from now on, of an interface with a new number. No
     * fields. Only if {@code Connection.allowNewPorts} was called.
     */
    PORT_CHANGED,
    /**
     * The peer has told an address or taken one back ({@code Connection.toldAddresses}), or a path
     * was opened beside the first. Several changes may share an entry. No fields.
     */
    PEER_CHANGED,
    /**
     * The peer begins nothing more, and everything that it began was given out. Once, no fields.
     */
    PEER_FINISHED,
    /**
     * A push of the peer that came whole, at its turn. Fields: {@link #rsn}; its bytes at {@link
     * #buffer}, {@link #offset}, {@link #length}; its application header in that buffer at {@link
     * #headerOffset}, {@link #headerLength}. They stay there until the next call of {@code poll}.
     *
     * <p>The push belongs to the application from here on. If the application has not answered by
     * the next call of {@code poll}, the push is not acknowledged yet and none of it is taken.
     */
    MESSAGE,
    /**
     * A push of the peer, or the answer to an own pull ({@link #isAnswer}), begins. Fields: {@link
     * #rsn}; its {@link #messageLength}; of a push, its application header at {@link #buffer},
     * {@link #headerOffset}, {@link #headerLength}, until the next call of {@code poll}; of an
     * answer, the {@link #tag} of its pull.
     *
     * <p>The application accepts or refuses it before the next call of {@code poll}. Otherwise a
     * push is put off, and asked about again when the application says so. An answer is then
     * refused.
     */
    OPENED,
    /**
     * Bytes of a message that was accepted as {@link #handle}, from {@link #messageOffset} on, each
     * byte once. They are at {@link #buffer}, {@link #offset}, {@link #length} until the next call
     * of {@code poll}. Also {@link #rsn}, {@link #isAnswer}.
     */
    BYTES,
    /**
     * A message, or the answer to a pull, that was accepted as {@link #handle} has been given
     * whole, at its turn. If not {@link #isWhole}, it will never be whole. Also {@link #rsn},
     * {@link #isAnswer}. The handle of a whole push stays in use until the push is acknowledged or
     * failed.
     */
    DELIVERED,
    /**
     * The peer pulls at most {@link #limitBytes}. Also {@link #rsn}; its application header is at
     * {@link #buffer}, {@link #headerOffset}, {@link #headerLength} until the next call of {@code
     * poll}.
     */
    REQUESTED,
    /**
     * The core has let go of the payload {@link #handle} of an own push or of an answer, before it
     * asked for the last byte. Comes before the transaction's end.
     */
    SOURCE_RELEASED,
    /**
     * The peer's transport has all of an own push, and all that left before it. Whether its
     * application takes the push is open. Field: {@link #tag}. Only if that was asked for, at most
     * once, and before its end.
     */
    RECEIVED,
    /**
     * An own transaction ended: {@link #tag}, {@link #outcome}, {@link #code}, {@link #text},
     * {@link #isFromTransport}. Exactly once for each, in RSN order on an ordered connection. Its
     * place in the window is now free. Pushes that completed directly after one another and have
     * the same tag share an entry: {@link #count} says how many.
     */
    ENDED,
    /** There is room for submissions again, after one was refused. No fields. */
    ROOM,
    /**
     * The connection ended: {@link #code}, {@link #text}, {@link #isByPeer}. Once, after the end of
     * every transaction.
     */
    CLOSED,
    /** Nothing more is sent for the connection: the last entry. No fields. */
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

  /** Returns the value that the application gave at the submission. */
  public long tag() {
    return tag;
  }

  /** Returns how many transactions with this tag ended: 1, or more for pushes that completed. */
  public int count() {
    return count;
  }

  public Outcome outcome() {
    return outcome;
  }

  /** Returns 0 for a transaction that completed; otherwise RT's or an application's code. */
  public int code() {
    return code;
  }

  /** Returns the text for people; never null. */
  public String text() {
    return text;
  }

  /** Returns whether {@link #code} is RT's, a {@link io.rtransport.core.outcome.CloseCode}. */
  public boolean isFromTransport() {
    return isFromTransport;
  }

  /** Returns whether the peer ended the connection. */
  public boolean isByPeer() {
    return isByPeer;
  }

  public long handle() {
    return handle;
  }

  /** Returns true for the answer to the own pull {@link #rsn}, false for the peer's push. */
  public boolean isAnswer() {
    return isAnswer;
  }

  /** Returns the bytes of the whole message, 0 to 2^32 - 1. */
  public long messageLength() {
    return messageLength;
  }

  /** Returns the offset in the message at which these bytes belong. */
  public long messageOffset() {
    return messageOffset;
  }

  /** Returns whether the message is complete. */
  public boolean isWhole() {
    return isWhole;
  }

  /** Returns the RSN, 0 to 2^32 - 1. */
  public long rsn() {
    return rsn;
  }

  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns where in {@link #buffer} the application header begins. */
  public int headerOffset() {
    return headerOffset;
  }

  /** Returns the bytes of the application header; 0: there is none. */
  public int headerLength() {
    return headerLength;
  }

  /** Returns where in {@link #buffer} the message begins. */
  public int offset() {
    return offset;
  }

  public int length() {
    return length;
  }

  /** Returns the most bytes that the peer's pull takes, 0 to 2^32 - 1. */
  public long limitBytes() {
    return limitBytes;
  }

  /** Drops the contents of the last entry. */
  public void clear() {
    kind = null;
    outcome = null;
    text = "";
    buffer = null;
  }

  // ---- for the writers of entries

  /** Writes an entry without fields. */
  public void put(Kind of) {
    kind = of;
  }

  /**
   * Writes a whole push. References are stored only if they differ, as in {@link #putCompleted}.
   */
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

  /** Writes that the peer's push begins, or the answer to the own pull. */
  public void putOpened(Transaction message) {
    kind = Kind.OPENED;
    isAnswer = message.role() == Transaction.Role.OWN;
    tag = message.tag();
    rsn = Integer.toUnsignedLong(message.rsn());
    messageLength = message.payloadBytes();
    buffer = isAnswer ? NO_HEADER : message.header();
    headerOffset = 0;
    headerLength = isAnswer ? 0 : message.headerLength();
  }

  /** Writes bytes of a message that was accepted. */
  public void putBytes(
      Transaction message, long ofMessageOffset, ByteBuffer in, int at, int lengthBytes) {
    kind = Kind.BYTES;
    isAnswer = message.role() == Transaction.Role.OWN;
    handle = message.incoming().handle();
    rsn = Integer.toUnsignedLong(message.rsn());
    messageOffset = ofMessageOffset;
    if (buffer != in) {
      buffer = in;
    }
    offset = at;
    length = lengthBytes;
  }

  /** Writes that a message or an answer is whole, or never will be. */
  public void putDelivered(Transaction message, boolean whole) {
    kind = Kind.DELIVERED;
    isAnswer = message.role() == Transaction.Role.OWN;
    rsn = Integer.toUnsignedLong(message.rsn());
    handle = message.incoming().handle();
    isWhole = whole;
  }

  /**
   * Writes that pushes completed. The entry before was mostly of the same kind. Fields that have
   * the right value already are not stored again, because storing a reference may run the
   * collector's barrier.
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

  /** Writes the connection's end. */
  public void putClosed(int ofCode, String ofText, boolean byPeer) {
    kind = Kind.CLOSED;
    code = ofCode;
    text = ofText;
    isByPeer = byPeer;
  }
}
