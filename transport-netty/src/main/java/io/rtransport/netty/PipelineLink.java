package io.rtransport.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.netty.flight.ConnectionFlight;
import io.rtransport.netty.internal.loop.LinkApplication;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopLink;
import io.rtransport.netty.internal.loop.Nodes;
import io.rtransport.netty.internal.loop.PortEvents;
import io.rtransport.netty.port.RtPort;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Function;

/**
 * Drives one connection, between its channel's pipeline and its port. It takes the entries and the
 * packets that the core has. It lives from the connection's first packet until the core forgets the
 * connection, which is longer than the channel is open. After a close the flushed writes drain
 * here. From then on plain calls join the stages, because no handler is left.
 *
 * <p>Most entries of the core are only noted; {@link #settle} passes them on at the end of the
 * turn. Messages of a burst are the exception: they are read at once, between the burst's records
 * ({@link ReadQueue}).
 */
final class PipelineLink extends Link implements LoopLink, StagedLink {
  private final DrivenChannel channel;
  private final InboundStages stages;
  private final LoopDriver driver;
  private final LinkPorts ports;
  private final Connection connection;
  private final WriteQueue writes;
  private final ReadLoop reading;
  private final LinkApplication application;
  private final ConnectionFlight flight;
  private final LinkClosing closing;
  private final LinkDefects defects;
  private final ChildArrival arrival;
  private boolean isPiped;
  private boolean hasHandlers;
  private boolean isQueued;
  private boolean isDraining;
  private boolean isDriving;
  private boolean isActivationDue;
  private boolean isBatchDue;
  private boolean isReadDue;
  private boolean isPumpDue;
  private boolean isEndDue;

  private LinkPortEvents portEvents; // null: none since it was settled
  private boolean isForgotten;

  PipelineLink(
      DrivenChannel channel,
      InboundStages stages,
      WriteQueue writes,
      ReadLoop reading,
      LoopDriver driver,
      List<RtPort> ports,
      Connection connection,
      Function<InetSocketAddress, RtPort> opener,
      LinkApplication application) {
    this.channel = channel;
    this.stages = stages;
    this.writes = writes;
    this.reading = reading;
    this.driver = driver;
    this.ports = new LinkPorts(connection, ports, opener);
    this.connection = connection;
    this.application = application;
    this.flight = new ConnectionFlight(connection);
    this.closing = new LinkClosing(this, channel, writes);
    this.arrival = new ChildArrival(channel, this, driver);
    this.defects = new LinkDefects(this, driver, connection, closing);
    stages.link(this);
    connection.attach(
        this,
        application == null ? writes.smallWrites() : application.pushSupplier(),
        this.ports.first().datagramLengthMax());
  }

  @Override
  public Connection connection() {
    return connection;
  }

  RtChannel channel() {
    return channel;
  }

  @Override
  public boolean uses(RtPort port) {
    return ports.uses(port);
  }

  LinkPorts ports() {
    return ports;
  }

  @Override
  public long waitingBytes() {
    return writes.waitingBytes();
  }

  @Override
  public InetSocketAddress localAddress(int pathIndex) {
    return ports.localAddress(connection.ni(pathIndex));
  }

  long pipelineEvents() {
    return stages.events();
  }

  /** Makes bursts pass the channel's handlers from now on. */
  void pipe() {
    hasHandlers = true;
    isPiped = true;
    declare();
  }

  /** Tells the core which messages to give whole: once they can be read, and at each change. */
  void declare() {
    if (hasHandlers && application == null) {
      reading.queue().declare();
    }
  }

  @Override
  public boolean hasHandlers() {
    return hasHandlers;
  }

  @Override
  public boolean putsOff() {
    return arrival.putsOff();
  }

  /** Returns the wait of an accepted channel for its handlers. */
  ChildArrival arrival() {
    return arrival;
  }

  /** Tells that an accepted channel has its handlers. They may read messages that came earlier. */
  void onHandlers() {
    reading.onHandlers();
  }

  // ---- receiving

  @Override
  public void receiveBurst(ChannelHandlerContext from, PacketBurst burst) {
    isBatchDue = true;
    driver.due(this);
    if (!defects.isAny()) { // else only its end may follow
      stages.receive(from, burst);
    }
  }

  @Override
  public boolean isReceiving() {
    return stages.isReceiving();
  }

  @Override
  public long nowNs() {
    return driver.nowNs();
  }

  @Override
  public boolean isPiped() {
    return isPiped;
  }

  @Override
  public ChannelPipeline pipeline() {
    return channel.pipeline();
  }

  @Override
  public void onTimeout() {
    connection.onTimeout(ports.mayHaveUnread(driver), driver.nowNs());
    ports.sweep();
    drive();
  }

  // ---- sending

  @Override
  public void drive() {
    if (isDriving) {
      pumpDue(); // called from inside a send
      return;
    }
    isDriving = true;
    try {
      drain();
      long nowNs = driver.nowNs();
      for (PacketBurst out = connection.pollTransmit(ports.room(), nowNs);
          out != null;
          out = connection.pollTransmit(ports.room(), nowNs)) {
        transmit(out);
      }
      drain(); // entries that the end of the turn has brought
    } finally {
      isDriving = false;
    }
    if (application != null) {
      application.onDriven();
    }
    if (writes.completions().isDue()) {
      driver.due(this); // writes that were sent; a deadline or the port may have driven this
    }
  }

  @Override
  public boolean isTransmitting() {
    return connection.isTransmitting();
  }

  private void transmit(PacketBurst burst) {
    flight.onTurn(Nodes.RAIL_FLIGHT);
    if (!isPiped || defects.isAny()) { // a tap that threw once does not see the last packets
      send(burst);
      return;
    }
    try {
      channel.transmit(burst);
    } catch (RuntimeException | Error e) { // thrown by a tap; it must not cost the turn
      onDefect(e);
    }
  }

  /** Sends a burst; the bottom of the pipeline. */
  void send(PacketBurst burst) {
    ports.send(burst);
  }

  @Override
  public void readReady() {
    if (isPiped && !defects.isAny()) {
      reading.readReady();
    }
  }

  @Override
  public void onBatchComplete() {
    isPumpDue = false;
    writes.completions().run(); // writes of listeners then leave at once
    submit();
    drive();
    writes.longPathBytes(connection.longPathBytes());
  }

  // ---- entries of the core

  /**
   * Takes all entries of the connection. After a defect it takes nothing until the end of the
   * connection: entries behind the message that caused the defect must not be given out as if that
   * message had been taken.
   */
  @Override
  public void drain() {
    if (isDraining) {
      return;
    }
    isDraining = true;
    try {
      OutboxEntry entry = driver.entry();
      while ((!defects.isAny() || connection.isEnded()) && connection.poll(entry)) {
        take(entry);
      }
      if (isForgotten) {
        entry.clear(); // the entry is the loop's; it must not keep the connection's objects
      }
    } finally {
      isDraining = false;
    }
  }

  private void take(OutboxEntry entry) {
    if (application != null) {
      takeLife(entry);
      application.onEntry(connection, entry);
    } else if (entry.kind() == OutboxEntry.Kind.MESSAGE) { // nearly all are these two
      reading.queue().onMessage(entry);
    } else if (entry.kind() == OutboxEntry.Kind.ENDED) {
      writes.completions().onEnded(entry);
      driver.due(this);
    } else if (!EntryDispatch.give(entry, this, writes, reading)) {
      takeLife(entry);
    }
  }

  private void takeLife(OutboxEntry entry) {
    switch (entry.kind()) {
      case ESTABLISHED -> {
        ports.tellReplaced(channel);
        channel.onEstablished();
      }
      case PORT_CHANGED -> {
        ports.sweep();
        ports.tellReplaced(channel);
      }
      case MOVED -> channel.onMoved();
      case PEER_CHANGED -> channel.onPeerChanged();
      case CLOSED -> {
        closing.onClosed(entry);
        isEndDue = true;
        flight.onClosed(closing.reason(), Nodes.RAIL_FLIGHT);
        driver.due(this);
      }
      case FORGOTTEN -> {
        isForgotten = true;
        driver.remove(this);
        ports.release();
      }
      default -> {
        // an entry for the application that runs in place of the channel
      }
    }
  }

  // ---- calls of the port

  @Override
  public void onRoom() {
    drive();
  }

  @Override
  public PortEvents portEvents() {
    if (portEvents == null) {
      portEvents = new LinkPortEvents(this, ports, closing);
    }
    return portEvents;
  }

  // ---- work that is due

  @Override
  public void due() {
    driver.due(this);
  }

  @Override
  public void readDue() {
    isReadDue = true;
    driver.due(this);
  }

  @Override
  public void pumpDue() {
    isPumpDue = true;
    driver.due(this);
  }

  /** Tells that the connection is set up. The initiating channel is told later. */
  void activationDue() {
    isActivationDue = true;
    driver.due(this);
  }

  @Override
  public void onDrained() {
    if (closing.isWaiting()) {
      driver.due(this);
    }
  }

  @Override
  public void readDueSoon() {
    if (!isReadDue) {
      isReadDue = true;
      driver.dueLater(this);
    }
  }

  @Override
  public boolean enqueue() {
    boolean isFirst = !isQueued;
    isQueued = true;
    return isFirst;
  }

  @Override
  public void dequeue() {
    isQueued = false;
  }

  @Override
  public void settle(long turn) {
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
      endBatch();
    }
    writes.completions().run();
    Throwable defect = defects.takeUntold();
    if (defect != null) {
      tell(defect);
    }
    closing.judge();
    if (portEvents != null) {
      tellFailedSends();
    }
    if (isPumpDue) {
      isPumpDue = false;
      submit();
      drive();
    }
    closing.advanceFinish();
    reading.tellEnd();
    closing.advance();
    if (defects.takeEndDue()) {
      endByDefect();
    }
    if (application != null) {
      application.settle();
    }
    flight.onTurn(Nodes.RAIL_FLIGHT);
    if (writes.completions().isDue()) {
      driver.due(this);
    } else if (isEndDue) {
      isEndDue = false;
      closing.tellEnd();
    }
  }

  private void tellFailedSends() {
    LinkPortEvents events = portEvents;
    portEvents = null; // what fails while this is driven is told next
    if (events.tellFailedSends()) {
      drive();
    }
  }

  /** Ends the connection, even if the defect left it half done. */
  void endByDefect() {
    isDriving = false;
    isDraining = false;
    try {
      connection.endByDefect(driver.nowNs());
    } finally {
      drive();
    }
  }

  /** Drops all due work except the end. */
  void dropDue() {
    isActivationDue = false;
    isBatchDue = false;
    isReadDue = false;
    isPumpDue = false;
    portEvents = null;
  }

  void runCompletions() {
    writes.completions().run();
  }

  private void endBatch() {
    readReady();
    // Handlers that have closed the channel are still there.
    stages.endBatch(isPiped || reading.isInBatch() ? channel.pipeline() : null);
  }

  private void submit() {
    reading.queue().settleReleased();
    if (connection.isEstablished()) {
      writes.submit(connection);
    }
  }

  // ---- the end of the connection

  /** Sends FIN behind the flushed writes: the channel's output is shut down. */
  void finish() {
    closing.finish();
  }

  @Override
  public boolean isPeerClosing() {
    return connection.isEnded() || connection.isPeerClosing();
  }

  /**
   * Takes the channel's close. Drains the flushed writes and then closes the connection, or resets
   * it at once.
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

  @Override
  void tell(Throwable cause) {
    if (isPiped) {
      channel.pipeline().fireExceptionCaught(cause);
    }
  }
}
