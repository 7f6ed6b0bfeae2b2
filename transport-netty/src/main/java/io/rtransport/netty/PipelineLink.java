package io.rtransport.netty;

import io.netty.channel.ChannelHandlerContext;
import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.ConnectionListener;
import io.rtransport.core.connection.Link;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.transaction.ReadyPushes;
import io.rtransport.core.transaction.TransactionListener;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.core.wire.PacketBurst;
import io.rtransport.netty.flight.ConnectionFlight;
import io.rtransport.netty.handler.BurstStages;
import io.rtransport.netty.port.RtPort;
import java.nio.ByteBuffer;

/**
 * One connection's {@link Link} through its channel's pipeline, and the ear for what the core
 * tells. It lives from the connection's first packet until the core forgets it, which is longer
 * than the channel is open: a channel that closes leaves what it had flushed to drain here, and
 * from then on the stages are joined by plain calls, for no handler is left.
 *
 * <p>What the core tells is only noted; {@link #settle} passes it on, outside the core's calls. But
 * messages that a burst brings are read at once, between its records ({@link ReadQueue}).
 */
final class PipelineLink
    implements Link, TransactionListener, ConnectionListener, BurstStages, LinkTable.Entry {
  // How far up the current burst has come: numbers, for each store of a reference into an old
  // object costs the garbage collector's barrier.
  private static final int AT_PORT = 0;
  private static final int AT_WIRE = 1;
  private static final int AT_WINDOW = 2;
  private static final int AT_SOLICITATION = 3;

  private final RtChannel channel;
  private final LoopDriver driver;
  private final RtPort port;
  private final Connection connection;
  private final WriteQueue writes;
  private final ReadLoop reading;
  private final LinkApplication application;
  private final ConnectionFlight flight;
  private final LinkClosing closing;
  private final LinkDefects defects;
  private final ChildArrival arrival;
  private int stage = AT_PORT;
  private boolean isPiped;
  private boolean hasHandlers;
  private boolean isQueued;
  private boolean isReceiving;
  private ChannelHandlerContext receivingFrom;
  private boolean isActivationDue;
  private boolean isBatchDue;
  private boolean isCompleteDue;
  private boolean isReadDue;
  private boolean isPumpDue;
  private boolean isUnreachableDue;
  private CloseReason reason;
  private boolean isEndTold;
  private boolean isForgotten;
  private long pipelineEvents;

  PipelineLink(RtChannel channel, LoopDriver driver, RtPort port, Connection connection) {
    this.channel = channel;
    this.driver = driver;
    this.port = port;
    this.connection = connection;
    this.writes = channel.writes();
    this.reading = channel.reading();
    this.application = driver.application();
    this.flight = new ConnectionFlight(connection);
    this.closing = new LinkClosing(this, driver, connection, writes);
    this.arrival = new ChildArrival(channel, this, driver);
    this.defects = new LinkDefects(this, driver, connection, closing);
    if (application == null) {
      connection.attach(this, reading.queue(), this, this);
    } else {
      connection.attach(this, application.sink(), application.transactions(), this);
    }
  }

  Connection connection() {
    return connection;
  }

  RtChannel channel() {
    return channel;
  }

  @Override
  public RtPort port() {
    return port;
  }

  long pipelineEvents() {
    return pipelineEvents;
  }

  /** From now on bursts pass the channel's handlers. */
  void pipe() {
    hasHandlers = true;
    isPiped = true;
    declare();
  }

  /** Says which messages are given whole, once they can be read and whenever that changes. */
  void declare() {
    if (hasHandlers && application == null) {
      reading.queue().declare();
    }
  }

  /**
   * Whether the channel has ever been registered: before that its handlers can be told of nothing.
   */
  boolean hasHandlers() {
    return hasHandlers;
  }

  /** How it waits for its handlers. */
  ChildArrival arrival() {
    return arrival;
  }

  // ---- the link

  /**
   * A burst comes in, of which nothing is read any more when this returns.
   *
   * @param from the handler above which it begins its way up; null: below all of them
   */
  void receiveBurst(ChannelHandlerContext from, PacketBurst burst, long nowNs) {
    isBatchDue = true;
    driver.due(this);
    if (defects.isAny()) {
      return; // only its end may follow
    }
    isReceiving = true;
    if (from != null) {
      receivingFrom = from;
    }
    try {
      connection.receive(burst, nowNs);
    } catch (RuntimeException | Error e) {
      onDefect(e);
    } finally {
      isReceiving = false;
      if (from != null) {
        receivingFrom = null;
      }
    }
  }

  /** Whether a burst is being read: then the end of its batch follows. */
  boolean isReceiving() {
    return isReceiving;
  }

  @Override
  public void receive(PacketBurst burst, long nowNs) {
    stage = AT_PORT;
    if (!isPiped) {
      wire(burst);
      window(burst);
      solicitation(burst);
      transaction(burst);
    } else if (receivingFrom == null) {
      channel.pipeline().fireChannelRead(burst);
    } else {
      receivingFrom.fireChannelRead(burst);
    }
  }

  @Override
  public void transmit(PacketBurst burst, long nowNs) {
    flight.onTurn();
    if (!isPiped || defects.isAny()) { // what threw once does not see the last packets
      send(burst);
      return;
    }
    try {
      channel.transmit(burst);
    } catch (RuntimeException | Error e) { // a tap's, which must not unwind the core
      onDefect(e);
    }
  }

  /** The bottom of the pipeline. */
  void send(PacketBurst burst) {
    for (int i = 0; i < burst.count(); i++) {
      int path = burst.pathIndex(i);
      if (path != 0 && !burst.isDropped(i)) { // to where the peer may have moved
        port.send(burst.buffer(i), burst.offset(i), burst.length(i), connection.remote(path));
        burst.drop(i);
      }
    }
    port.send(burst, connection.remote());
  }

  @Override
  public boolean hasRoom(int pathIndex) {
    return port.hasRoom();
  }

  @Override
  public boolean mayHaveUnread() {
    return driver.mayHaveUnread(port);
  }

  @Override
  public int datagramLengthMax() {
    return port.datagramLengthMax();
  }

  // ---- the stages

  @Override
  public void wire(PacketBurst burst) {
    if (!isReceiving) { // its packets might be gone before they are read
      throw new IllegalStateException("a handler's own burst, valid: by SublayerPipeline.receive");
    }
    stage = AT_WIRE;
    connection.wire().onBurst(burst, driver.nowNs());
  }

  @Override
  public void window(PacketBurst burst) {
    if (stage == AT_WIRE) {
      stage = AT_WINDOW;
      connection.onBurstAtWindow(burst, driver.nowNs());
    }
  }

  @Override
  public void solicitation(PacketBurst burst) {
    if (stage == AT_WINDOW) {
      stage = AT_SOLICITATION;
      connection.onBurstAtSolicitation(burst, driver.nowNs());
    }
  }

  @Override
  public void transaction(PacketBurst burst) {
    if (stage == AT_SOLICITATION) {
      connection.onBurstAtTransaction();
      readReady();
    }
  }

  /** Nothing is read behind a message over which a defect came up. */
  private void readReady() {
    if (isPiped && !defects.isAny()) {
      reading.readReady();
    }
  }

  @Override
  public void complete() {
    if (!isCompleteDue) {
      return; // an event of a handler's own: the batch's comes when that is over, and once
    }
    isCompleteDue = false;
    isPumpDue = false;
    writes.completions().run(); // what listeners write then leaves at once
    submit();
    connection.receiveComplete(driver.nowNs());
    channel.writability().longPathBytes(connection.longPathBytes());
  }

  @Override
  public void countEvent() {
    pipelineEvents++;
  }

  // ---- what the core tells

  @Override
  public void onEstablished() {
    channel.onEstablished();
    if (application != null) {
      application.onEstablished();
    }
  }

  @Override
  public void onPeerFinished() {
    if (application == null) {
      reading.onPeerFinished();
      driver.due(this);
    } else {
      application.onPeerFinished();
    }
  }

  @Override
  public void onClosed(CloseReason closeReason) {
    reason = closeReason;
    flight.onClosed(closeReason);
    driver.due(this);
    if (application != null) {
      application.onClosed(closeReason);
    }
  }

  @Override
  public void onMoved() {
    channel.onMoved();
  }

  @Override
  public void onForgotten() {
    isForgotten = true;
    driver.remove(this);
    port.release();
  }

  @Override
  public void onPullRequest(
      long rsn, long lengthBytesMax, ByteBuffer header, int index, int length) {
    reading.queue().onPullRequest(rsn, lengthBytesMax, header, index, length);
    readDue();
  }

  @Override
  public void onEnded(long tag, Outcome outcome, int code, String text) {
    onEnded(tag, outcome, code, text, outcome != Outcome.FAILED);
  }

  @Override
  public void onEnded(long tag, Outcome outcome, int code, String text, boolean isFromTransport) {
    writes.completions().onEnded(tag, outcome, code, text, isFromTransport);
    driver.due(this);
  }

  @Override
  public void onSourceReleased(long handle) {
    writes.onSourceReleased(handle);
  }

  @Override
  public ReadyPushes readyPushes() {
    return writes.smallWrites();
  }

  @Override
  public void onSubmittable() {
    writes.onSubmittable();
    pumpDue();
  }

  // ---- what the port tells

  @Override
  public void onRoom() {
    connection.flush(driver.nowNs());
  }

  /** Perhaps inside a call of the core, whose send it was that failed. */
  void onUnreachable() {
    if (connection.isEstablished()) {
      isUnreachableDue = true;
      driver.due(this);
    } else if (!connection.isEnded()) {
      closing.abort(CloseCode.UNREACHABLE, CloseCode.UNREACHABLE.sentence());
    }
  }

  /** Where the event loop ends, and nothing was left to be done, that is a close like another. */
  void onPortClosed() {
    if (!connection.isEnded()) {
      boolean isGentle = driver.loop().isShuttingDown() && writes.liveCount() == 0;
      closing.abort(isGentle ? CloseCode.NORMAL : CloseCode.ABORTED, "the socket was closed");
    }
  }

  // ---- what is due

  /** A deliverable message waits. */
  void readDue() {
    isReadDue = true;
    driver.due(this);
  }

  /** Something waits to be submitted or transmitted. */
  void pumpDue() {
    isPumpDue = true;
    driver.due(this);
  }

  /** The connection is set up, and its initiating channel is to hear of it. */
  void activationDue() {
    isActivationDue = true;
    driver.due(this);
  }

  /** The core has taken the last of what was flushed. */
  void onDrained() {
    if (closing.isWaiting()) {
      driver.due(this);
    }
  }

  /** More may be read, but not in the call that says so. */
  void readDueSoon() {
    if (!isReadDue) {
      isReadDue = true;
      driver.dueLater(this);
    }
  }

  boolean enqueue() {
    boolean isFirst = !isQueued;
    isQueued = true;
    return isFirst;
  }

  void dequeue() {
    isQueued = false;
  }

  /** Does all that is due in turn number {@code turn}. Calls into the application. */
  void settle(long turn) {
    if (defects.maySettle(turn)) {
      try {
        settleAll();
      } catch (RuntimeException | Error e) {
        defects.onThrown(e);
      }
    }
  }

  private void settleAll() {
    if (isActivationDue) {
      isActivationDue = false;
      channel.activate();
    }
    if (isBatchDue || isReadDue) {
      isBatchDue = false;
      isReadDue = false;
      completeBatch();
    }
    writes.completions().run();
    Throwable defect = defects.takeUntold();
    if (defect != null) {
      tell(defect);
    }
    closing.judge(channel);
    if (isUnreachableDue) {
      isUnreachableDue = false;
      connection.onUnreachable(driver.nowNs());
    }
    if (isPumpDue) {
      isPumpDue = false;
      submit();
      connection.flush(driver.nowNs());
    }
    closing.advanceFinish();
    reading.tellEnd();
    closing.advance();
    if (defects.takeEndDue()) {
      connection.endByDefect(driver.nowNs());
    }
    flight.onTurn();
    if (writes.completions().isDue()) {
      driver.due(this);
    } else if (reason != null) {
      tellEnd(reason);
    }
  }

  private void tellEnd(CloseReason why) {
    if (!isEndTold) {
      isEndTold = true;
      channel.onConnectionClosed(why);
    }
  }

  /** Drops all that is due but the end. */
  void dropDue() {
    isActivationDue = false;
    isBatchDue = false;
    isReadDue = false;
    isPumpDue = false;
    isUnreachableDue = false;
  }

  /**
   * Tells the channel of the connection's end, once: of {@code otherwise} if the core has not said
   * why.
   */
  void tellEndOr(CloseReason otherwise) {
    tellEnd(reason == null ? otherwise : reason);
  }

  void runCompletions() {
    writes.completions().run();
  }

  /**
   * The core must hear of the end of each batch, or it would wait for it for ever: also if the
   * handler is gone that tells it.
   */
  private void completeBatch() {
    readReady();
    isCompleteDue = true;
    if (isPiped || reading.isInBatch()) { // handlers that have closed the channel are still there
      channel.pipeline().fireChannelReadComplete();
    }
    complete(); // unless a handler has
  }

  private void submit() {
    reading.queue().settleReleased();
    if (connection.isEstablished()) {
      writes.submit(connection);
    }
  }

  // ---- the end

  /** The channel's output is shut down: FIN goes out behind what was flushed. */
  void finish() {
    closing.finish();
  }

  /**
   * Whether the peer does not only begin nothing more, but closes: then it says why when all is
   * settled.
   */
  boolean isPeerClosing() {
    return connection.isEnded() || connection.solicitation().isPeerClosing();
  }

  /**
   * The channel is closed: drains what was flushed, then closes the connection; or resets it at
   * once.
   */
  void close(int code, String text, boolean isReset) {
    isPiped = false;
    arrival.close();
    closing.close(code, text, isReset);
  }

  @Override
  public void onDefect(Throwable cause) {
    defects.on(cause);
  }

  boolean isForgotten() {
    return isForgotten;
  }

  /** What the peer does not hear: why, for this side's application. */
  void tell(Throwable cause) {
    if (isPiped) {
      channel.pipeline().fireExceptionCaught(cause);
    }
  }
}
