package io.rtransport.netty.queue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.rtransport.core.connection.ApplicationVerbs;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.queue.CompletionQueue;
import io.rtransport.core.queue.SubmissionRing;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.transaction.PushSupplier;
import java.nio.ByteBuffer;

/**
 * Takes what the application has submitted into the core, and gives each of it exactly one end.
 *
 * <p>Short pushes stay in the ring until a packet has room for them: the core copies them from
 * there ({@link PushSupplier}). All others are submitted, and the core asks for their bytes later.
 * Their tag in the core is the complement of a slot here, so it is negative; that of a short push
 * is the application's. Loop-confined.
 */
final class Outgoing implements PushSupplier, PayloadSource {
  private static final int NOT_ESTABLISHED = -1;

  private final Ends ends;
  private final OwnTransactions own = new OwnTransactions();
  final GivenUpPosts givenUp;
  private Connection connection;
  private ApplicationVerbs verbs;
  private Channel channel;
  private SubmissionRing ring; // null until the consumer has seen the connection
  private CompletionQueue completions;
  private ByteBuffer ringView;
  private ByteBuffer target;
  private ByteBuffer targetView;
  private int readyLengthMax = NOT_ESTABLISHED;
  private int seen; // records that were claimed when the loop last looked
  private boolean isEstablished;
  private boolean waitsForRoom;

  /**
   * @param onDue called by the loop when a post that waits here is late
   */
  Outgoing(Ends ends, LoopQueue queue, Runnable onDue) {
    this.ends = ends;
    givenUp = new GivenUpPosts(this::endWaiting, queue, onDue);
  }

  void begin(Connection newConnection, Channel newChannel) {
    connection = newConnection;
    verbs = newConnection.verbs();
    channel = newChannel; // its allocator may be set later
  }

  void attach(ConnectionRings rings) {
    ring = rings.submissions;
    completions = rings.completions;
    seen = ring.next();
    ringView = ByteBuffer.wrap(ring.bytes());
    givenUp.attach(rings);
    if (isEstablished) {
      givenUp.begin(verbs);
    }
  }

  void onEstablished() {
    isEstablished = true;
    readyLengthMax = verbs.readyPushLengthMax();
    if (ring != null) {
      givenUp.begin(verbs);
    }
  }

  void onRoom() {
    waitsForRoom = false;
  }

  /**
   * Gives up what was cancelled or is late, and takes what waits in the ring: called in a turn,
   * outside the core.
   */
  void takeSubmitted() {
    if (ring == null) {
      return;
    }
    look();
    givenUp.giveUp();
    if (isEstablished && hasRecord()) {
      submitOthers();
      verbs.pushesReady();
    }
    givenUp.setTimer();
  }

  /**
   * Looks how much was submitted. The loop goes no further until it looks again, which it does
   * whenever the bell was rung: if it followed the submitters record by record, all would write and
   * read the same cache lines in turn.
   */
  private void look() {
    seen = ring.claimed();
  }

  private boolean hasRecord() {
    return ring != null && ring.next() != seen && ring.hasNext();
  }

  /** Returns whether nothing waits that the application has submitted. */
  boolean isEmpty() {
    return ring == null || ring.isEmpty();
  }

  /** Returns whether a record is claimed and not published, so that those behind it wait. */
  boolean isHeldUp() {
    return ring != null && !ring.isEmpty() && !ring.hasNext();
  }

  // ---- short pushes: calls of the core

  @Override
  public boolean hasNext() {
    return !waitsForRoom && hasRecord();
  }

  @Override
  public int nextLengthBytes() {
    if (ring == null || submitOthers() || waitsForRoom || !hasRecord()) {
      return NONE;
    }
    return (int) ring.length();
  }

  @Override
  public void fill(Packet packet) {
    packet.awaited(); // who polls needs the end to post the next
    while (hasRecord() && isShort()) {
      int length = (int) ring.length();
      if (packet.put(ring.bytes(), ring.offset(), length, ring.tag()) == Packet.FULL) {
        break;
      }
      ring.take(length);
    }
    ring.free();
  }

  private boolean isShort() {
    return ring.isPlain(ConnectionRings.COPIED)
        && ring.headerLength() == 0
        && ring.length() <= readyLengthMax;
  }

  // ---- all others

  /**
   * Submits what stands before the next short push.
   *
   * @return whether something was submitted
   */
  private boolean submitOthers() {
    boolean isAny = false;
    while (!waitsForRoom && hasRecord() && !isShort()) {
      if (submitNext()) {
        isAny = true;
      }
    }
    ring.free();
    return isAny;
  }

  private boolean submitNext() {
    if (isOver()) {
      return false;
    }
    if (givenUp.isNextDue()) {
      refuseNext(CloseCode.DEADLINE);
      return false;
    }
    AgreedParameters agreed = connection.agreed();
    boolean isPull = ring.kind() == ConnectionRings.PULL;
    long lengthMax =
        isPull ? connection.config().messageLengthMax() : agreed.tx().messageLengthMax();
    if (ring.length() > lengthMax || ring.headerLength() > agreed.both().headerLengthMax()) {
      refuseNext(CloseCode.REFUSED_BY_SINK);
      return false;
    }
    OwnTransaction transaction = own.take();
    transaction.tag = ring.tag();
    transaction.isPull = isPull;
    if (!isPull) {
      transaction.payload = payloadOfNext();
    }
    long rsn = verbs.nextSubmission();
    boolean isTaken = isPull ? submitPull(transaction) : submitPush(transaction);
    if (!isTaken) {
      waitsForRoom = true; // ROOM follows, or the end of the connection
      giveBack(transaction);
      return false;
    }
    if (ring.hasDeadline(ring.next())) {
      verbs.deadline(rsn, ring.deadlineNs(ring.next()));
    }
    takeNext();
    return true;
  }

  /** Returns the payload of the next record: what was lent, or a copy that the core may keep. */
  private ByteBuf payloadOfNext() {
    if (ring.kind() == ConnectionRings.LENT) {
      return (ByteBuf) ring.lent();
    }
    int length = (int) ring.length();
    int offset = ring.offset() + ring.headerLength();
    return channel.alloc().buffer(length, length).writeBytes(ring.bytes(), offset, length);
  }

  /** Gives back a record that was not taken: what was lent stays in the ring. */
  private void giveBack(OwnTransaction transaction) {
    if (transaction.payload != null && ring.kind() != ConnectionRings.LENT) {
      transaction.payload.release();
    }
    transaction.payload = null;
    own.give(transaction);
  }

  private boolean submitPush(OwnTransaction push) {
    return verbs.submitPush(
        this,
        push.slot,
        ring.length(),
        ringView,
        ring.offset(),
        ring.headerLength(),
        ~(long) push.slot);
  }

  private boolean submitPull(OwnTransaction pull) {
    return verbs.submitPull(
        ring.length(), ringView, ring.offset(), ring.headerLength(), ~(long) pull.slot);
  }

  private void takeNext() {
    boolean isCopied =
        ring.kind() == ConnectionRings.COPIED || ring.kind() == ConnectionRings.GIVEN_UP;
    ring.take(ring.headerLength() + (isCopied ? (int) ring.length() : 0));
  }

  /** Takes the next record, of which no transaction has begun. */
  private void passNext() {
    takeNext();
    givenUp.onPassed();
  }

  /** Takes the next record if nothing is to be done of it. */
  private boolean isOver() {
    if (ring.isEnded()) {
      passNext();
      return true;
    }
    if (ring.kind() == ConnectionRings.GIVEN_UP) { // its submitter got an exception
      passNext();
      ring.free(); // before the room: a record is free before its entry is
      completions.giveBack(1);
      return true;
    }
    return false;
  }

  private void refuseNext(CloseCode code) {
    if (!isOver()) {
      endWaiting(code, ring.next());
    }
  }

  /**
   * Ends a record that waits, as not executed. It keeps its place until those before it are taken,
   * and no longer: where no end is to come that makes room, all room is free.
   *
   * @param post its number
   */
  private void endWaiting(CloseCode code, int post) {
    int opcode =
        ring.kind(post) == ConnectionRings.PULL
            ? ConnectionRings.PULL_ENDED
            : ConnectionRings.PUSH_ENDED;
    long tag = ring.tag(post);
    if (ring.end(post) instanceof ByteBuf payload) {
      payload.release();
    }
    while (ring.hasNext() && ring.isEnded()) {
      passNext();
    }
    ring.free();
    ends.store(
        tag, opcode, Outcome.NOT_EXECUTED, true, code.code(), "", 0, ConnectionRings.NO_BUFFER);
  }

  /** Ends all that was submitted and did not leave: the connection has ended. */
  void failAll(CloseCode code) {
    if (ring == null) {
      return;
    }
    look();
    while (hasRecord()) {
      refuseNext(code);
    }
    ring.free();
    givenUp.close();
  }

  // ---- answers to the peer's pulls

  void respond(long rsn, ByteBuf payload) {
    OwnTransaction answer = own.take();
    answer.payload = payload;
    answer.isOver = true; // no end follows that has its slot
    boolean isTaken = false;
    try {
      isTaken = verbs.respond(rsn, this, answer.slot, payload.readableBytes());
    } catch (IllegalArgumentException e) { // longer than the peer wanted
      verbs.failByTransport(rsn, CloseCode.APPLICATION_ERROR, true);
    }
    if (!isTaken) {
      onReleased(answer);
    }
  }

  // ---- payloads

  @Override
  public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
    OwnTransaction transaction = own.at(handle);
    ByteBuf payload = transaction.payload;
    if (to != target) {
      target = to;
      targetView = to.duplicate();
    }
    int from = payload.readerIndex() + (int) offset;
    payload.getBytes(from, targetView.limit(index + length).position(index));
    if (offset + length == payload.readableBytes()) {
      onReleased(transaction);
    }
    return length;
  }

  void onSourceReleased(long handle) {
    onReleased(own.at(handle));
  }

  private void onReleased(OwnTransaction transaction) {
    OwnTransactions.release(transaction);
    if (transaction.isOver) {
      own.give(transaction);
    }
  }

  // ---- answers to own pulls

  void onAnswerOpened(OutboxEntry opened) {
    OwnTransaction pull = own.at(~opened.tag());
    int length = (int) opened.messageLength(); // no longer than the pull wanted
    try {
      pull.answer = channel.alloc().buffer(length, length);
    } catch (OutOfMemoryError e) { // the limit of direct memory; the next answer may fit
      verbs.refuseAnswer(opened.rsn(), CloseCode.REFUSED_BY_SINK.code(), true);
      return;
    }
    if (!verbs.acceptAnswer(opened.rsn(), pull.slot, Long.MAX_VALUE)) {
      dropAnswer(pull);
    }
  }

  void onAnswerBytes(OutboxEntry bytes) {
    ByteBuf answer = own.at(bytes.handle()).answer;
    ByteBuffer view = answer.internalNioBuffer((int) bytes.messageOffset(), bytes.length());
    view.put(view.position(), bytes.buffer(), bytes.offset(), bytes.length());
    verbs.takenOfPull(bytes.rsn(), bytes.length());
  }

  void onAnswerDelivered(OutboxEntry delivered) {
    OwnTransaction pull = own.at(delivered.handle());
    if (delivered.isWhole()) {
      pull.answer.writerIndex(pull.answer.capacity());
    } else {
      dropAnswer(pull);
    }
  }

  private static void dropAnswer(OwnTransaction pull) {
    pull.answer.release();
    pull.answer = null;
  }

  // ---- ends

  void onEnded(OutboxEntry end) {
    if (end.tag() >= 0) {
      for (int i = 0; i < end.count(); i++) {
        ends.store(
            end.tag(),
            ConnectionRings.PUSH_ENDED,
            end.outcome(),
            end.isFromTransport(),
            end.code(),
            end.text(),
            0,
            ConnectionRings.NO_BUFFER);
      }
      return;
    }
    OwnTransaction transaction = own.at(~end.tag());
    ByteBuf answer = transaction.answer;
    transaction.answer = null;
    int buffer = ConnectionRings.NO_BUFFER;
    int length = 0;
    if (answer != null && end.outcome() == Outcome.COMPLETED) {
      length = answer.readableBytes();
      buffer = ends.lend(answer);
    } else if (answer != null) {
      answer.release();
    }
    ends.store(
        transaction.tag,
        transaction.isPull ? ConnectionRings.PULL_ENDED : ConnectionRings.PUSH_ENDED,
        end.outcome(),
        end.isFromTransport(),
        end.code(),
        end.text(),
        length,
        buffer);
    transaction.isOver = true;
    if (transaction.payload == null) {
      own.give(transaction);
    }
  }
}
