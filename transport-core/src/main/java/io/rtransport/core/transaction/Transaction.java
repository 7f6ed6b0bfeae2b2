package io.rtransport.core.transaction;

import io.rtransport.core.outcome.Outcome;
import java.nio.ByteBuffer;

/**
 * State of one push or pull, at its initiator or at its target. The transaction and the
 * solicitation sublayer share it on one event loop. It decides nothing: each method says what has
 * happened, and asserts the role, the kind and the stage in which that may happen.
 *
 * <pre>
 *  own   QUEUED → ADMITTED → STARTED → SENT → ENDED            (ENDED from any of them)
 *  peer  ARRIVING → READY → DELIVERED → COMPLETED → REPORTED
 *        FAILED → REPORTED                                    (FAILED from any of them)
 * </pre>
 *
 * <p>Its payload goes one way: {@link #outgoing} of an own push and of a peer's pull, {@link
 * #incoming} of a peer's push and of an own pull. Independent facts (role, kind, solicited or not,
 * opened or not) are fields of their own. They are never combined with the stage.
 *
 * <p>There is no class for each role. Queues, heaps, the reorder engine and the reassembler hold
 * transactions of both roles, and all connections of a loop share one pool, which is as large as
 * its busiest moment. With two classes it would be two pools, and each look-up a cast. The parts of
 * the payload are objects of their own, because they are most of the state and know nothing of the
 * rest. They are made with the pooled record, never for a transaction.
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

  /** The direction of the payload, as its initiator sees it. */
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
  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

  // As numbers, because of the collector's barrier (see PoolMember).
  private byte role = NONE;
  private byte kind = NONE;
  private byte stage;

  // ---- of either role

  private int rsn;
  private int ssn;
  private boolean isSolicited;
  private long lengthBytes;
  private long answerLengthBytes;
  private boolean isUnawaited;
  private boolean isCancelled;
  private int headerLength;
  private ByteBuffer header;

  /** Bytes of the payload that were granted (outgoing) or are here (incoming). */
  private final ByteRanges ranges = new ByteRanges();

  private final OutgoingPayload outgoing = new OutgoingPayload(ranges);
  private final IncomingPayload incoming = new IncomingPayload(ranges);
  private final Ending ending = new Ending();

  // ---- of an own one

  private long tag;
  private boolean isReceiptWanted;
  private boolean isOverdue;
  private boolean isRefused;

  // ---- of a peer's

  private boolean isHeaderKnown;
  private boolean isTurnPassed;
  private boolean hasFailed;
  private boolean isGivenUp;
  private long creditBytes;
  private int errorPsn;

  Transaction(int slot) {
    super(slot);
    clear();
  }

  // ------------------------------------------------------------------ what it is

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

  private boolean is(Role ofRole) {
    return role == ofRole.ordinal();
  }

  private boolean is(Role ofRole, Kind ofKind) {
    return role == ofRole.ordinal() && kind == ofKind.ordinal();
  }

  private void move(Stage to) {
    stage = (byte) to.ordinal();
  }

  private void begin(Role ofRole, Kind ofKind, int withRsn, long length) {
    assert stage() == Stage.FREE : this;
    role = (byte) ofRole.ordinal();
    kind = (byte) ofKind.ordinal();
    rsn = withRsn;
    lengthBytes = length;
  }

  public int rsn() {
    return rsn;
  }

  /** Returns the bytes of the message; of a pull, the most that the puller takes. */
  public long lengthBytes() {
    return lengthBytes;
  }

  /** Returns the bytes of the answer to a pull, at either side; −1 while unknown. */
  public long answerLengthBytes() {
    return answerLengthBytes;
  }

  /**
   * Returns the bytes that are to arrive or to be sent; of a pull, the answer's bytes once known.
   */
  public long payloadBytes() {
    return kind() == Kind.PULL && answerLengthBytes >= 0 ? answerLengthBytes : lengthBytes;
  }

  /**
   * Returns whether its payload comes to this side: it is a peer's push or an own pull. Otherwise
   * its payload goes out.
   */
  public boolean isIncoming() {
    return role != kind; // OWN and PUSH have the same number, and so have PEER and PULL
  }

  /** Returns the payload of a peer's push or an own pull. */
  public IncomingPayload incoming() {
    assert isIncoming() : this;
    return incoming;
  }

  /** Returns the payload of an own push or a peer's pull. */
  public OutgoingPayload outgoing() {
    assert !isIncoming() && role != NONE : this;
    return outgoing;
  }

  /** Returns whether its payload comes here, and a sink has accepted it and has not had its end. */
  public boolean isOpen() {
    return incoming.isOpen();
  }

  /** Returns whether its payload goes out, and has a source. */
  public boolean hasSource() {
    return outgoing.hasSource();
  }

  /** Keeps a copy of its application header. */
  public void keepHeader(ByteBuffer from, int index, int length) {
    assert isIn(Stage.QUEUED, Stage.ARRIVING) : this;
    if (length > 0) {
      if (header == null || header.capacity() < length) {
        header = ByteBuffer.allocate(Math.max(64, Integer.highestOneBit(2 * length - 1)));
      }
      header.put(0, from, index, length);
    }
    headerLength = length;
    isHeaderKnown = true;
  }

  /** Returns the application header: {@link #headerLength} bytes from index 0. */
  public ByteBuffer header() {
    return header == null ? EMPTY : header;
  }

  public int headerLength() {
    return headerLength;
  }

  /** Makes a push one that asks first, under this SSN. */
  public void solicit(int withSsn) {
    assert kind() == Kind.PUSH && isIn(Stage.ADMITTED, Stage.ARRIVING) : this;
    isSolicited = true;
    ssn = withSsn;
  }

  /** Returns whether it is a push that asks first. */
  public boolean isSolicited() {
    return isSolicited;
  }

  /** Returns the SSN. Valid only if {@link #isSolicited}. */
  public int ssn() {
    return ssn;
  }

  /** Returns whether the initiator of a push has said that nobody waits for its end. */
  public boolean isUnawaited() {
    return isUnawaited;
  }

  /**
   * Returns whether its initiator gave it up, after a part had left. Of a peer's: before its header
   * came, which it waits for to end in error.
   */
  public boolean isCancelled() {
    return isCancelled;
  }

  // ------------------------------------------------------------------ an own one

  /** Moves a new transaction to QUEUED: it waits for credit. {@link #number} follows. */
  void submit(Kind ofKind, long length, long withTag) {
    begin(Role.OWN, ofKind, 0, length);
    tag = withTag;
    move(Stage.QUEUED);
  }

  /** Gives it its RSN. */
  void number(int withRsn) {
    assert is(Role.OWN) && stage() != Stage.ENDED : this;
    rsn = withRsn;
  }

  /** Gives a new push its payload. */
  void carry(PayloadSource source, long handle, boolean isAwaited) {
    assert is(Role.OWN, Kind.PUSH) && stage() == Stage.QUEUED : this;
    outgoing.begin(source, handle);
    isUnawaited = !isAwaited;
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
  void restore(int withRsn, long withTag) {
    begin(Role.OWN, Kind.PUSH, withRsn, 0);
    tag = withTag;
    move(Stage.SENT);
  }

  /** Notes the length of the answer to a pull, as each part of the answer tells it. */
  public void learnAnswerLength(long bytes) {
    assert is(Role.OWN, Kind.PULL) && stage() == Stage.SENT : this;
    assert answerLengthBytes < 0 || answerLengthBytes == bytes : this + " has two lengths";
    answerLengthBytes = bytes;
  }

  /** Notes that the application gave it up. */
  void cancel() {
    assert is(Role.OWN) && stage() != Stage.ENDED && !isCancelled && !isRefused : this;
    isCancelled = true;
  }

  /** Notes that its deadline has come. */
  void expire() {
    assert is(Role.OWN) && stage() != Stage.ENDED : this;
    isOverdue = true;
  }

  /** Returns whether its deadline came and gave it up. */
  boolean isOverdue() {
    return isOverdue;
  }

  /** Notes that this side's sink does not take the answer to a pull, or no more of it. */
  public void refuse(int withCode, int withFlags) {
    assert is(Role.OWN, Kind.PULL) && isIn(Stage.SENT, Stage.ENDED) : this;
    incoming.discard();
    ending.refuse(withCode, withFlags);
  }

  /** Notes that the peer is asked to stop sending the answer, because it was refused. */
  public void stopAnswer() {
    assert is(Role.OWN, Kind.PULL) && stage() == Stage.SENT && incoming.isDiscarding() : this;
    isRefused = true;
  }

  /** Returns whether the peer was asked to stop sending the answer to a pull. */
  public boolean isRefused() {
    return isRefused;
  }

  /** Notes that the application wants to hear when the peer's transport has all of a push. */
  void wantReceipt() {
    assert is(Role.OWN, Kind.PUSH) && !isIn(Stage.SENT, Stage.ENDED) : this;
    isReceiptWanted = true;
  }

  public boolean isReceiptWanted() {
    return isReceiptWanted;
  }

  /** Returns when it is given up, if it has not ended by then, ns. */
  public long deadlineNs() {
    return heapKey(DEADLINE);
  }

  public boolean hasDeadline() {
    return deadlineNs() != NO_DEADLINE;
  }

  /** Returns the value that the application gave at submission. */
  public long tag() {
    return tag;
  }

  /** Sets its outcome. It lets go of what it holds, and {@link #end} follows. */
  void settle(Outcome as, int withCode, String withText, int withFlags) {
    assert is(Role.OWN) && stage() != Stage.ENDED : this;
    ending.settle(as, withCode, withText, withFlags);
  }

  /** Moves to ENDED: its outcome is known. */
  void end() {
    assert is(Role.OWN) && stage() != Stage.ENDED && ending.isSettled() : this;
    move(Stage.ENDED);
  }

  /** Makes a pull, which has ended, fail: its sink refused the answer before the end was told. */
  void failEnded(String withText) {
    assert is(Role.OWN, Kind.PULL) && stage() == Stage.ENDED : this;
    ending.fail(withText);
  }

  // ------------------------------------------------------------------ a peer's

  /** Moves a new transaction to ARRIVING: its first part has come. */
  void arrive(Kind ofKind, int withRsn, long length) {
    begin(Role.PEER, ofKind, withRsn, length);
    move(Stage.ARRIVING);
  }

  /** Notes that a part of a push says that nobody waits for its end. */
  public void becomeUnawaited() {
    assert is(Role.PEER, Kind.PUSH) && stage() == Stage.ARRIVING : this;
    isUnawaited = true;
  }

  /** Notes that a part of a push says that its end is waited for. */
  public void becomeAwaited() {
    assert is(Role.PEER, Kind.PUSH) : this;
    isUnawaited = false;
  }

  /** Returns whether the application header has come. */
  public boolean isHeaderKnown() {
    return isHeaderKnown;
  }

  /** Notes that the header came after the end, and is not kept. */
  public void passHeader() {
    assert is(Role.PEER, Kind.PUSH) && stage() != Stage.ARRIVING && !isHeaderKnown : this;
    isHeaderKnown = true;
  }

  /** Notes that it holds more of the peer's credit. */
  public void charge(long bytes) {
    assert is(Role.PEER) && stage() == Stage.ARRIVING : this;
    creditBytes += bytes;
  }

  /** Notes that credit which it held is given back. */
  public void giveBack(long bytes) {
    assert is(Role.PEER) && bytes <= creditBytes : this;
    creditBytes -= bytes;
  }

  /** Returns the bytes of credit that are still to be given back. */
  public long creditBytes() {
    return creditBytes;
  }

  /** Notes that its initiator gave up a push whose header has not come. */
  public void cancelOnceHeaderComes() {
    assert is(Role.PEER, Kind.PUSH) && stage() == Stage.ARRIVING && !isHeaderKnown : this;
    isCancelled = true;
  }

  /** Moves to READY: all of it is here; of a pull, its request. */
  public void becomeReady() {
    assert stage() == Stage.ARRIVING : this;
    move(Stage.READY);
  }

  /** Notes that RSN order passes it: it is delivered or skipped. */
  public void passTurn() {
    assert is(Role.PEER) && !isTurnPassed : this;
    isTurnPassed = true;
  }

  public boolean isTurnPassed() {
    return isTurnPassed;
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
   * @param unawaited whether nobody waits for its end
   */
  void passWhole(long heldBytes, boolean unawaited) {
    assert is(Role.PEER, Kind.PUSH) : this;
    isHeaderKnown = true;
    isUnawaited = unawaited;
    creditBytes = heldBytes;
    passTurn();
    deliver();
    if (heldBytes > 0) {
      incoming.add(0, lengthBytes);
      incoming.take(lengthBytes - heldBytes);
    }
  }

  /** Notes the application's answer to a pull, which it has. */
  void respond(PayloadSource source, long handle, long length) {
    assert is(Role.PEER, Kind.PULL) && isTurnPassed && answerLengthBytes < 0 : this;
    assert isIn(Stage.DELIVERED, Stage.COMPLETED) || stage() == Stage.REPORTED : this;
    outgoing.begin(source, handle);
    answerLengthBytes = length;
  }

  /** Moves to COMPLETED: the application has acknowledged it. */
  public void complete() {
    assert stage() == Stage.DELIVERED : this;
    move(Stage.COMPLETED);
  }

  /** Notes why it is about to fail: {@link #fail} follows. */
  public void blame(int withCode, String withText, int withFlags) {
    assert is(Role.PEER) && stage() != Stage.FAILED && !hasFailed : this;
    ending.explain(withCode, withText, withFlags);
  }

  /**
   * Moves to FAILED: it has ended in error. A pull may fail after its success, when its answer
   * broke off.
   */
  public void fail() {
    assert is(Role.PEER) && stage() != Stage.FAILED && !hasFailed : this;
    hasFailed = true;
    move(Stage.FAILED);
  }

  /**
   * Moves a new push to FAILED: its initiator gave it up before anything of it left, and knows its
   * end.
   *
   * @param hasSsn whether it had asked for, or would have asked under, the SSN {@code withSsn}
   */
  public void passOver(boolean hasSsn, int withSsn) {
    assert is(Role.PEER, Kind.PUSH) && stage() == Stage.ARRIVING : this;
    isSolicited = hasSsn;
    ssn = withSsn;
    isGivenUp = true;
    incoming.discard();
    fail();
  }

  /** Returns whether it ended in error, told or not. */
  public boolean hasFailed() {
    return hasFailed;
  }

  /** Returns whether its initiator gave it up before anything of it left. */
  public boolean isGivenUp() {
    return isGivenUp;
  }

  /** Notes that the packet {@code psn} carries its COMPLETE_IN_ERROR. */
  public void tellFailure(int psn) {
    assert stage() == Stage.FAILED : this;
    errorPsn = psn;
  }

  /** Returns which packet carried its COMPLETE_IN_ERROR. */
  public int errorPsn() {
    return errorPsn;
  }

  /**
   * Moves to REPORTED: the peer knows its end, or will know it from a packet that cannot be lost.
   */
  public void report() {
    assert isIn(Stage.DELIVERED, Stage.COMPLETED) || stage() == Stage.FAILED : this;
    move(Stage.REPORTED);
  }

  // ------------------------------------------------------------------ its end

  /** Returns why it ended, or is about to. */
  public Ending ending() {
    return ending;
  }

  /** Moves to FREE. It holds nothing any more, and keeps only its buffers. */
  void free() {
    assert stage() != Stage.FREE : "given back twice";
    assert !hasSource() : "the source of " + this + " was not released";
    assert incoming.held() == null : "held bytes of " + this + " were not given back";
    assert incoming.reservedBytes() == 0
        : this + " still holds " + incoming.reservedBytes() + " B of budget";
    assert isAlone() : this + " still stands in a queue, a heap or the reorder engine";
    clear();
  }

  private void clear() {
    role = NONE;
    kind = NONE;
    stage = 0;
    isSolicited = false;
    lengthBytes = 0;
    answerLengthBytes = -1;
    isUnawaited = false;
    isCancelled = false;
    headerLength = 0;
    tag = 0;
    isReceiptWanted = false;
    isOverdue = false;
    isRefused = false;
    isHeaderKnown = false;
    isTurnPassed = false;
    hasFailed = false;
    isGivenUp = false;
    creditBytes = 0;
    errorPsn = 0;
    forgetKeys();
    ending.reset();
    outgoing.reset();
    incoming.reset();
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
}
