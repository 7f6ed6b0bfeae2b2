package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.connection.ApplicationVerbs;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.netty.InboundMessage.Kind;
import io.rtransport.netty.RtChannelOption.Acknowledge;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Messages of the peer, from their first byte to the handler that reads them. {@link #onOpened}
 * decides where the bytes of a message go. A message whose turn has come is read at once, before
 * any record behind it is looked at, or waits here until the channel reads.
 *
 * <p>A message that is not read is not acknowledged, and its bytes are not taken. They keep their
 * credit, or their share of the node's solicitation budget, and so hold the peer back. Confined to
 * the event loop.
 */
final class ReadQueue {
  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(ReadQueue.class);
  private static final byte[] NO_HEADER = {};

  private final LinkedChannel channel;
  private final ReadLoop reading;
  private final WriteQueue writes;

  // Each of these is made with the first message: thousands of connections may wait for one.
  private ArrayDeque<InboundMessage> ready;

  /**
   * Messages of a connection without order that are whole, but their sinks have not written all of
   * it.
   */
  private ArrayDeque<InboundMessage> settling;

  private InboundPool pool;
  private InboundAnswers answers;

  private boolean isClosed;

  ReadQueue(LinkedChannel channel, ReadLoop reading, WriteQueue writes) {
    this.channel = channel;
    this.reading = reading;
    this.writes = writes;
  }

  // ---- entries of the core

  /**
   * Takes the entry of a push that begins: accepts it with a target for its bytes, refuses it, or
   * puts it off.
   */
  void onOpened(OutboxEntry opened) {
    long rsn = opened.rsn();
    if (isClosed) {
      refuse(rsn, CloseCode.CLOSING);
      return;
    }
    if (channel.link().putsOff()) {
      return;
    }
    long lengthBytes = opened.messageLength();
    byte[] header = headerOf(opened.buffer(), opened.headerOffset(), opened.headerLength());
    RtSink sink = choose(lengthBytes, header);
    if (sink instanceof RtSink.Refusal refusal) {
      verbs().refuse(rsn, refusal.code, refusal.isFromTransport);
      return;
    }
    IOException failure = sink == null ? null : sink.tryOpen(channel, rsn, false, lengthBytes);
    if (failure != null) {
      LOGGER.warn("{}: a sink could not begin, the push is refused", channel, failure);
      refuse(rsn, CloseCode.REFUSED_BY_SINK);
    } else if (sink == null && lengthBytes > channel.config().maxBufferedMessage()) {
      refuse(rsn, CloseCode.REFUSED_BY_SINK);
    } else if (!(sink instanceof RtSink.Later)) {
      accept(rsn, lengthBytes, header, sink);
    }
  }

  private void refuse(long rsn, CloseCode code) {
    verbs().refuse(rsn, code.code(), true);
  }

  private void accept(long rsn, long lengthBytes, byte[] header, RtSink sink) {
    InboundMessage message = take();
    message.kind = Kind.PUSH;
    message.rsn = rsn;
    message.lengthBytes = lengthBytes;
    message.header = header;
    message.sink = sink;
    long untakenMax = sink == null ? Long.MAX_VALUE : sink.untakenBytesMax();
    if (!verbs().accept(rsn, message.slot, sink == null, untakenMax)) {
      discard(message); // the chooser has given the message up meanwhile
    }
  }

  private ApplicationVerbs verbs() {
    return channel.link().connection().verbs();
  }

  private RtSink choose(long lengthBytes, byte[] header) {
    PayloadSinks sinks = channel.config().payloadSinks();
    try {
      return sinks == null ? null : sinks.choose(channel, lengthBytes, header);
    } catch (RuntimeException e) {
      LOGGER.warn("{}: no sink could be chosen, the push is refused", channel, e);
      return RtSink.refuseByTransport(CloseCode.APPLICATION_ERROR);
    }
  }

  private static byte[] headerOf(ByteBuffer header, int index, int length) {
    if (length == 0) {
      return NO_HEADER;
    }
    byte[] bytes = new byte[length];
    header.get(index, bytes);
    return bytes;
  }

  /** Takes bytes of a push that was accepted. */
  void onBytes(OutboxEntry bytes) {
    long rsn = bytes.rsn();
    int length = bytes.length();
    InboundMessage message = pool.bySlot((int) bytes.handle());
    RtSink sink = message.sink;
    if (sink == null) {
      if (!copy(message, bytes.messageOffset(), bytes.buffer(), bytes.offset(), length)) {
        verbs().failSink(rsn);
      }
      return;
    }
    IOException failure =
        sink.tryWrite(channel, bytes.messageOffset(), bytes.buffer(), bytes.offset(), length);
    if (failure != null) {
      LOGGER.warn("{}: a sink failed, and with it the push", channel, failure);
      discard(message);
      verbs().failSink(rsn);
      return;
    }
    int taken = sink.takenOf(length);
    if (taken < length) {
      verbs().limitUntaken(rsn, sink.untakenBytesMax());
    }
    verbs().taken(rsn, taken);
  }

  /** Copies bytes into the message's own buffer, where they wait until it is read. */
  private boolean copy(
      InboundMessage message, long offset, ByteBuffer from, int index, int length) {
    try {
      if (length == message.lengthBytes) {
        message.buffer = InboundBuffers.whole(channel, from, index, length);
      } else {
        if (message.buffer == null) {
          message.buffer =
              channel.alloc().buffer((int) message.lengthBytes, (int) message.lengthBytes);
        }
        InboundBuffers.put(channel, message.buffer, (int) offset, from, index, length);
      }
    } catch (OutOfMemoryError e) { // the limit of direct memory; the next message may fit
      LOGGER.warn("{}: no memory for a message, the push fails", channel, e);
      discard(message);
      return false;
    }
    message.untakenBytes += length;
    return true;
  }

  /** Takes the end of an accepted push: it is whole and at its turn, or will never be whole. */
  void onDelivered(OutboxEntry delivered) {
    InboundMessage message = pool.bySlot((int) delivered.handle());
    if (!delivered.isWhole()) {
      discard(message);
      return;
    }
    // Outside a burst no end of a batch follows, and handlers must not run within a deadline's
    // work.
    boolean isRead = message.sink == null && channel.link().isReceiving() && isReadNow();
    if (isClosed) {
      refuse(message);
      return;
    }
    if (message.sink == null) {
      if (message.buffer == null) {
        message.buffer = channel.alloc().buffer(0, 0);
      }
      message.buffer.writerIndex((int) message.lengthBytes);
    }
    if (isRead) {
      read(reading.context(), message);
      return;
    }
    boolean isSettled = message.sink == null || message.sink.isSettled();
    if (isSettled || channel.link().connection().agreed().isOrdered()) {
      addReady(message); // messages behind it wait too
    } else {
      settling = settling == null ? new ArrayDeque<>() : settling;
      settling.add(message);
    }
    if (isSettled) {
      channel.link().readDue();
    } else {
      message.sink.onSettled(() -> onSettled(message));
    }
  }

  private void onSettled(InboundMessage message) {
    if (isClosed || channel.link() == null) {
      return;
    }
    if (settling != null && settling.remove(message)) {
      addReady(message);
    }
    channel.link().readDue();
  }

  /**
   * Tells the core which messages come to {@link #onMessage}. There are none if the application
   * chooses sinks: then it is asked about each push, see {@link #onOpened}.
   */
  void declare() {
    RtChannelConfig config = channel.config();
    int lengthMax = config.payloadSinks() == null ? config.maxBufferedMessage() : -1;
    verbs().takesWhole(lengthMax);
  }

  /**
   * Takes a whole message, while all of it is in the processor's nearest cache. The application
   * reads it here if it reads now and nothing waits before it. Else the message waits.
   */
  void onMessage(OutboxEntry passed) {
    pass(
        passed.rsn(),
        passed.buffer(),
        passed.headerOffset(),
        passed.headerLength(),
        passed.offset(),
        passed.length());
  }

  private void pass(
      long rsn, ByteBuffer from, int headerIndex, int headerLength, int index, int length) {
    boolean isRead = headerLength == 0 && isReadNow();
    if (isClosed) {
      answers().failByTransport(rsn, CloseCode.CLOSING, false);
      return;
    }
    ByteBuf content;
    try {
      content = InboundBuffers.whole(channel, from, index, length);
    } catch (OutOfMemoryError e) { // the limit of direct memory; the next message may fit
      LOGGER.warn("{}: no memory for a message, the push fails", channel, e);
      answers().failByTransport(rsn, CloseCode.REFUSED_BY_SINK, false);
      return;
    }
    if (isRead) {
      if (reading.fire(reading.context(), content) == null) {
        verbs().acknowledge(rsn);
      } else {
        answers().failBroken(rsn);
      }
      channel.link().pumpDue();
    } else {
      keep(rsn, from, headerIndex, headerLength, content);
    }
  }

  /**
   * Returns whether the application reads the message that comes now. Listeners of its own writes
   * are told first of writes that have ended. They may do anything with the channel, so the method
   * asks again after them.
   */
  private boolean isReadNow() {
    return isReading() && (!runBeforeRead() || isReading());
  }

  /**
   * Tells listeners of writes that have ended, before the application reads messages that may
   * follow from them.
   *
   * @return whether the application may have been called
   */
  boolean runBeforeRead() {
    return writes.completions().runBeforeRead();
  }

  /**
   * Returns whether the application would read a message that comes now, and thereby acknowledge
   * it.
   */
  private boolean isReading() {
    return !isClosed
        && !hasWaiting()
        && channel.config().acknowledge() == Acknowledge.ON_READ
        && reading.canRead();
  }

  private void keep(long rsn, ByteBuffer from, int headerIndex, int headerLength, ByteBuf content) {
    InboundMessage message = null;
    try {
      byte[] header = headerOf(from, headerIndex, headerLength);
      message = take();
      message.kind = Kind.PUSH;
      message.rsn = rsn;
      message.lengthBytes = content.readableBytes();
      message.untakenBytes = message.lengthBytes;
      message.header = header;
      message.buffer = content;
      addReady(message);
    } catch (RuntimeException | Error e) { // no memory for its place; this ends the connection
      content.release();
      if (message != null) {
        message.buffer = null;
      }
      throw e;
    }
    channel.link().readDue();
  }

  /** Takes a pull of the peer. */
  void onRequested(OutboxEntry requested) {
    long rsn = requested.rsn();
    if (isClosed) {
      answers().failByTransport(rsn, CloseCode.CLOSING, false);
      return;
    }
    dropGivenUp();
    InboundMessage message = take();
    message.kind = Kind.PULL_REQUEST;
    message.rsn = rsn;
    message.lengthBytes = requested.limitBytes();
    message.header =
        headerOf(requested.buffer(), requested.headerOffset(), requested.headerLength());
    addReady(message);
  }

  /**
   * Drops requests that the peer has given up, if so many messages wait that there must be some. A
   * request that is given up frees its place in the core, so the peer may begin another one.
   */
  private void dropGivenUp() {
    Connection connection = channel.link().connection();
    if (ready != null && ready.size() >= 2 * connection.config().outstandingMax()) {
      ready.removeIf(message -> isGivenUp(message, connection.verbs()));
    }
  }

  private boolean isGivenUp(InboundMessage message, ApplicationVerbs verbs) {
    boolean isDead = message.kind == Kind.PULL_REQUEST && !verbs.isUnanswered(message.rsn);
    if (isDead) {
      pool.give(message);
    }
    return isDead;
  }

  // ---- reading

  /** Returns whether the next message can be read now. */
  boolean hasReady() {
    if (ready == null || ready.isEmpty()) {
      return false;
    }
    RtSink sink = ready.peek().sink;
    return sink == null || sink.isSettled();
  }

  /** Returns whether a message waits to be read, or to be settled and then read. */
  boolean hasWaiting() {
    return ready != null && !ready.isEmpty() || settling != null && !settling.isEmpty();
  }

  private void addReady(InboundMessage message) {
    ready = ready == null ? new ArrayDeque<>() : ready;
    ready.add(message);
  }

  /** Gives the next message to the handlers above {@code ctx}. Calls into the application. */
  void read(ChannelHandlerContext ctx) {
    read(ctx, ready.poll());
  }

  private void read(ChannelHandlerContext ctx, InboundMessage message) {
    if (message.kind == Kind.PULL_REQUEST) {
      RtPullRequest request =
          new RtPullRequest(answers(), message.rsn, message.header, message.lengthBytes);
      pool.give(message);
      Throwable failure = reading.fire(ctx, request);
      if (failure != null) {
        request.failBroken();
      }
      return;
    }
    long rsn = message.rsn;
    IOException sinkFailure = message.sink == null ? null : message.sink.tryEnd(channel, true);
    if (sinkFailure != null) {
      LOGGER.warn("{}: a sink failed, and with it the push", channel, sinkFailure);
      answers().failByTransport(rsn, CloseCode.REFUSED_BY_SINK, false);
      pool.give(message);
      return;
    }
    long taken = message.untakenBytes;
    Acknowledge when = channel.config().acknowledge();
    boolean isByRelease = when == Acknowledge.ON_RELEASE;
    if (when != Acknowledge.EXPLICIT && message.header.length == 0 && message.sink == null) {
      ByteBuf content = message.buffer;
      pool.give(message);
      if (isByRelease) {
        readReleasing(ctx, rsn, content);
      } else {
        answer(rsn, reading.fire(ctx, content));
      }
    } else {
      RtPush push =
          new RtPush(
              answers(),
              rsn,
              message.header,
              message.lengthBytes,
              message.buffer,
              message.sink,
              isByRelease);
      pool.give(message);
      Throwable failure = reading.fire(ctx, push);
      if (failure != null) {
        push.failBroken();
      } else if (when == Acknowledge.ON_READ) {
        push.acknowledge();
      }
    }
    if (taken > 0 && !isByRelease) { // else the end of the push gives them back
      verbs().taken(rsn, taken);
    }
  }

  private void readReleasing(ChannelHandlerContext ctx, long rsn, ByteBuf content) {
    InboundAnswers own = answers(); // the last release may be on any thread
    ByteBuf counted =
        new AcknowledgingBuffer(channel.alloc(), content, () -> own.acknowledgeReleased(rsn));
    if (reading.fire(ctx, counted) != null) {
      own.failBroken(rsn); // goes before an acknowledgement that was only noted
    }
  }

  private void answer(long rsn, Throwable failure) {
    if (failure == null) {
      answers().acknowledge(rsn);
    } else {
      answers().failBroken(rsn);
    }
  }

  /** Tells the core of the messages that were acknowledged by their release. */
  void settleReleased() {
    if (answers != null) {
      answers.settleReleased();
    }
  }

  private InboundAnswers answers() {
    if (answers == null) {
      answers = new InboundAnswers(channel, writes);
    }
    return answers;
  }

  // ---- ends

  /**
   * Closes the queue: the channel is closed, and nothing more is read. Messages that wait here or
   * still come whole fail, because the application never saw them.
   */
  void close() {
    isClosed = true;
    refuseAll(ready);
    refuseAll(settling);
  }

  private void refuseAll(ArrayDeque<InboundMessage> messages) {
    while (messages != null && !messages.isEmpty()) {
      refuse(messages.poll());
    }
  }

  /**
   * Refuses {@code message}, so its sender learns at once that it was not executed. Without an
   * answer it would hold up the drain, and end with outcome unknown.
   */
  private void refuse(InboundMessage message) {
    long rsn = message.rsn;
    discard(message);
    answers().failByTransport(rsn, CloseCode.CLOSING, false);
  }

  private void discard(InboundMessage message) {
    if (message.buffer != null) {
      message.buffer.release();
    }
    if (message.sink != null) {
      message.sink.tryEnd(channel, false); // the message is given up in any case
    }
    pool.give(message);
  }

  private InboundMessage take() {
    pool = pool == null ? new InboundPool() : pool;
    return pool.take();
  }

  /** Returns the number of messages begun and not read, for tests. */
  int liveCount() {
    return pool == null ? 0 : pool.live();
  }
}
