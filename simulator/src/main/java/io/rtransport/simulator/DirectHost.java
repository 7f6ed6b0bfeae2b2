package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.EndpointConfig;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PushSupplier;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Host whose sublayers are joined by plain calls: one endpoint, one connection. Host 0 connects,
 * host 1 accepts. Its socket buffer holds datagrams that the wire has not sent yet. When it is
 * full, the connection has to wait.
 */
final class DirectHost implements SimHost, Wire, Application {
  private final int host;
  private final PairHarness harness;
  private final SimApplication application;
  private final WorldPlan plan;
  private final CoreState core;
  private final Node node;
  private final PacketBurst routed = new PacketBurst();
  private Connection connection;
  private DirectPort port;
  private boolean isWaitingForRoom;
  private boolean isWoken;

  DirectHost(int host, PairHarness harness) {
    this.host = host;
    this.harness = harness;
    this.application = harness.application(host);
    this.plan = harness.plan();
    this.core = new CoreState(host, harness);
    this.node =
        new Node(
            EndpointConfig.ofLoop(host),
            core.loop(),
            core.budgets(),
            (buffer, offset, length, ni, to) -> harness.send(host, buffer, offset, length, to),
            () -> isWoken = true,
            core.secrets());
  }

  @Override
  public void start(long nowNs) {
    if (host == 1) {
      return;
    }
    connection = node.connect(config(), SimAddresses.of(1), nowNs);
    attach(connection);
    node.flush(connection, nowNs);
  }

  private ConnectionConfig config() {
    return SimConfigs.of(plan, host);
  }

  private void accept(Connection accepted, long nowNs) {
    require(connection == null, Invariant.LIFE_CYCLE, "host %d accepts a second connection", host);
    connection = accepted;
    attach(accepted);
    node.arrived(accepted, nowNs);
  }

  private void attach(Connection owned) {
    node.attach(owned, this, this);
    port = new DirectPort(owned, application, nowNs -> node.flush(owned, nowNs));
  }

  @Override
  public void onEntry(OutboxEntry entry) {
    switch (entry.kind()) {
      case ESTABLISHED -> harness.onEstablished(host);
      case PEER_FINISHED -> harness.onPeerFinished(host);
      case CLOSED -> onClosed(new CloseReason(entry.code(), entry.text(), entry.isByPeer()));
      case MOVED, PORT_CHANGED, PEER_CHANGED, FORGOTTEN -> {}
      default -> application.onEntry(entry);
    }
  }

  @Override
  public PushSupplier pushSupplier() {
    return application.pushSupplier();
  }

  private void onClosed(CloseReason reason) {
    require(!ReadBytes.isReadIn(reason), Invariant.LATE_READ, "host %d: %s", host, reason.text());
    harness.onClosed(host, reason.code(), reason.text());
  }

  @Override
  public void receive(PacketBurst burst, long nowNs) {
    routed.clear();
    Connection owner = null;
    for (int i = 0; i < burst.count(); i++) {
      ByteBuffer buffer = burst.buffer(i);
      InetSocketAddress from = harness.source(i);
      Connection found = node.route(buffer, burst.offset(i), burst.length(i), from, nowNs);
      if (found != null && !Node.isAttached(found)) {
        accept(found, nowNs);
      }
      if (found == null) {
        ConnectionConfig accepting = host == 1 ? config() : null;
        node.onStray(buffer, burst.offset(i), burst.length(i), from, accepting, nowNs);
      } else {
        owner = found;
        int arrival = node.arrival();
        routed.add(buffer, burst.offset(i), burst.length(i), arrival, PacketBurst.TRANSIENT);
      }
    }
    if (owner != null) {
      node.receive(owner, routed, nowNs);
      ReadBytes.scribble(routed); // a late read finds fill bytes
      node.receiveComplete(owner, nowNs);
    }
  }

  @Override
  public void transmit(PacketBurst burst, long nowNs) {
    for (int i = 0; i < burst.count(); i++) {
      InetSocketAddress to = connection.remote(burst.pathIndex(i));
      harness.send(host, burst.buffer(i), burst.offset(i), burst.length(i), to);
    }
  }

  @Override
  public boolean hasRoom(int pathIndex) {
    boolean hasRoom = harness.roomAtNs(host) <= harness.nowNs();
    isWaitingForRoom |= !hasRoom;
    return hasRoom;
  }

  @Override
  public long nextDeadlineNs() {
    long deadlineNs = isWoken ? harness.nowNs() : node.nextDeadlineNs();
    return isWaitingForRoom ? Math.min(deadlineNs, harness.roomAtNs(host)) : deadlineNs;
  }

  @Override
  public void onTime(long nowNs) {
    if (isWaitingForRoom && harness.roomAtNs(host) <= nowNs) {
      isWaitingForRoom = false;
      node.flush(connection, nowNs);
    }
    if (isWoken) {
      isWoken = false;
      node.onWake(nowNs);
    }
    if (node.nextDeadlineNs() <= nowNs) {
      node.onTimeout(nowNs);
    }
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
    return connection + " " + node.counters();
  }
}
