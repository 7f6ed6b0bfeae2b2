package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.EndpointConfig;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.transaction.OutboxEntry;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Host over direct links whose application behaves like one above a channel. Entries of the core
 * are only noted, and handled afterwards in the turn's order: reads, acknowledgement and
 * transmission, ends, submissions made meanwhile, close. It is the reference for real channels:
 * both must give the same trace.
 */
public final class TurnHost implements SimHost, Wire, Application {
  private final int host;
  private final PairHarness harness;
  private final SimApplication application;
  private final CoreState core;
  private final Node node;
  private final TurnInbox inbox;
  private final PacketBurst routed = new PacketBurst();
  private Connection connection;
  private TurnPort port;
  private boolean isWoken;
  private boolean isInTurn;
  private boolean isEstablishedDue;
  private boolean isBatchDue;
  private boolean isPumpDue;
  private boolean isFinishing;
  private boolean isInputEndDue;
  private boolean isClosing;
  private boolean wasClosed;
  private CloseReason reason;
  private boolean isEndTold;

  public TurnHost(int host, PairHarness harness) {
    this.host = host;
    this.harness = harness;
    this.application = harness.application(host);
    this.core = new CoreState(host, harness);
    this.inbox = new TurnInbox(application);
    this.node =
        new Node(
            EndpointConfig.ofLoop(host),
            core.loop(),
            core.budgets(),
            (buffer, offset, length, ni, to) -> harness.send(host, buffer, offset, length),
            () -> isWoken = true,
            core.secrets());
  }

  @Override
  public void start(long nowNs) {
    if (host == 1) {
      return;
    }
    connection = node.connect(SimConfigs.of(harness.plan(), 0), SimAddresses.of(1), nowNs);
    attach(connection);
    isPumpDue = true;
    settle(nowNs);
  }

  private void accept(Connection accepted, long nowNs) {
    require(connection == null, Invariant.LIFE_CYCLE, "host %d accepts a second connection", host);
    connection = accepted;
    attach(accepted);
    node.arrived(accepted, nowNs);
  }

  private void attach(Connection owned) {
    node.attach(owned, this, this);
    port = new TurnPort(this, owned, application, inbox);
    inbox.connection(owned);
  }

  // Calls of the core.

  @Override
  public void onEntry(OutboxEntry entry) {
    switch (entry.kind()) {
      case ESTABLISHED -> onEstablished();
      case PEER_FINISHED -> isInputEndDue = true;
      case CLOSED -> reason = new CloseReason(entry.code(), entry.text(), entry.isByPeer());
      case OPENED -> inbox.onOpened(entry);
      case BYTES -> inbox.onBytes(entry);
      case DELIVERED -> inbox.onDelivered(entry.handle(), entry.isAnswer(), entry.isWhole());
      case REQUESTED -> inbox.onRequested(entry);
      case ENDED -> inbox.onEnded(entry);
      case ROOM -> {
        port.onRoom();
        isPumpDue = true;
      }
      case MOVED, PORT_CHANGED, PEER_CHANGED, SOURCE_RELEASED, FORGOTTEN -> {}
      default -> throw new IllegalStateException(entry.kind() + " was not asked for");
    }
  }

  private void onEstablished() {
    if (host == 1) {
      harness.onEstablished(host);
    } else {
      isEstablishedDue = true;
    }
  }

  /** Notes that the application submitted or answered something. */
  void pumpDue() {
    isPumpDue = true;
  }

  void finishing() {
    isFinishing = true;
  }

  void closing() {
    isClosing = true;
    wasClosed = true;
  }

  // Turns.

  @Override
  public void receive(PacketBurst burst, long nowNs) {
    InetSocketAddress from = SimAddresses.of(1 - host);
    isInTurn = true;
    Connection owner = null;
    for (int i = 0; i < burst.count(); i++) {
      ByteBuffer buffer = burst.buffer(i);
      Connection found = node.route(buffer, burst.offset(i), burst.length(i), from, nowNs);
      if (found != null && !Node.isAttached(found)) {
        accept(found, nowNs);
      }
      if (found == null) {
        handOver(owner, nowNs);
        ConnectionConfig accepting = host == 1 ? SimConfigs.of(harness.plan(), 1) : null;
        node.onStray(buffer, burst.offset(i), burst.length(i), from, accepting, nowNs);
      } else {
        owner = found;
        int arrival = node.arrival();
        routed.add(buffer, burst.offset(i), burst.length(i), arrival, PacketBurst.TRANSIENT);
      }
    }
    handOver(owner, nowNs);
    isInTurn = false;
    settle(nowNs);
    afterTurn(nowNs);
  }

  private void handOver(Connection owner, long nowNs) {
    if (routed.count() > 0) {
      isBatchDue = true;
      node.receive(owner, routed, nowNs);
      ReadBytes.scribble(routed);
      inbox.read();
      routed.clear();
    }
  }

  private void settle(long nowNs) {
    boolean isAgain = true;
    while (isAgain) {
      if (isEstablishedDue) {
        isEstablishedDue = false;
        harness.onEstablished(host);
      }
      if (isBatchDue || inbox.hasReady()) {
        isBatchDue = false;
        inbox.read();
        isPumpDue = false;
        inbox.runEnds();
        port.submit();
        node.receiveComplete(connection, nowNs);
      }
      inbox.runEnds();
      if (isPumpDue) {
        isPumpDue = false;
        port.submit();
        node.flush(connection, nowNs);
      }
      if (isFinishing && !port.hasQueued()) {
        isFinishing = false;
        connection.verbs().finish();
        node.flush(connection, nowNs);
      }
      if (isInputEndDue && !inbox.hasReady() && !wasClosed) {
        isInputEndDue = false;
        harness.onPeerFinished(host);
      }
      if (isClosing && !connection.isEnded()) {
        isClosing = false;
        node.close(connection, 0, "", nowNs);
      }
      isAgain = inbox.hasReady() || inbox.hasEnds() || isPumpDue;
    }
    if (reason != null && !isEndTold) {
      isEndTold = true;
      harness.onClosed(host, reason.code(), reason.text());
    }
  }

  /**
   * Runs the loop's tasks, as an event loop does before it looks at the network again: the budget's
   * call, and deadlines that have come.
   */
  private void afterTurn(long nowNs) {
    while (isWoken || node.nextDeadlineNs() <= nowNs) {
      boolean isWake = isWoken;
      isWoken = false;
      if (isWake) {
        node.onWake(nowNs);
      } else {
        node.onTimeout(nowNs);
      }
      if (connection != null) {
        settle(nowNs);
      }
    }
  }

  /** Handles a call of the application outside any turn. */
  void flush(long nowNs) {
    if (!isInTurn) {
      settle(nowNs);
      afterTurn(nowNs);
    }
  }

  @Override
  public void transmit(PacketBurst burst, long nowNs) {
    for (int i = 0; i < burst.count(); i++) {
      harness.send(host, burst.buffer(i), burst.offset(i), burst.length(i));
    }
  }

  @Override
  public boolean hasRoom(int pathIndex) {
    return true;
  }

  @Override
  public long nextDeadlineNs() {
    return node.nextDeadlineNs();
  }

  @Override
  public void onTime(long nowNs) {
    afterTurn(nowNs);
  }

  @Override
  public SimPort port() {
    return port;
  }

  @Override
  public void check(boolean isAfterClose) {
    core.checkBounds();
    if (isAfterClose) {
      core.checkEmpty(node.size());
    }
  }

  @Override
  public void checkAtRest(long chargedBytes) {
    core.checkAtRest(connection, chargedBytes);
  }

  @Override
  public void count(SimTotals totals) {
    core.count(totals);
  }

  @Override
  public String toString() {
    return connection + " " + core.loop().counters();
  }
}
