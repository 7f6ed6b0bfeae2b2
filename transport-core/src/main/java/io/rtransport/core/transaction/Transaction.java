package io.rtransport.core.transaction;

import java.nio.ByteBuffer;

/**
 * The state of one push or pull, at its initiator or at its target: a pooled record of plain fields
 * that the transaction and the solicitation sublayer share, confined to one event loop. It decides
 * nothing. Its stage changes by the moves below alone, each of which asserts where it comes from.
 *
 * <pre>
 *  own   QUEUED → ADMITTED → STARTED → SENT → ENDED            (ENDED from any of them)
 *  peer  ARRIVING → READY → DELIVERED → COMPLETED → REPORTED
 *            └────────┴─────────┴───────────┴───────────┴──→ FAILED → REPORTED
 * </pre>
 *
 * Orthogonal facts (role, kind, solicited or not, opened or not) are fields of their own, never
 * products of the stage.
 */
public final class Transaction {
  /**
   * Links of {@link TransactionQueue}: what is to be sent; what is to be reported; what is to be
   * granted.
   */
  public static final int STREAM = 0;

  public static final int REPORT = 1;
  public static final int GRANT = 2;
  static final int LINKS = 3;

  /** Which side began it. */
  public enum Role {
    OWN,
    PEER
  }

  /** Which way its payload goes. */
  public enum Kind {
    PUSH,
    PULL
  }

  /** How far it is. */
  public enum Stage {
    /** In the pool. */
    FREE,
    /** Own: has its RSN, waits for credit. */
    QUEUED,
    /** Own: paid for, nothing of it has left. */
    ADMITTED,
    /** Own: part of it was packetised. */
    STARTED,
    /** Own: all of it was packetised; of a pull, its request. */
    SENT,
    /** Own: its outcome is known; waits for its turn to be handed up. */
    ENDED,
    /** Peer's: not yet whole. */
    ARRIVING,
    /** Peer's: all bytes, or the pull request, are there; waits for its turn. */
    READY,
    /** Peer's: with the application. */
    DELIVERED,
    /** Peer's: acknowledged by the application; the peer has not been told. */
    COMPLETED,
    /** Peer's: ended in error; COMPLETE_IN_ERROR is queued or not yet acknowledged. */
    FAILED,
    /** Peer's: its end is known to the peer, or on its way in a packet that cannot be lost. */
    REPORTED
  }

  /** {@link #deadlineNs} of one that has none. */
  public static final long NO_DEADLINE = Long.MAX_VALUE;

  private static final int NONE = -1;
  private static final Role[] ROLES = Role.values();
  private static final Kind[] KINDS = Kind.values();
  private static final Stage[] STAGES = Stage.values();
  private static final Outcome[] OUTCOMES = Outcome.values();

  // Places and enums are kept as numbers: a pooled record is old, and every reference stored into
  // an old object costs the collector's barrier, which is dearer than all that a small message
  // needs.
  final int[] next = {NONE, NONE, NONE};
  final int[] previous = {NONE, NONE, NONE};

  /** The number of the {@link TransactionQueue} in which it stands, 0 for none. */
  final int[] queueId = new int[LINKS];

  private byte role = NONE;
  private byte kind = NONE;
  private byte stage;
  private byte outcome = NONE;

  /** Place in the {@link TransactionPool}; what the reorder engine's table holds. */
  public final int slot;

  public int rsn;

  /** Only where {@link #isSolicited}. */
  public int ssn;

  public boolean isSolicited;

  /**
   * Whether it counts among those that may wait for the receiver's grants: one asked for, or an
   * answer, and not all sent.
   */
  public boolean isOnGrants;

  /** A push: whether nobody waits for its end, as far as its initiator has said. */
  public boolean isUnawaited;

  /** An own push: whether the application wants to hear when the peer's transport has it. */
  public boolean isReceiptWanted;

  /** Own: what the application gave at submission. */
  public long tag;

  /** Bytes of the message; of a pull the most that the puller takes. */
  public long lengthBytes;

  /** Of a pull: bytes of the answer, −1 while unknown. */
  public long answerLengthBytes;

  /** Outbound payload; null when there is none, or it was released. */
  public PayloadSource source;

  /** Names the payload to {@link #source}, or to the application that takes it. */
  public long handle;

  /**
   * Whether the application accepted it as {@link #handle}, and has not had the last entry of it.
   */
  public boolean isOpen;

  /** Inbound push: whether none of it is taken before all is there. */
  public boolean isKeptWhole;

  /**
   * Inbound: how much of it may be granted and not yet taken, bytes; less than {@code
   * Long.MAX_VALUE} where its sink writes behind.
   */
  public long untakenBytesMax = Long.MAX_VALUE;

  /** Whether the sink said LATER. */
  public boolean isLater;

  /** Whether inbound bytes are thrown away: nobody wants them any more. */
  public boolean isDiscarding;

  /**
   * Own: whether the application gave it up. Peer's: whether its end in error waits for its header.
   */
  public boolean isCancelled;

  /**
   * Own pull: whether this side's sink does not take the answer, and the peer is asked to stop
   * sending it.
   */
  public boolean isRefused;

  /** Own: when it is given up, if it has not ended by then. */
  public long deadlineNs = NO_DEADLINE;

  int deadlinePlace = NONE;

  /** Own: whether that has come, and gave it up. */
  boolean isOverdue;

  /** Peer's: whether its initiator gave it up before anything of it left, and so knows its end. */
  public boolean isGivenUp;

  /** Outbound: bytes packetised. */
  public long sentBytes;

  /** How far the receiver has allowed (outbound), or we have allowed (inbound). */
  public long grantedBytes;

  /** Inbound, granted: bytes that arrived. */
  public long arrivedBytes;

  /** Inbound: bytes that the sink has taken of those that arrived. */
  public long takenBytes;

  /** Inbound: bytes of the node's solicitation budget that it holds. */
  public long reservedBytes;

  /** Own pull: whether what is granted of its answer counts as on its way. */
  public boolean isAnswerCounted;

  /** Inbound: whether its sink bounds what may be granted and not yet taken. */
  public boolean isWrittenBehind;

  /** Inbound, unsolicited: bytes of credit to be given back. */
  public long creditBytes;

  /**
   * Place in the heap of those that are served shortest first, and what it is compared by; −1 where
   * it stands in none.
   */
  public int servingPlace = NONE;

  public long servingBytes;

  /** Whether the application header is known, at a target. */
  public boolean isHeaderKnown;

  public int headerLength;

  /** Whether RSN order has passed it: it was delivered or skipped. */
  public boolean isTurnPassed;

  /** In which spaces of the reorder engine it stands: bit {@code 1 << space}. */
  public int registeredSpaces;

  /** Peer's: whether it ended in error. */
  public boolean hasFailed;

  /** Of a failure. */
  public int code;

  public String text = "";

  /** Of a failure: flags of COMPLETE_IN_ERROR. */
  public int errorFlags;

  /** Of a failure at the target: the packet that carried it. */
  public int errorPsn;

  /** Ranges that arrived (inbound) or were granted (outbound). */
  public final ByteRanges ranges = new ByteRanges();

  /** Inbound bytes that cannot go to the sink yet; null when there are none. */
  public ByteBuffer held;

  private ByteBuffer header;

  Transaction(int slot) {
    this.slot = slot;
  }

  public Role role() {
    return role == NONE ? null : ROLES[role];
  }

  public Kind kind() {
    return kind == NONE ? null : KINDS[kind];
  }

  public Stage stage() {
    return STAGES[stage];
  }

  private boolean isIn(Stage one, Stage other) {
    return stage == one.ordinal() || stage == other.ordinal();
  }

  private void move(Stage to) {
    stage = (byte) to.ordinal();
  }

  // ------------------------------------------------------------------ moves of an own one

  /** It has its RSN, and waits for credit. */
  public void submit(Kind ofKind) {
    begin(Role.OWN, ofKind);
    move(Stage.QUEUED);
  }

  /** It is paid for. */
  public void admit() {
    assert stage() == Stage.QUEUED : this;
    move(Stage.ADMITTED);
  }

  /** A part of it, or its request for grants, is in a packet; perhaps not the first. */
  public void start() {
    assert isIn(Stage.ADMITTED, Stage.STARTED) : this;
    move(Stage.STARTED);
  }

  /** All of it is in packets; of a pull its request. */
  public void finishSending() {
    assert kind() == Kind.PULL ? stage() == Stage.ADMITTED : stage() == Stage.STARTED : this;
    move(Stage.SENT);
  }

  /** A push of which only number and tag were kept is a transaction again: all of it was sent. */
  void restore() {
    begin(Role.OWN, Kind.PUSH);
    move(Stage.SENT);
  }

  /** Its outcome is known. */
  void end() {
    assert role() == Role.OWN && !isIn(Stage.FREE, Stage.ENDED) : this;
    move(Stage.ENDED);
  }

  // ------------------------------------------------------------------ moves of a peer's

  /** The first of it has come. */
  public void arrive(Kind ofKind) {
    begin(Role.PEER, ofKind);
    move(Stage.ARRIVING);
  }

  /** All of it is here; of a pull its request. */
  public void becomeReady() {
    assert stage() == Stage.ARRIVING : this;
    move(Stage.READY);
  }

  /** It is with the application; a small push, or one that a sink took, may not have waited. */
  public void deliver() {
    assert isIn(Stage.ARRIVING, Stage.READY) : this;
    move(Stage.DELIVERED);
  }

  /** The application has acknowledged it. */
  public void complete() {
    assert stage() == Stage.DELIVERED : this;
    move(Stage.COMPLETED);
  }

  /** It has ended in error; a pull perhaps after its success, for its answer broke off. */
  public void fail() {
    assert role() == Role.PEER && !isIn(Stage.FREE, Stage.FAILED) : this;
    move(Stage.FAILED);
  }

  /** Its end is known to the peer, or on its way in a packet that cannot be lost. */
  public void report() {
    assert isIn(Stage.DELIVERED, Stage.COMPLETED) || stage() == Stage.FAILED : this;
    move(Stage.REPORTED);
  }

  private void begin(Role ofRole, Kind ofKind) {
    assert stage() == Stage.FREE : this;
    role = (byte) ofRole.ordinal();
    kind = (byte) ofKind.ordinal();
  }

  /** Own: how it ended; null before. */
  public Outcome outcome() {
    return outcome == NONE ? null : OUTCOMES[outcome];
  }

  void outcome(Outcome value) {
    outcome = (byte) value.ordinal();
  }

  /** The application header: {@link #headerLength} bytes from index 0. */
  public ByteBuffer header() {
    return header == null ? EMPTY : header;
  }

  /** Keeps a copy of an application header. */
  public void header(ByteBuffer from, int index, int length) {
    if (length > 0) {
      if (header == null || header.capacity() < length) {
        header = ByteBuffer.allocate(Math.max(64, Integer.highestOneBit(2 * length - 1)));
      }
      header.put(0, from, index, length);
    }
    headerLength = length;
    isHeaderKnown = true;
  }

  /** Bytes that are to arrive or to be sent: the answer's of a pull, once known. */
  public long payloadBytes() {
    return kind() == Kind.PULL && answerLengthBytes >= 0 ? answerLengthBytes : lengthBytes;
  }

  /** Back to what the constructor made, buffers kept. */
  void reset() {
    role = NONE;
    kind = NONE;
    move(Stage.FREE);
    isSolicited = false;
    isOnGrants = false;
    isUnawaited = false;
    isReceiptWanted = false;
    tag = 0;
    lengthBytes = 0;
    answerLengthBytes = -1;
    source = null;
    handle = 0;
    isOpen = false;
    isKeptWhole = false;
    untakenBytesMax = Long.MAX_VALUE;
    isLater = false;
    isDiscarding = false;
    isCancelled = false;
    isRefused = false;
    deadlineNs = NO_DEADLINE;
    isOverdue = false;
    isGivenUp = false;
    sentBytes = 0;
    grantedBytes = 0;
    arrivedBytes = 0;
    takenBytes = 0;
    reservedBytes = 0;
    isWrittenBehind = false;
    isAnswerCounted = false;
    creditBytes = 0;
    isHeaderKnown = false;
    headerLength = 0;
    isTurnPassed = false;
    registeredSpaces = 0;
    outcome = NONE;
    hasFailed = false;
    code = 0;
    if (!text.isEmpty()) {
      text = "";
    }
    errorFlags = 0;
    errorPsn = 0;
    ranges.clear();
  }

  @Override
  public String toString() {
    return role()
        + " "
        + kind()
        + " "
        + Integer.toUnsignedString(rsn)
        + " "
        + stage()
        + " of "
        + lengthBytes
        + " B";
  }

  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);
}
