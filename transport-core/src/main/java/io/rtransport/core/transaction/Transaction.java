package io.rtransport.core.transaction;

import java.nio.ByteBuffer;

/**
 * State of one push or pull, at its initiator or at its target: a pooled record of plain fields.
 * The transaction and the solicitation sublayer share it on one event loop. It decides nothing. Its
 * stage changes only by the moves below, and each move asserts the stage that it starts from.
 *
 * <pre>
 *  own   QUEUED → ADMITTED → STARTED → SENT → ENDED            (ENDED from any of them)
 *  peer  ARRIVING → READY → DELIVERED → COMPLETED → REPORTED
 *            └────────┴─────────┴───────────┴───────────┴──→ FAILED → REPORTED
 * </pre>
 *
 * <p>Independent facts (role, kind, solicited or not, opened or not) are fields of their own. They
 * are never combined with the stage.
 */
public final class Transaction extends PoolMember {
  /** Links of {@link TransactionQueue}: to be sent, to be reported, to be granted. */
  public static final int STREAM = 0;

  public static final int REPORT = 1;
  public static final int GRANT = 2;

  /** Kinds of {@link TransactionHeap}: the first deadline first, the least left to serve first. */
  public static final int DEADLINE = 0;

  public static final int SERVING = 1;

  /** The side that began the transaction. */
  public enum Role {
    OWN,
    PEER
  }

  /** The direction of the payload. */
  public enum Kind {
    PUSH,
    PULL
  }

  /** How far the transaction has come. */
  public enum Stage {
    /** In the pool. */
    FREE,
    /** Own: has its RSN and waits for credit. */
    QUEUED,
    /** Own: paid for; nothing of it has left. */
    ADMITTED,
    /** Own: a part of it is in packets. */
    STARTED,
    /** Own: all of it is in packets; of a pull, its request. */
    SENT,
    /** Own: its outcome is known. It waits for its turn to be handed up. */
    ENDED,
    /** Peer's: not whole yet. */
    ARRIVING,
    /** Peer's: all bytes, or the pull request, are there. It waits for its turn. */
    READY,
    /** Peer's: the application has it. */
    DELIVERED,
    /** Peer's: the application has acknowledged it; the peer has not been told. */
    COMPLETED,
    /** Peer's: ended in error; COMPLETE_IN_ERROR is queued or not acknowledged yet. */
    FAILED,
    /** Peer's: the peer knows its end, or will know it from a packet that cannot be lost. */
    REPORTED
  }

  /** Value of {@link #deadlineNs} without a deadline. */
  public static final long NO_DEADLINE = Long.MAX_VALUE;

  private static final Role[] ROLES = Role.values();
  private static final Kind[] KINDS = Kind.values();
  private static final Stage[] STAGES = Stage.values();
  private static final Outcome[] OUTCOMES = Outcome.values();

  // As numbers, because of the collector's barrier (see PoolMember).
  private byte role = NONE;
  private byte kind = NONE;
  private byte stage;
  private byte outcome = NONE;

  // ------------------ fields of either role

  public int rsn;

  /** Valid only if {@link #isSolicited}. */
  public int ssn;

  public boolean isSolicited;

  /** Bytes of the message; of a pull, the most that the puller takes. */
  public long lengthBytes;

  public int headerLength;

  /** Name of the payload for {@link #source}, or for the application that takes it. */
  public long handle;

  /**
   * Own: whether the application gave it up. Peer's: whether it waits for its header to end in
   * error.
   */
  public boolean isCancelled;

  /** Spaces of the reorder engine in which it stands: bit {@code 1 << space}. */
  public int registeredSpaces;

  /** Ranges that arrived (inbound) or were granted (outbound). */
  public final ByteRanges ranges = new ByteRanges();

  // ------------------ fields of an own one

  /** The value that the application gave at submission. */
  public long tag;

  /** Push: whether its initiator has said that nobody waits for its end. */
  public boolean isUnawaited;

  /** Push: whether the application wants to hear when the peer's transport has it. */
  public boolean isReceiptWanted;

  /** Whether its deadline came and gave it up. */
  boolean isOverdue;

  /**
   * Pull: whether this side's sink does not take the answer, and the peer is asked to stop sending
   * it.
   */
  public boolean isRefused;

  /** Pull: whether the granted bytes of its answer count as on their way. */
  public boolean isAnswerCounted;

  // ------------------ fields of a peer's

  /** Whether the application header is known. */
  public boolean isHeaderKnown;

  /** Whether RSN order has passed it: it was delivered or skipped. */
  public boolean isTurnPassed;

  /** Whether it ended in error. */
  public boolean hasFailed;

  /**
   * Whether its initiator gave it up before anything of it left. Then the initiator knows its end.
   */
  public boolean isGivenUp;

  /** Unsolicited push: bytes of credit that are still to be given back. */
  public long creditBytes;

  // ------------------ payload that goes out: an own push, the answer to a peer's pull

  /** Source of the bytes; null when there is none, or it was released. */
  public PayloadSource source;

  /** Bytes that are in packets. */
  public long sentBytes;

  /**
   * Whether it counts among the transactions that may wait for the receiver's grants: a push that
   * was requested, or an answer, and not all of it is sent.
   */
  public boolean isOnGrants;

  // ------------------ payload that comes in: a peer's push, the answer to an own pull

  /** Pull, at either side: bytes of the answer; −1 while unknown. */
  public long answerLengthBytes;

  /** Whether the application accepted it as {@link #handle} and has not had its last entry. */
  public boolean isOpen;

  /** Push: whether the sink takes none of it before all of it is there. */
  public boolean isKeptWhole;

  /** Whether the sink answered LATER. */
  public boolean isLater;

  /** Whether inbound bytes are thrown away because nobody wants them any more. */
  public boolean isDiscarding;

  /** Whether its sink limits the bytes that may be granted and not yet taken. */
  public boolean isWrittenBehind;

  /**
   * How many bytes may be granted and not yet taken. Less than {@code Long.MAX_VALUE} if its sink
   * writes behind.
   */
  public long untakenBytesMax = Long.MAX_VALUE;

  /** Granted bytes that arrived. */
  public long arrivedBytes;

  /** Arrived bytes that the sink has taken. */
  public long takenBytes;

  /** Bytes of the node's solicitation budget that it holds. */
  public long reservedBytes;

  /** Bytes that cannot go to the sink yet; null when there are none. */
  public ByteBuffer held;

  // ------------------ payload of either direction

  /**
   * Outbound: offset up to which the receiver allows bytes. Inbound: offset up to which we allow
   * bytes.
   */
  public long grantedBytes;

  // ------------------ failure

  public int code;

  public String text = "";

  /** Flags of COMPLETE_IN_ERROR. */
  public int errorFlags;

  /** Target: the packet that carried COMPLETE_IN_ERROR. */
  public int errorPsn;

  private ByteBuffer header;

  Transaction(int slot) {
    super(slot);
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

  /** Moves a new transaction to QUEUED: it has its RSN and waits for credit. */
  public void submit(Kind ofKind) {
    begin(Role.OWN, ofKind);
    move(Stage.QUEUED);
  }

  /** Moves to ADMITTED: it is paid for. */
  public void admit() {
    assert stage() == Stage.QUEUED : this;
    move(Stage.ADMITTED);
  }

  /**
   * Moves to STARTED: a part of it, or its request for grants, is in a packet. Also called for
   * later parts.
   */
  public void start() {
    assert isIn(Stage.ADMITTED, Stage.STARTED) : this;
    move(Stage.STARTED);
  }

  /** Moves to SENT: all of it is in packets; of a pull, its request. */
  public void finishSending() {
    assert kind() == Kind.PULL ? stage() == Stage.ADMITTED : stage() == Stage.STARTED : this;
    move(Stage.SENT);
  }

  /** Moves a push to SENT again. Only its number and tag were kept, because all of it was sent. */
  void restore() {
    begin(Role.OWN, Kind.PUSH);
    move(Stage.SENT);
  }

  /** Moves to ENDED: its outcome is known. */
  void end() {
    assert role() == Role.OWN && !isIn(Stage.FREE, Stage.ENDED) : this;
    move(Stage.ENDED);
  }

  // ------------------------------------------------------------------ moves of a peer's

  /** Moves a new transaction to ARRIVING: its first part has come. */
  public void arrive(Kind ofKind) {
    begin(Role.PEER, ofKind);
    move(Stage.ARRIVING);
  }

  /** Moves to READY: all of it is here; of a pull, its request. */
  public void becomeReady() {
    assert stage() == Stage.ARRIVING : this;
    move(Stage.READY);
  }

  /**
   * Moves to DELIVERED: the application has it. A small push, or a push that a sink took, may skip
   * READY.
   */
  public void deliver() {
    assert isIn(Stage.ARRIVING, Stage.READY) : this;
    move(Stage.DELIVERED);
  }

  /**
   * Moves a small push, which came whole, to DELIVERED.
   *
   * @param heldBytes bytes at its end that the application has not taken: they keep their credit
   */
  void passWhole(long heldBytes) {
    isHeaderKnown = true;
    creditBytes = heldBytes;
    isTurnPassed = true;
    deliver();
    if (heldBytes > 0) {
      ranges.add(0, lengthBytes);
      takenBytes = lengthBytes - heldBytes;
    }
  }

  /** Moves to COMPLETED: the application has acknowledged it. */
  public void complete() {
    assert stage() == Stage.DELIVERED : this;
    move(Stage.COMPLETED);
  }

  /**
   * Moves to FAILED: it has ended in error. A pull may fail after its success, when its answer
   * broke off.
   */
  public void fail() {
    assert role() == Role.PEER && !isIn(Stage.FREE, Stage.FAILED) : this;
    move(Stage.FAILED);
  }

  /**
   * Moves to REPORTED: the peer knows its end, or will know it from a packet that cannot be lost.
   */
  public void report() {
    assert isIn(Stage.DELIVERED, Stage.COMPLETED) || stage() == Stage.FAILED : this;
    move(Stage.REPORTED);
  }

  private void begin(Role ofRole, Kind ofKind) {
    assert stage() == Stage.FREE : this;
    role = (byte) ofRole.ordinal();
    kind = (byte) ofKind.ordinal();
  }

  /** Returns how an own transaction ended; null before. */
  public Outcome outcome() {
    return outcome == NONE ? null : OUTCOMES[outcome];
  }

  void outcome(Outcome value) {
    outcome = (byte) value.ordinal();
  }

  /** Returns when an own one is given up, if it has not ended by then, ns. */
  public long deadlineNs() {
    return heapKey(DEADLINE);
  }

  public boolean hasDeadline() {
    return deadlineNs() != NO_DEADLINE;
  }

  /** Returns the application header: {@link #headerLength} bytes from index 0. */
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

  /**
   * Returns the bytes that are to arrive or to be sent; of a pull, the answer's bytes once known.
   */
  public long payloadBytes() {
    return kind() == Kind.PULL && answerLengthBytes >= 0 ? answerLengthBytes : lengthBytes;
  }

  /** Resets it to the state after construction, but keeps the buffers. */
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
    forgetKeys();
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
