package io.rtransport.netty.queue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.queue.CompletionQueue;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.internal.loop.LinkApplication;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopDrivers;
import io.rtransport.netty.internal.loop.LoopLink;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A connection's side of its queues on the event loop: moves what the core tells into the rings,
 * and what stands in the rings into the core.
 *
 * <p>The consumer's threads leave work in the rings and {@link #ring}. All other methods are
 * confined to the event loop, except where one says otherwise.
 */
final class QueueLink implements LinkApplication, Ends {
  // Kinds of link events: what happened to a connection.
  static final int OPENED = 0;
  static final int CLOSED = 1;
  static final int FINISHED = 2;

  private static final long LOOK_AGAIN_MILLIS = 10;
  private static final long LOOK_FINISHED_MILLIS = 500;

  final LoopQueue queue;
  final Outgoing outgoing;
  private final Incoming incoming;
  private final Answers answers;
  private final int connectionsMax;
  private final Runnable task = this::onTask;
  private final Runnable work = this::work;
  private LoopDriver driver;
  private LoopLink link; // null before there is a connection
  private Connection connection;
  private volatile LinkRails rails; // null before there is a connection
  private RtChannel channel;
  private ConnectionRings rings; // null until the consumer has seen the connection
  private CompletionQueue completions;
  private int nextPulled;
  private int unannounced;
  private boolean isWorkDue;
  private boolean isLookingAgain;
  private boolean isFinishing;
  private boolean isFinished;
  private boolean isClosing;
  private boolean isEnded;
  private boolean isFinishUntold;
  private boolean isAfterLoop;
  private int closeCode = CloseCode.NORMAL.code();
  private String closeText = "";
  private volatile CloseReason reason;

  QueueLink(LoopQueue queue, RtQueueConfig config) {
    this.queue = queue;
    outgoing = new Outgoing(this, queue, this::look);
    connectionsMax = config.connectionsMax();
    incoming = new Incoming(config.messageBytesMax(), this::onStored);
    answers = new Answers(outgoing, incoming);
  }

  // ---- begin

  /** Takes the connection of {@code newChannel}. */
  QueueLink begin(Channel newChannel, Connection newConnection) {
    channel = (RtChannel) newChannel;
    connection = newConnection;
    rails = new LinkRails(newConnection);
    driver = LoopDrivers.of(queue.loop);
    outgoing.begin(newConnection, newChannel);
    incoming.begin(newConnection, newChannel);
    answers.begin(newConnection.verbs());
    if (isClosing) {
      limitClose();
    }
    newChannel.closeFuture().addListener(closed -> driver.inTurn(incoming::close));
    return this;
  }

  /** Sets the rings, before the loop knows of this link: of a connection that this side begins. */
  void rings(ConnectionRings newRings) {
    rings = newRings;
    completions = newRings.completions;
    outgoing.attach(newRings);
    answers.attach(newRings);
  }

  /** Begins to hand over: the consumer has seen the accepted connection. */
  void attach(ConnectionRings newRings) {
    rings(newRings);
    if (isEnded) {
      endRings();
    } else {
      incoming.attach(rings);
    }
    driver.inTurn(work);
  }

  /** Ends a connection that never began: the channel could not connect. Any thread. */
  void onNoConnection(Throwable cause) {
    try {
      queue.loop.execute(() -> endUnbegun(String.valueOf(cause.getMessage())));
    } catch (RejectedExecutionException e) {
      // The loop has ended: the consumer ends it.
    }
  }

  private void endUnbegun(String why) {
    if (connection == null && !isEnded) {
      end(new CloseReason(CloseCode.UNREACHABLE.code(), why, false));
      announce();
    }
  }

  /** Returns the connection; null before there is one. */
  Connection connection() {
    return connection;
  }

  /** Returns why the connection ended; null while it lives. Any thread. */
  CloseReason reason() {
    return reason;
  }

  /** Returns the peer's address of a rail; null if it was never open. Any thread. */
  InetSocketAddress remote(int rail) {
    LinkRails ofConnection = rails;
    return ofConnection == null ? null : ofConnection.remote(rail);
  }

  // ---- calls of the channel's link

  @Override
  public void onDriven() {
    if (completions != null && !isEnded && connection.isEstablished()) {
      rails.look(queue.events, completions, connectionsMax);
    }
    lookAgain();
  }

  @Override
  public PushSupplier pushSupplier() {
    return outgoing;
  }

  @Override
  public void onEntry(Connection of, OutboxEntry entry) {
    switch (entry.kind()) {
      case ENDED -> outgoing.onEnded(entry);
      case MESSAGE -> incoming.onMessage(entry);
      case OPENED -> {
        if (entry.isAnswer()) {
          outgoing.onAnswerOpened(entry);
        } else {
          incoming.onOpened(entry);
        }
      }
      case BYTES -> {
        if (entry.isAnswer()) {
          outgoing.onAnswerBytes(entry);
        } else {
          incoming.onBytes(entry);
        }
      }
      case DELIVERED -> {
        if (entry.isAnswer()) {
          outgoing.onAnswerDelivered(entry);
        } else {
          incoming.onDelivered(entry);
        }
      }
      case REQUESTED -> incoming.onRequested(entry);
      case SOURCE_RELEASED -> outgoing.onSourceReleased(entry.handle());
      case ROOM -> {
        outgoing.onRoom();
        workDue();
      }
      default -> onLife(entry);
    }
  }

  private void onLife(OutboxEntry entry) {
    switch (entry.kind()) {
      case ESTABLISHED -> {
        outgoing.onEstablished();
        rails.onEstablished();
        if (rings != null) {
          incoming.attach(rings);
          workDue();
          tell(OPENED, 0);
        }
      }
      case MOVED -> rails.onMoved(queue.events, completions, connectionsMax);
      case PEER_FINISHED -> incoming.onPeerFinished();
      case CLOSED -> end(new CloseReason(entry.code(), entry.text(), entry.isByPeer()));
      default -> {
        // of no use to a consumer
      }
    }
  }

  private void workDue() {
    isWorkDue = true;
    driver.due(link());
  }

  @Override
  public void settle() {
    if (isWorkDue) {
      isWorkDue = false;
      work();
    }
    announce();
    advanceClose();
  }

  private void onStored() {
    unannounced++;
    if (link() != null && !isAfterLoop) {
      driver.due(link);
    }
  }

  private LoopLink link() {
    if (link == null && connection != null) {
      link = (LoopLink) connection.attachment();
    }
    return link;
  }

  private void announce() {
    if (unannounced > 0) {
      int count = unannounced;
      unannounced = 0;
      queue.announce(completions, count, queue.loop.ticker().nanoTime());
    }
  }

  private void tell(int kind, int code) {
    if (completions != null) {
      queue.events.putLinkEvent(completions.slot(), kind, code);
    }
  }

  // ---- ends

  @Override
  public void store(
      long tag,
      int opcode,
      Outcome outcome,
      boolean isFromTransport,
      int code,
      String text,
      long bytes,
      int buffer) {
    boolean isSaid = text.isEmpty() || !ConnectionRings.textOf(code).isEmpty();
    int textBit = isSaid ? 0 : ConnectionRings.HAS_TEXT;
    if (textBit != 0) {
      rings.texts.add(text);
    }
    int status =
        outcome.ordinal() | (isFromTransport ? ConnectionRings.FROM_TRANSPORT : 0) | textBit;
    int cid = connection == null ? 0 : connection.cid();
    completions.store(tag, cid, buffer, opcode, status, code, bytes);
    onStored();
  }

  @Override
  public int lend(ByteBuf answer) {
    int number = nextPulled;
    nextPulled = number + 1 == rings.pulled.length ? 0 : number + 1;
    rings.pulled[number] = answer;
    return number;
  }

  private void end(CloseReason why) {
    isEnded = true;
    reason = why;
    isFinishUntold = why.code() == CloseCode.NORMAL.code() && incoming.isEndWaiting();
    incoming.close();
    if (rings != null) {
      endRings();
    }
  }

  private void endRings() {
    completions.close();
    outgoing.failAll(codeOfRest());
    announce(); // before the news of the end: then all that it needs is known
    if (isFinishUntold) {
      tell(FINISHED, 0);
    }
    tell(CLOSED, reason.code());
    lookAgain();
  }

  /**
   * Does what the event loop would, if that has ended: ends posts that were published after it, and
   * what never began. The consumer, at each poll: once the loop has ended, nobody else touches what
   * was the loop's.
   *
   * @param ofConsumer the rings, which the loop may not have heard of
   */
  void afterLoop(ConnectionRings ofConsumer) {
    if (!queue.loop.isTerminated()) {
      return;
    }
    isAfterLoop = true;
    boolean isNew = rings == null;
    if (isNew) {
      rings(ofConsumer);
    }
    endUnbegun("the event loop has ended");
    if (isEnded && isNew) {
      endRings();
    } else if (isEnded) {
      outgoing.failAll(codeOfRest());
      announce();
    }
  }

  private CloseCode codeOfRest() {
    int code = reason.code();
    CloseCode[] all = CloseCode.values();
    return code > 0 && code < all.length ? all[code] : CloseCode.CLOSING;
  }

  // ---- work that the consumer's threads leave

  /** Has the loop look at the rings, after their bell was rung. Any thread. */
  void schedule() {
    try {
      queue.loop.execute(task);
    } catch (RejectedExecutionException e) {
      // The loop has ended, and the connection with it.
    }
  }

  private void onTask() {
    rings.bell.answer();
    look();
  }

  private void look() {
    if (connection != null) {
      driver.inTurn(work);
      return;
    }
    if (isEnded) { // it never began
      outgoing.failAll(codeOfRest());
    } else {
      outgoing.takeSubmitted();
    }
    announce();
    lookAgain();
  }

  private void work() {
    LoopLink driven = link();
    if (driven == null) {
      return;
    }
    try {
      answers.take();
      if (isEnded) {
        outgoing.failAll(codeOfRest());
        driver.due(driven);
        lookAgain();
        return;
      }
      if (isFinished) { // a post that was claimed before the finish, and published after it
        outgoing.failAll(CloseCode.CLOSING);
      }
      outgoing.takeSubmitted();
      driven.drive();
      if (isFinishing || isClosing) {
        driver.due(driven);
      }
      lookAgain();
    } catch (RuntimeException | Error e) {
      driven.onDefect(e);
    }
  }

  /**
   * Looks again soon, where posts are not flushed by themselves: one was claimed and is published a
   * little later, and those behind it were flushed before, or the connection has ended. After a
   * finish, posts that are under way look the same, so there it looks seldom.
   */
  private void lookAgain() {
    if (isLookingAgain || isAfterLoop || rings == null || rings.isAutoFlush) {
      return;
    }
    if (isEnded || isFinished ? completions.unstored() > 0 : outgoing.isHeldUp()) {
      isLookingAgain = true;
      long millis = isEnded || !isFinished ? LOOK_AGAIN_MILLIS : LOOK_FINISHED_MILLIS;
      queue.loop.schedule(this::onLookingAgain, millis, TimeUnit.MILLISECONDS);
    }
  }

  private void onLookingAgain() {
    isLookingAgain = false;
    look();
  }

  /**
   * Releases what was lent and not answered. The consumer, after it has removed the connection: no
   * answer follows.
   */
  void dispose() {
    try {
      queue.loop.execute(answers::dispose);
    } catch (RejectedExecutionException e) { // it has run all its tasks once it has ended
      queue.loop.terminationFuture().addListener(ended -> answers.dispose());
    }
  }

  // ---- the end that this side asks for

  /** Begins nothing more behind all that was submitted. Any thread. */
  void finish() {
    try {
      queue.loop.execute(
          () -> {
            isFinishing = true;
            if (connection != null && !isEnded) {
              workDue(); // posts that were not flushed leave, too
            }
          });
    } catch (RejectedExecutionException e) {
      // The loop has ended, and the connection with it.
    }
  }

  /** Closes the connection behind all that was submitted. Any thread. */
  void close(int code, String text) {
    try {
      queue.loop.execute(() -> onClose(code, text));
    } catch (RejectedExecutionException e) {
      // The loop has ended, and the connection with it.
    }
  }

  private void onClose(int code, String text) {
    if (isClosing) {
      return;
    }
    isClosing = true;
    closeCode = code;
    closeText = text;
    if (connection != null && !isEnded) {
      limitClose();
      workDue(); // posts that were not flushed leave, too
    }
  }

  /** Closes the channel after the close timeout, though something waits in the ring. */
  private void limitClose() {
    long timeoutNs = connection.config().closeTimeoutNs();
    queue.loop.schedule(this::closeChannel, timeoutNs, TimeUnit.NANOSECONDS);
  }

  /** Ends the output, or closes the channel, once nothing waits in the ring. */
  private void advanceClose() {
    if (isFinishing && channel.isActive() && outgoing.isEmpty()) {
      isFinishing = false;
      isFinished = true;
      channel.shutdownOutput();
    }
    if (isClosing && !isEnded && outgoing.isEmpty()) {
      closeChannel();
    }
  }

  private void closeChannel() {
    if (channel.isOpen()) {
      if (closeCode == CloseCode.NORMAL.code()) {
        channel.close();
      } else {
        channel.close(closeCode, closeText);
      }
    }
  }
}
