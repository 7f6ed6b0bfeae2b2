package io.rtransport.netty.queue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.rtransport.core.connection.ApplicationVerbs;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.queue.CompletionQueue;
import io.rtransport.core.queue.InboundBytes;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.netty.queue.WaitingMessage.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Hands what the peer begins to the consumer, in order, and no more than it has room for.
 *
 * <p>What is handed over keeps its room until it is answered, so each has a place in the ring of
 * answers. What has no room waits here: it is not acknowledged, so it keeps its credit, or its
 * share of the node's solicitation budget, and holds the peer back. Loop-confined.
 */
final class Incoming {
  private static final int NOT_WHOLE = -1;
  private static final byte[] NO_HEADER = {};

  /** Entries whose room is claimed at once. */
  private static final int CLAIMED_AT_ONCE = 64;

  private final int messageBytesMax;
  private final Runnable onStored;
  private final List<WaitingMessage> slots = new ArrayList<>();
  private final List<WaitingMessage> free = new ArrayList<>();
  private final ArrayDeque<WaitingMessage> waiting = new ArrayDeque<>();
  private Connection connection;
  private ApplicationVerbs verbs;
  private Channel channel;
  private ConnectionRings rings; // null until the consumer has seen the connection
  private CompletionQueue completions;
  private InboundBytes bytes;
  private int[] freeNumbers; // of lent buffers
  private int freeCount;
  private int wholeLengthMax;
  private int waitingMax;
  private int claimed; // room for entries that are not stored yet
  private int unanswered;
  private boolean takesWhole;
  private boolean isClosed;

  Incoming(int messageBytesMax, Runnable onStored) {
    this.messageBytesMax = messageBytesMax;
    this.onStored = onStored;
  }

  void begin(Connection newConnection, Channel newChannel) {
    connection = newConnection;
    verbs = newConnection.verbs();
    channel = newChannel; // its allocator may be set later
    waitingMax = 2 * newConnection.config().outstandingMax();
  }

  /** Begins to hand over: the consumer has seen the connection. */
  void attach(ConnectionRings newRings) {
    rings = newRings;
    completions = rings.completions;
    bytes = rings.inbound;
    wholeLengthMax = Math.min(messageBytesMax, bytes.bytes().length / 8);
    freeNumbers = new int[rings.inboundMax];
    for (int i = 0; i < freeNumbers.length; i++) {
      freeNumbers[i] = i;
    }
    freeCount = freeNumbers.length;
    onRoom();
  }

  // ---- room

  private boolean hasRoom() {
    return rings != null
        && unanswered < rings.inboundMax
        && bytes.hasRoom(wholeLengthMax + ConnectionRings.HEADER_MAX);
  }

  /** Hands over what waits, after there may be room again. */
  void onRoom() {
    while (!waiting.isEmpty() && hasRoom()) {
      handOver(waiting.poll());
    }
    declare();
  }

  /** Tells the core whether messages may come whole: there is room, and nothing waits before. */
  private void declare() {
    boolean isWanted = !isClosed && waiting.isEmpty() && hasRoom();
    if (isWanted != takesWhole) {
      takesWhole = isWanted;
      verbs.takesWhole(isWanted ? wholeLengthMax : NOT_WHOLE);
    }
  }

  // ---- messages that come whole

  void onMessage(OutboxEntry message) {
    long rsn = message.rsn();
    if (isClosed || !tryClaim()) {
      verbs.failByTransport(rsn, CloseCode.CLOSING, false);
      return;
    }
    int headerLength = message.headerLength();
    int length = message.length();
    long place = bytes.tryReserve(headerLength + length); // there is room: else none comes whole
    int offset = InboundBytes.offsetOf(place);
    if (headerLength > 0) {
      message.buffer().get(message.headerOffset(), bytes.bytes(), offset, headerLength);
    }
    message.buffer().get(message.offset(), bytes.bytes(), offset + headerLength, length);
    put(place, rsn, ConnectionRings.MESSAGE, headerLength, length);
    if (!hasRoom()) {
      declare();
    }
  }

  /**
   * Claims room for one entry. There is room, because each entry whose room is not free has no
   * answer either: so false says that the consumer has closed the queue just now.
   */
  private boolean tryClaim() {
    if (claimed == 0) {
      claimed = Math.max(0, completions.claimInbound(CLAIMED_AT_ONCE));
    }
    return claimed > 0;
  }

  private void put(long tag, long rsn, int opcode, int headerLength, long length) {
    unanswered++;
    claimed--;
    completions.storeInbound(tag, connection.cid(), (int) rsn, opcode, 0, headerLength, length);
    onStored.run();
  }

  // ---- messages in pieces

  void onOpened(OutboxEntry opened) {
    long rsn = opened.rsn();
    long length = opened.messageLength();
    if (isClosed) {
      verbs.refuse(rsn, CloseCode.CLOSING.code(), true);
      return;
    }
    if (length > messageBytesMax) {
      verbs.refuse(rsn, CloseCode.REFUSED_BY_SINK.code(), true);
      return;
    }
    byte[] header = headerOf(opened.buffer(), opened.headerOffset(), opened.headerLength());
    WaitingMessage message = take(Kind.MESSAGE, rsn, length, header);
    if (!verbs.accept(rsn, message.slot, true, Long.MAX_VALUE)) {
      discard(message);
    }
  }

  private static byte[] headerOf(ByteBuffer buffer, int index, int length) {
    if (length == 0) {
      return NO_HEADER;
    }
    byte[] header = new byte[length];
    buffer.get(index, header);
    return header;
  }

  /**
   * Gives a message its buffer, with the header in it. Not before its first byte has come: until
   * then its length is only a number that the peer has sent, without a grant of the budget.
   *
   * @return false at the limit of direct memory: the next message may fit
   */
  private boolean tryBuffer(WaitingMessage message) {
    int length = message.header.length + (int) message.length;
    try {
      message.buffer = channel.alloc().buffer(length, length);
    } catch (OutOfMemoryError e) {
      return false;
    }
    message.buffer.setBytes(0, message.header);
    return true;
  }

  private WaitingMessage take(Kind kind, long rsn, long length, byte[] header) {
    WaitingMessage message;
    if (free.isEmpty()) {
      message = new WaitingMessage(slots.size());
      slots.add(message);
    } else {
      message = free.remove(free.size() - 1);
    }
    message.kind = kind;
    message.rsn = rsn;
    message.length = length;
    message.header = header;
    return message;
  }

  private void give(WaitingMessage message) {
    message.buffer = null;
    message.header = NO_HEADER;
    free.add(message);
  }

  private void discard(WaitingMessage message) {
    if (message.buffer != null) {
      message.buffer.release();
    }
    give(message);
  }

  private static void copy(ByteBuf to, int at, ByteBuffer from, int index, int length) {
    ByteBuffer view = to.internalNioBuffer(at, length);
    view.put(view.position(), from, index, length);
  }

  void onBytes(OutboxEntry piece) {
    WaitingMessage message = slots.get((int) piece.handle());
    if (message.buffer == null && !tryBuffer(message)) {
      long rsn = message.rsn;
      discard(message);
      verbs.failSink(rsn);
      return;
    }
    int at = message.header.length + (int) piece.messageOffset();
    copy(message.buffer, at, piece.buffer(), piece.offset(), piece.length());
  }

  void onDelivered(OutboxEntry delivered) {
    WaitingMessage message = slots.get((int) delivered.handle());
    if (!delivered.isWhole()) {
      discard(message);
    } else if (message.buffer == null && !tryBuffer(message)) { // it has no bytes
      long rsn = message.rsn;
      discard(message);
      verbs.failByTransport(rsn, CloseCode.REFUSED_BY_SINK, false);
    } else {
      message.buffer.writerIndex(message.buffer.capacity());
      add(message);
    }
  }

  // ---- requests

  void onRequested(OutboxEntry requested) {
    byte[] header =
        headerOf(requested.buffer(), requested.headerOffset(), requested.headerLength());
    add(take(Kind.REQUEST, requested.rsn(), requested.limitBytes(), header));
  }

  // ---- the end of both

  /** The peer begins nothing more: the consumer hears of it behind all that it has begun. */
  void onPeerFinished() {
    add(take(Kind.END, 0, 0, NO_HEADER));
  }

  // ---- in order

  /** Hands over what is whole, or has it wait behind what came before. */
  private void add(WaitingMessage message) {
    if (isClosed) {
      refuse(message);
    } else if (waiting.isEmpty() && hasRoom()) {
      handOver(message);
    } else {
      if (waiting.size() >= waitingMax) {
        waiting.removeIf(this::isGivenUp);
      }
      waiting.add(message);
    }
    declare();
  }

  /**
   * Returns whether a message that waits is a request that the peer has given up, which frees its
   * place in the core. Gives it back then. Without such there are no more than the core allows.
   */
  private boolean isGivenUp(WaitingMessage message) {
    boolean isDead = message.kind == Kind.REQUEST && !verbs.isUnanswered(message.rsn);
    if (isDead) {
      discard(message);
    }
    return isDead;
  }

  private void refuse(WaitingMessage message) {
    if (message.kind != Kind.END) {
      verbs.failByTransport(message.rsn, CloseCode.CLOSING, false);
    }
    discard(message);
  }

  private void handOver(WaitingMessage message) {
    if (!tryClaim()) {
      refuse(message);
      return;
    }
    long rsn = message.rsn;
    int headerLength = message.header.length;
    long length = message.length;
    if (message.kind == Kind.END) {
      discard(message);
      put(0, 0, ConnectionRings.END, 0, 0);
    } else if (message.kind == Kind.REQUEST) {
      long place = bytes.tryReserve(headerLength);
      int offset = InboundBytes.offsetOf(place);
      System.arraycopy(message.header, 0, bytes.bytes(), offset, headerLength);
      discard(message);
      put(place, rsn, ConnectionRings.REQUEST, headerLength, length);
    } else {
      int number = freeNumbers[--freeCount];
      rings.lent[number] = message.buffer;
      give(message);
      put(number, rsn, ConnectionRings.LENT_MESSAGE, headerLength, length);
    }
  }

  // ---- answers

  /** Releases all that is lent: the consumer has removed the connection. */
  void releaseLent() {
    for (int number = 0; rings != null && number < rings.lent.length; number++) {
      if (rings.lent[number] != null) {
        rings.lent[number].release();
        rings.lent[number] = null;
      }
    }
  }

  /**
   * Notes that the consumer has answered messages or a request.
   *
   * @param count how many
   * @param number of the lent buffer, or negative if there is none
   */
  void onAnswered(int count, int number) {
    unanswered -= count;
    if (number >= 0) {
      rings.lent[number].release();
      rings.lent[number] = null;
      freeNumbers[freeCount++] = number;
    }
  }

  /** Returns whether the end of the peer's input waits, behind requests that it has given up. */
  boolean isEndWaiting() {
    WaitingMessage last = waiting.peekLast();
    return last != null && last.kind == Kind.END;
  }

  /** Refuses what waits and what still comes: the channel closes. */
  void close() {
    isClosed = true;
    if (claimed > 0) {
      completions.giveBackInbound(claimed);
      claimed = 0;
    }
    while (!waiting.isEmpty()) {
      refuse(waiting.poll());
    }
  }
}
