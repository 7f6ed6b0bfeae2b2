package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.connection.ApplicationVerbs;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.netty.InboundMessage.Kind;
import io.rtransport.netty.RtChannelOption.Acknowledge;
import io.rtransport.netty.internal.loop.LoopBuffers;
import io.rtransport.netty.port.ReceiveBuffer;
import io.rtransport.netty.port.ReceiveBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * What the peer sends, from its first byte to the handler that reads it. Where bytes go is decided
 * at {@link #onOpened}; a message whose turn has come waits here until the channel reads, if that
 * does not take it at once, before anything behind it is looked at. What is not read is not
 * acknowledged, and its bytes are not taken: they keep their credit, or their share of the node's
 * solicitation budget, which is what holds the peer back. Confined to the event loop, the answering
 * verbs apart.
 */
final class ReadQueue {
  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(ReadQueue.class);
  private static final byte[] NO_HEADER = {};

  private final LinkedChannel channel;
  private final ReadLoop reading;
  private final WriteQueue writes;

  // Each from the first message on: thousands of connections may wait for one.
  private ArrayDeque<InboundMessage> ready;

  /** Without order: whole, but for what their sinks have not written. */
  private ArrayDeque<InboundMessage> settling;

  private List<InboundMessage> slots;
  private ArrayDeque<InboundMessage> free;
  private LongQueue released;

  private boolean isClosed;

  ReadQueue(LinkedChannel channel, ReadLoop reading, WriteQueue writes) {
    this.channel = channel;
    this.reading = reading;
    this.writes = writes;
  }

  // ---- what the core says

  /** A push begins: says where it goes, or refuses it, or puts it off. */
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
      discard(message); // the chooser has given it up meanwhile
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

  /** Bytes of a push that was accepted. */
  void onBytes(OutboxEntry bytes) {
    long rsn = bytes.rsn();
    int length = bytes.length();
    InboundMessage message = slots.get((int) bytes.handle());
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

  /** They wait in the message's own buffer until that is read. */
  private boolean copy(
      InboundMessage message, long offset, ByteBuffer from, int index, int length) {
    try {
      if (length == message.lengthBytes) {
        message.buffer = whole(from, index, length);
      } else {
        if (message.buffer == null) {
          message.buffer =
              channel.alloc().buffer((int) message.lengthBytes, (int) message.lengthBytes);
        }
        put(message.buffer, (int) offset, from, index, length);
      }
    } catch (OutOfMemoryError e) { // direct memory's limit, which the next message may be within
      LOGGER.warn("{}: no memory for a message, the push fails", channel, e);
      discard(message);
      return false;
    }
    message.untakenBytes += length;
    return true;
  }

  /**
   * A message that came in one piece: a slice where that is worth its receive buffer, else a copy.
   */
  private ByteBuf whole(ByteBuffer from, int index, int length) {
    if (ReceiveBuffers.isWorthSlice(length, from.capacity())) {
      ReceiveBuffer lent = channel.buffers().lentBuffer(from);
      if (lent != null) {
        return lent.bytes().retainedSlice(index, length);
      }
    }
    ByteBuf copy = channel.alloc().buffer(length, length);
    put(copy, 0, from, index, length);
    return copy.writerIndex(length);
  }

  private void put(ByteBuf to, int offset, ByteBuffer from, int index, int length) {
    if (length <= LoopBuffers.COPY_BYTES_MAX) {
      byte[] copy = channel.buffers().copyScratch();
      from.get(index, copy, 0, length);
      to.setBytes(offset, copy, 0, length);
    } else {
      ByteBuffer target = to.internalNioBuffer(offset, length);
      target.put(target.position(), from, index, length);
    }
  }

  /** A push that was accepted is whole and at its turn, or never will be whole. */
  void onDelivered(OutboxEntry delivered) {
    InboundMessage message = slots.get((int) delivered.handle());
    if (!delivered.isWhole()) {
      discard(message);
      return;
    }
    // Outside of a burst no end of a batch follows, and a deadline's work is no place for handlers.
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
      addReady(message); // what comes behind it waits too
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
   * Says which messages come to {@link #onMessage}: none where the application chooses sinks, for
   * it is asked of each push, see {@link #onOpened}.
   */
  void declare() {
    RtChannelConfig config = channel.config();
    int lengthMax = config.payloadSinks() == null ? config.maxBufferedMessage() : -1;
    verbs().takesWhole(lengthMax);
  }

  /**
   * A whole message, while all of it is in the processor's nearest cache: the application reads it
   * here, if it reads now and nothing waits before it, else it waits for that.
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
      failByTransport(rsn, CloseCode.CLOSING, false);
      return;
    }
    ByteBuf content;
    try {
      content = whole(from, index, length);
    } catch (OutOfMemoryError e) { // direct memory's limit, which the next message may be within
      LOGGER.warn("{}: no memory for a message, the push fails", channel, e);
      failByTransport(rsn, CloseCode.REFUSED_BY_SINK, false);
      return;
    }
    if (isRead) {
      if (reading.fire(reading.context(), content) == null) {
        verbs().acknowledge(rsn);
      } else {
        failBroken(rsn);
      }
      channel.link().pumpDue();
    } else {
      keep(rsn, from, headerIndex, headerLength, content);
    }
  }

  /**
   * Whether the application reads the message that comes now. Listeners of its own writes hear
   * first of those that have ended, and may do with the channel what they like, so that is asked
   * again.
   */
  private boolean isReadNow() {
    return isReading() && (!runBeforeRead() || isReading());
  }

  /**
   * Tells listeners of writes that have ended, before the application reads what may follow from
   * that.
   *
   * @return whether the application may have been called
   */
  boolean runBeforeRead() {
    return writes.completions().runBeforeRead();
  }

  /** Whether the application would read a message that comes now, and with that acknowledge it. */
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
    } catch (RuntimeException | Error e) { // no memory for its place, which ends the connection
      content.release();
      if (message != null) {
        message.buffer = null;
      }
      throw e;
    }
    channel.link().readDue();
  }

  /** The peer pulls. */
  void onRequested(OutboxEntry requested) {
    long rsn = requested.rsn();
    if (isClosed) {
      failByTransport(rsn, CloseCode.CLOSING, false);
      return;
    }
    InboundMessage message = take();
    message.kind = Kind.PULL_REQUEST;
    message.rsn = rsn;
    message.lengthBytes = requested.limitBytes();
    message.header =
        headerOf(requested.buffer(), requested.headerOffset(), requested.headerLength());
    addReady(message);
  }

  // ---- reading

  /** Whether the next message can be read now. */
  boolean hasReady() {
    if (ready == null || ready.isEmpty()) {
      return false;
    }
    RtSink sink = ready.peek().sink;
    return sink == null || sink.isSettled();
  }

  /** Whether a message waits to be read, or to be settled and then read. */
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
          new RtPullRequest(this, message.rsn, message.header, message.lengthBytes);
      give(message);
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
      failByTransport(rsn, CloseCode.REFUSED_BY_SINK, false);
      give(message);
      return;
    }
    long taken = message.untakenBytes;
    Acknowledge when = channel.config().acknowledge();
    boolean isByRelease = when == Acknowledge.ON_RELEASE;
    if (when != Acknowledge.EXPLICIT && message.header.length == 0 && message.sink == null) {
      ByteBuf content = message.buffer;
      give(message);
      if (isByRelease) {
        readReleasing(ctx, rsn, content);
      } else {
        answer(rsn, reading.fire(ctx, content));
      }
    } else {
      RtPush push =
          new RtPush(
              this,
              rsn,
              message.header,
              message.lengthBytes,
              message.buffer,
              message.sink,
              isByRelease);
      give(message);
      Throwable failure = reading.fire(ctx, push);
      if (failure != null) {
        push.failBroken();
      } else if (when == Acknowledge.ON_READ) {
        push.acknowledge();
      }
    }
    if (taken > 0 && !isByRelease) { // else its end gives them back
      verbs().taken(rsn, taken);
    }
  }

  private void readReleasing(ChannelHandlerContext ctx, long rsn, ByteBuf content) {
    ByteBuf counted =
        new AcknowledgingBuffer(channel.alloc(), content, () -> acknowledgeReleased(rsn));
    if (reading.fire(ctx, counted) != null) {
      failBroken(rsn); // before an acknowledgement that was only noted
    }
  }

  private void answer(long rsn, Throwable failure) {
    if (failure == null) {
      acknowledge(rsn);
    } else {
      failBroken(rsn);
    }
  }

  // ---- the application's answers, on any thread

  void acknowledge(long rsn) {
    if (channel.eventLoop().inEventLoop()) { // the way of almost every message: no task
      verbs().acknowledge(rsn);
      channel.link().pumpDue();
      return;
    }
    onLoop(() -> verbs().acknowledge(rsn));
  }

  /** Noted only, for a release may come from inside the core, which lets go of what it has sent. */
  void acknowledgeReleased(long rsn) {
    if (channel.eventLoop().inEventLoop()) {
      released = released == null ? new LongQueue() : released;
      released.add(rsn);
      channel.link().pumpDue();
    } else {
      onLoop(() -> acknowledgeReleased(rsn));
    }
  }

  /** Outside the core: says what was released meanwhile. */
  void settleReleased() {
    while (released != null && !released.isEmpty()) {
      verbs().acknowledge(released.poll());
    }
  }

  void fail(long rsn, int code, String text) {
    onLoop(() -> verbs().fail(rsn, code, text));
  }

  /** The application broke off over it: the peer hears that, and no more. */
  void failBroken(long rsn) {
    failByTransport(rsn, CloseCode.APPLICATION_ERROR, true);
  }

  void failByTransport(long rsn, CloseCode code, boolean isOutcomeUnknown) {
    onLoop(() -> verbs().failByTransport(rsn, code, isOutcomeUnknown));
  }

  void respond(long rsn, RtPayload payload) {
    if (!onLoop(() -> writes.addAnswer(rsn, payload))) {
      payload.release();
    }
  }

  /** False when the loop has ended, and the connection with it: then no answer counts any more. */
  private boolean onLoop(Runnable answer) {
    if (channel.eventLoop().inEventLoop()) {
      channel.onLoop(answer);
      return true;
    }
    try {
      channel.eventLoop().execute(() -> channel.onLoop(answer));
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  // ---- ends

  /**
   * The channel is closed: nothing more is read. What waits, and what still comes whole, fails: the
   * application never saw it.
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
   * Its sender hears at once that it was not executed: unanswered it would hold up the drain, to
   * end unknown with that.
   */
  private void refuse(InboundMessage message) {
    long rsn = message.rsn;
    discard(message);
    failByTransport(rsn, CloseCode.CLOSING, false);
  }

  private void discard(InboundMessage message) {
    if (message.buffer != null) {
      message.buffer.release();
    }
    if (message.sink != null) {
      message.sink.tryEnd(channel, false); // the message is given up anyhow
    }
    give(message);
  }

  private InboundMessage take() {
    if (slots == null) {
      slots = new ArrayList<>();
      free = new ArrayDeque<>();
    }
    InboundMessage message = free.poll();
    if (message == null) {
      message = new InboundMessage(slots.size());
      slots.add(message);
    }
    return message;
  }

  private void give(InboundMessage message) {
    message.clear();
    free.push(message);
  }

  /** Messages begun and not read, for tests. */
  int liveCount() {
    return slots == null ? 0 : slots.size() - free.size();
  }
}
