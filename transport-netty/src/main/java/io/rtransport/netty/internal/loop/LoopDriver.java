package io.rtransport.netty.internal.loop;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.Endpoint;
import io.rtransport.core.connection.EndpointConfig;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.rail.LocalNi;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.window.RetransmissionStore;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.netty.port.PortContext;
import io.rtransport.netty.port.PortError;
import io.rtransport.netty.port.PortListener;
import io.rtransport.netty.port.ReceiveBuffer;
import io.rtransport.netty.port.ReceiveBuffers;
import io.rtransport.netty.port.RtPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * The run loop around one event loop's {@link Endpoint}, and nothing else. It gathers packets into
 * bursts for their connections, keeps one deadline armed, and settles due work after each turn.
 *
 * <p>A <b>turn</b> is a read batch, a deadline, room at a port, or a task. In a turn the clock is
 * read once for each burst. The core's calls note the events for handlers and listeners. {@link
 * #settle} tells these events afterwards, link by link, until nothing is due. Confined to the event
 * loop.
 *
 * <p>Some code of the application runs inside the core's calls. An exception that it throws there
 * ends its own connection or message.
 *
 * <ul>
 *   <li>Between two entries: the choice of sinks, the sinks, handlers that read a burst's messages
 *       ({@code ReadQueue}), and listeners of writes that have ended before that. Their calls of
 *       the channel reach the core as verbs, which never call back, or are due at the end of the
 *       turn.
 *   <li>Inside the work of a sublayer: sources of payload, taps, and handlers between the
 *       sublayers. They must not call back.
 * </ul>
 */
public final class LoopDriver implements PortContext, PortListener {
  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(LoopDriver.class);

  /** Time between two failed sends of a port of many peers, that its connections are told of. */
  private static final long SEND_FAILED_INTERVAL_NS = 10_000_000;

  /**
   * Highest number of settlements of one link in one turn. A listener that writes again each time
   * makes its link due again each time. But then each settlement sends a packet, and a window holds
   * 16,384. A link that exceeds the number would go on for ever, so its connection ends.
   */
  public static final int SETTLES_PER_TURN_MAX = 20_000;

  private final EventLoop loop;
  private final int loopIndex;
  private final CrossLoopForwarder forwarder = new CrossLoopForwarder(this);
  private final LoopResources resources;
  private final ByteBuf storeBytes;
  private final Endpoint endpoint;
  private final ServerAdmission admission;
  private final ReceiveBuffers receiveBuffers = new ReceiveBuffers();
  private final BurstAssembler assembler = new BurstAssembler();
  private final LoopBuffers buffers = new LoopBuffers(assembler);
  private final OutboxEntry entry = new OutboxEntry();
  private final ArrayDeque<LoopLink> due = new ArrayDeque<>();
  private final Executor wakes;
  private final Runnable task = this::onTask;
  private final LoopAlarm alarm;
  private final LinkTable<LoopLink> links = new LinkTable<>();
  private final Map<Object, RtPort> sharedPorts = new HashMap<>();
  private long nowNs;
  private long sendFailedNs;
  private long turns;

  /**
   * Since when the loop has looked at its sockets for packets that due timers wait for. No timer is
   * due unless {@link #isLooking}.
   */
  private long lookedNs;

  private boolean isLooking;
  private boolean isInTurn;
  private boolean isTaskScheduled;

  LoopDriver(
      EventLoop loop,
      int loopIndex,
      LoopResources resources,
      NodeBudgets budgets,
      RandomGenerator secrets,
      Executor wakes) {
    this.wakes = wakes;
    this.loop = loop;
    this.loopIndex = loopIndex;
    this.alarm = new LoopAlarm(loop, this::onDeadline);
    this.resources = resources;
    this.storeBytes = Unpooled.wrappedBuffer(resources.store().memory());
    this.endpoint =
        new Endpoint(EndpointConfig.ofLoop(loopIndex), resources, budgets, this::onWake, secrets);
    this.admission = new ServerAdmission(this, endpoint);
    // The ports of each connection or server channel are numbered by themselves: RtPort.ni.
    endpoint.localNis(Collections.nCopies(Limits.LOCAL_NIS_MAX, LocalNi.UNNAMED));
  }

  /** Gives up what it holds: the loop has ended. */
  void close() {
    links.forEach(link -> link.connection().onLoopEnded());
    forwarder.close();
    receiveBuffers.close();
  }

  // ---- services for ports

  @Override
  public EventLoop loop() {
    return loop;
  }

  @Override
  public ReceiveBuffers receiveBuffers() {
    return receiveBuffers;
  }

  @Override
  public ByteBuf storeBytes() {
    return storeBytes;
  }

  @Override
  public void pin(int token) {
    resources.store().pin(token);
  }

  @Override
  public void unpin(int token) {
    resources.store().unpin(token);
  }

  @Override
  public PortListener listener() {
    return this;
  }

  @Override
  public boolean mustEmptySockets() {
    return isLooking;
  }

  @Override
  public Map<Object, RtPort> sharedPorts() {
    return sharedPorts;
  }

  // ---- turns

  /** Returns the turn's time, ns; outside a turn, the clock's. */
  public long nowNs() {
    return isInTurn ? nowNs : loop.ticker().nanoTime();
  }

  private void beginTurn() {
    isInTurn = true;
    turns++;
    nowNs = loop.ticker().nanoTime();
  }

  /**
   * Ends a turn. First it gives all gathered packets to their connections, because the next packets
   * may take long to come.
   */
  private void endTurn() {
    try {
      giveGathered();
      driveOthers();
    } finally {
      try {
        settle();
      } finally {
        isInTurn = false;
        alarm.setNoLaterThan(endpoint.nextDeadlineNs());
      }
    }
  }

  /** Runs {@code action} as its own turn, or as part of the current one. */
  public void inTurn(Runnable action) {
    if (isInTurn) {
      action.run();
      return;
    }
    beginTurn();
    try {
      action.run();
    } finally {
      endTurn();
    }
  }

  /**
   * Notes that {@code link} has something due. The link is settled at the end of this turn, or soon
   * in a turn of its own.
   */
  public void due(LoopLink link) {
    if (link.enqueue()) {
      due.add(link);
    }
    if (!isInTurn) {
      wake();
    }
  }

  /** Does the same as {@link #due}, but not before other tasks of the loop have had their turn. */
  public void dueLater(LoopLink link) {
    loop.execute(() -> due(link));
  }

  private void wake() {
    if (!isTaskScheduled) {
      isTaskScheduled = true;
      loop.execute(task);
    }
  }

  /** Tells that the node's budget has room for a connection of this loop. Any thread. */
  private void onWake() {
    wakes.execute(() -> inTurn(this::driveOthers));
  }

  private void onTask() {
    isTaskScheduled = false;
    if (isInTurn) {
      endTurn(); // a turn that a read in pieces has begun
    } else if (!due.isEmpty()) {
      beginTurn();
      endTurn();
    }
  }

  private void settle() {
    for (LoopLink link = due.poll(); link != null; link = due.poll()) {
      link.dequeue();
      link.settle(turns);
    }
  }

  /**
   * Lets the timers act once the loop has been through its sockets. The packets that they wait for
   * may have come in time, while this loop is late.
   */
  private void onDeadline() {
    if (isInTurn) {
      endTurn(); // a read comes in pieces: the packets that are here go first
    }
    if (!isLooking) {
      isLooking = true;
      lookedNs = loop.ticker().nanoTime();
      alarm.ringAgain();
      return;
    }
    isLooking = false;
    beginTurn();
    try {
      if (endpoint.nextDeadlineNs() <= nowNs) {
        endpoint.onTimeout(nowNs);
        driveExpired();
      }
    } catch (RuntimeException | Error e) {
      LOGGER.error("a deadline's work was cut off by a defect", e);
    } finally {
      endTurn();
    }
  }

  private void driveExpired() {
    for (Connection expired = endpoint.pollExpired(nowNs);
        expired != null;
        expired = endpoint.pollExpired(nowNs)) {
      LoopLink link = linkOf(expired);
      try {
        link.onTimeout();
      } catch (RuntimeException | Error e) {
        link.onDefect(e);
      }
    }
  }

  /** Drives connections that have entries or packets although nothing came for them. */
  private void driveOthers() {
    for (Connection other = endpoint.nextWithWork();
        other != null;
        other = endpoint.nextWithWork()) {
      LoopLink link = linkOf(other);
      try {
        link.drive();
      } catch (RuntimeException | Error e) {
        link.onDefect(e);
      }
    }
  }

  private static LoopLink linkOf(Connection connection) {
    return (LoopLink) connection.attachment();
  }

  // ---- packets in

  @Override
  public void onPacket(
      RtPort port, ReceiveBuffer buffer, int offset, int length, InetSocketAddress from) {
    if (!isInTurn) {
      beginTurn();
      if (port.readsInPieces()) {
        wake(); // the rest, and the end of the batch, may take long
      }
    }
    ByteBuffer view = buffer.view();
    int cid = ClearHeaderFlyweight.peekDestinationCid(view, offset, length);
    if (assembler.isContinuedBy(buffer, cid, from)) {
      assembler.add(buffer, offset, length);
      return;
    }
    PortOwner.Member owner = cid >>> 24 == loopIndex ? null : memberOf(port, cid);
    if (owner != null && owner.driver() != this) {
      forwarder.collect(owner.driver(), owner.like(port), view, offset, length, from);
      return;
    }
    onOwnPacket(port, buffer, offset, length, cid, from);
  }

  /**
   * Returns the part of {@code port}'s server channel on the loop that {@code cid} names, or null.
   */
  private static PortOwner.Member memberOf(RtPort port, int cid) {
    return cid != 0 && port.owner() instanceof PortOwner server ? server.member(cid) : null;
  }

  /** Takes packets of this loop that came in on another, as one read batch, and releases them. */
  public void take(PacketBatch batch) {
    boolean isForItsOwnOnly = batch.port.isClosed(); // its connections are at other ports
    ReceiveBuffer buffer = ReceiveBuffer.of(batch.bytes());
    try {
      if (!isInTurn) {
        beginTurn();
      }
      int offset = 0;
      for (int i = 0; i < batch.count(); i++) {
        int length = batch.length(i);
        int cid = ClearHeaderFlyweight.peekDestinationCid(buffer.view(), offset, length);
        if (isForItsOwnOnly && links.at(cid) == null) {
          counters().increment(CounterId.HAND_OVERS_DROPPED);
        } else {
          onOwnPacket(batch.port, buffer, offset, length, cid, batch.sender(i));
        }
        offset += length;
      }
    } catch (RuntimeException | Error e) {
      LOGGER.error("a batch of packets was cut off by a defect", e);
    } finally {
      try {
        endTurn();
      } finally {
        batch.release();
      }
    }
  }

  private void onOwnPacket(
      RtPort port, ReceiveBuffer buffer, int offset, int length, int cid, InetSocketAddress from) {
    ByteBuffer view = buffer.view();
    if (admission.isUnwanted(port, view, offset, length, cid)) {
      resources.counters().increment(CounterId.DROP_STATE);
      return;
    }
    Connection connection = endpoint.route(view, offset, length, port.ni(), from, nowNs);
    if (connection == null) {
      admission.onStray(port, view, offset, length, from, nowNs);
      return;
    }
    int arrival = endpoint.arrival();
    if (connection.attachment() == null && !admission.adopt(connection, port, nowNs)) {
      return;
    }
    // Never batch packets from a new address: {@code route()} must see each source.
    gather(linkOf(connection), cid, from, arrival, buffer, offset, length);
  }

  private void gather(
      LoopLink link,
      int cid,
      InetSocketAddress from,
      int arrival,
      ReceiveBuffer buffer,
      int offset,
      int length) {
    if (link != assembler.link() || assembler.isFull()) {
      giveGathered();
    }
    assembler.begin(link, cid, arrival < 0 ? null : from, arrival);
    assembler.add(buffer, offset, length);
  }

  private void giveGathered() {
    if (assembler.link() != null) {
      nowNs = loop.ticker().nanoTime();
      assembler.give();
    }
  }

  /** Returns whether the last read of {@code port}, made for due timers, left packets behind. */
  public boolean mayHaveUnread(RtPort port) {
    return port.hasUnreadSince(lookedNs);
  }

  @Override
  public void onReadComplete(RtPort port) {
    port.onReadComplete(nowNs());
    forwarder.postAll();
    if (isInTurn) {
      endTurn();
    }
  }

  // ---- other events of ports

  @Override
  public void onRoom(RtPort port) {
    inTurn(() -> links.offerRoom(port));
  }

  @Override
  public void onSendFailed(RtPort port, InetSocketAddress to, PortError error) {
    if (port.remoteAddress() == null) { // of many peers
      if (to == null || nowNs() - sendFailedNs < SEND_FAILED_INTERVAL_NS) {
        return; // only hints, which must not cost a server more than its work
      }
      sendFailedNs = nowNs();
    }
    if (error.mayBeOurs()) {
      Nodes.INTERFACES.look();
    }
    links.forEachOf(port, link -> link.portEvents().onSendFailed(port, to, error.failure()));
  }

  @Override
  public void onClosed(RtPort port) {
    sharedPorts.values().remove(port);
    // At once: a connection that sends its last packets through the port must do so before they are
    // lost.
    inTurn(() -> links.forEachOf(port, link -> link.portEvents().onPortClosed(port)));
    if (!port.isClosed() && port.owner() instanceof PortOwner server) {
      server.onPortClosed();
    }
  }

  // ---- connections

  /** Returns the entry that {@link Connection#poll} fills, for one connection after the other. */
  public OutboxEntry entry() {
    return entry;
  }

  public LoopBuffers buffers() {
    return buffers;
  }

  public CrossLoopForwarder forwarder() {
    return forwarder;
  }

  /** Returns the number by which its connections' ids name it. */
  public int loopIndex() {
    return loopIndex;
  }

  /** Returns the counters of the whole loop. */
  public Counters counters() {
    return resources.counters();
  }

  public Endpoint endpoint() {
    return endpoint;
  }

  public void add(LoopLink link) {
    links.add(link.connection().cid(), link);
  }

  public void remove(LoopLink link) {
    links.remove(link.connection().cid(), link);
  }

  public void forEachLink(Consumer<LoopLink> action) {
    links.forEach(action);
  }

  /** Calls {@code action} for some links: {@link LinkTable#forEach(int, int, Consumer)}. */
  public int forEachLink(int fromSlot, int max, Consumer<LoopLink> action) {
    return links.forEach(fromSlot, max, action);
  }

  /** Returns the store of the loop's packets that are not acknowledged. */
  public RetransmissionStore store() {
    return resources.store();
  }

  /** Returns the number of turns so far. */
  public long turns() {
    return turns;
  }

  /** Returns the number of deadlines that woke the loop so far. */
  public long wakeups() {
    return alarm.rings();
  }
}
