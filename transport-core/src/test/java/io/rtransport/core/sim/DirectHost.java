package io.rtransport.core.sim;

import static io.rtransport.core.sim.InvariantViolation.require;

import io.rtransport.core.connection.Acceptor;
import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.ConnectionConfig;
import io.rtransport.core.connection.ConnectionListener;
import io.rtransport.core.connection.DirectLink;
import io.rtransport.core.connection.Endpoint;
import io.rtransport.core.connection.EndpointConfig;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.wire.PacketBurst;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * A host whose sublayers are joined by plain calls: one endpoint, one connection. Host 0 connects, host 1 accepts. Its socket buffer
 * holds what the wire below has not sent yet; when it is full the connection has to wait.
 */
final class DirectHost implements SimHost, DirectLink.Wire, Acceptor, ConnectionListener {
  private static final int CAM_ENTRIES = 1 << 12;

  private final int host;
  private final PairHarness harness;
  private final WorldPlan plan;
  private final LoopResources loop;
  private final NodeBudgets budgets;
  private final Endpoint endpoint;
  private final PacketBurst routed = new PacketBurst();
  private Connection connection;
  private DirectPort port;
  private boolean isWaitingForRoom;
  private boolean isWoken;

  DirectHost(int host, PairHarness harness) {
    this.host = host;
    this.harness = harness;
    this.plan = harness.plan();
    RandomGenerator secrets = SimRandom.fork(plan.seed, "secrets " + host);
    this.loop = new LoopResources(plan.storeBytes, CAM_ENTRIES, secrets);
    this.budgets = NodeBudgets.of(plan.budgetBytes, plan.creditPoolBytes);
    this.endpoint =
        new Endpoint(
            EndpointConfig.ofLoop(host),
            loop,
            budgets,
            (buffer, offset, length, to) -> harness.send(host, buffer, offset, length),
            () -> isWoken = true,
            secrets);
  }

  @Override
  public void start(long nowNs) {
    if (host == 1) {
      endpoint.acceptor(this);
      return;
    }
    connection = endpoint.connect(config(), SimAddresses.of(1), nowNs);
    attach(connection);
    connection.flush(nowNs);
  }

  private ConnectionConfig config() {
    return SimConfigs.of(plan, host);
  }

  @Override
  public ConnectionConfig configFor(InetSocketAddress from) {
    return config();
  }

  @Override
  public boolean accept(Connection accepted, InetSocketAddress from) {
    require(connection == null, Invariant.LIFE_CYCLE, "host %d accepts a second connection", host);
    connection = accepted;
    attach(accepted);
    return true;
  }

  private void attach(Connection owned) {
    DirectLink link = new DirectLink(this);
    link.bind(owned);
    SimApplication application = harness.application(host);
    owned.attach(link, application.pushSink(), application, this);
    port = new DirectPort(owned, application);
  }

  @Override
  public void onEstablished(Connection established) {
    harness.onEstablished(host);
  }

  @Override
  public void onPeerFinished() {}

  @Override
  public void onClosed(CloseReason reason) {
    harness.onClosed(host, reason.code(), reason.text());
  }

  @Override
  public void receive(PacketBurst burst, long nowNs) {
    InetSocketAddress from = SimAddresses.of(1 - host);
    routed.clear();
    Connection owner = null;
    for (int i = 0; i < burst.count(); i++) {
      ByteBuffer buffer = burst.buffer(i);
      Connection found = endpoint.route(buffer, burst.offset(i), burst.length(i), from, nowNs);
      if (found == null) {
        endpoint.onStray(buffer, burst.offset(i), burst.length(i), from, nowNs);
      } else {
        owner = found;
        routed.add(buffer, burst.offset(i), burst.length(i), 0, PacketBurst.TRANSIENT);
      }
    }
    if (owner != null) {
      owner.receive(routed, nowNs);
      owner.receiveComplete(nowNs);
    }
    routed.clear();
  }

  @Override
  public void transmit(PacketBurst burst, long nowNs) {
    for (int i = 0; i < burst.count(); i++) {
      harness.send(host, burst.buffer(i), burst.offset(i), burst.length(i));
    }
  }

  @Override
  public boolean hasRoom(int pathIndex) {
    boolean hasRoom = harness.network().roomAtNs(host) <= harness.nowNs();
    isWaitingForRoom |= !hasRoom;
    return hasRoom;
  }

  @Override
  public long nextDeadlineNs() {
    long deadlineNs = isWoken ? harness.nowNs() : endpoint.nextDeadlineNs();
    return isWaitingForRoom ? Math.min(deadlineNs, harness.network().roomAtNs(host)) : deadlineNs;
  }

  @Override
  public void onTime(long nowNs) {
    if (isWaitingForRoom && harness.network().roomAtNs(host) <= nowNs) {
      isWaitingForRoom = false;
      connection.onTransmitRoom(0, nowNs);
    }
    if (isWoken) {
      isWoken = false;
      endpoint.onWake(nowNs);
    }
    if (endpoint.nextDeadlineNs() <= nowNs) {
      endpoint.onTimeout(nowNs);
    }
  }

  @Override
  public SimPort port() {
    return port;
  }

  @Override
  public void check(boolean isAfterClose) {
    // What is held for messages that cannot be opened yet was paid for by credit, twice at most.
    long holding = loop.solicitation().holding().inUseBytes();
    long holdingMax = 2 * (plan.initialCreditBytes + plan.creditPoolBytes);
    require(
        holding <= holdingMax
            && loop.solicitation().reorderTable().size() <= 3 * plan.outstandingMax,
        Invariant.MEMORY,
        "host %d holds %,d bytes and %d entries",
        host,
        holding,
        loop.solicitation().reorderTable().size());
    long counted = budgets.solicitation().countedBytes();
    require(
        counted >= 0 && counted <= plan.budgetBytes + (plan.budgetBytes >> 3),
        Invariant.GRANTS,
        "host %d: %,d bytes of a budget of %,d",
        host,
        counted,
        plan.budgetBytes);
    long credit = budgets.credit().usedBytes();
    require(
        credit >= 0 && credit <= plan.creditPoolBytes,
        Invariant.CREDIT,
        "host %d: %,d bytes of a credit pool of %,d",
        host,
        credit,
        plan.creditPoolBytes);
    if (isAfterClose) {
      checkEmpty();
    }
  }

  @Override
  public void checkAtRest(long chargedBytes) {
    long allowedBytes = connection.solicitation().creditLimitBytes() - chargedBytes;
    require(
        allowedBytes >= plan.initialCreditBytes,
        Invariant.CREDIT,
        "host %d: at rest its peer may push %,d bytes, at first %,d",
        host,
        allowedBytes,
        plan.initialCreditBytes);
    long countedBytes = budgets.solicitation().countedBytes();
    long awayBytes = budgets.solicitation().givenAwayBytes();
    require(
        countedBytes == 0 && awayBytes == 0,
        Invariant.GRANTS,
        "host %d: at rest %,d bytes of the budget are held, %,d given away",
        host,
        countedBytes,
        awayBytes);
  }

  private void checkEmpty() {
    empty("connections", endpoint.size());
    empty("retransmission engine", loop.retransmissionEngine().inFlightCount());
    empty("reorder table", loop.solicitation().reorderTable().size());
    empty("holding memory", loop.solicitation().holding().inUseBytes());
    empty("retransmission store", loop.store().unitCount() - loop.store().freeUnits());
    empty("solicitation budget", budgets.solicitation().countedBytes());
    empty("pull reservations", budgets.solicitation().pullBytes());
    empty("grants given away", budgets.solicitation().givenAwayBytes());
    empty("stale bytes", budgets.solicitation().staleBytes());
    empty("credit pool", budgets.credit().usedBytes());
  }

  private void empty(String what, long count) {
    require(count == 0, Invariant.EMPTY_AFTER_CLOSE, "host %d: %s holds %,d", host, what, count);
  }

  @Override
  public void count(SimTotals totals) {
    Counters counters = endpoint.counters();
    long early = counters.value(CounterId.RETRANSMITS_EARLY);
    long probe = counters.value(CounterId.RETRANSMITS_PROBE);
    long timeout = counters.value(CounterId.RETRANSMITS_TIMEOUT);
    totals.early += early;
    totals.probe += probe;
    totals.timeout += timeout;
    totals.spurious += counters.value(CounterId.RETRANSMITS_SPURIOUS);
    long accepted = counters.value(CounterId.PACKETS_NUMBERED_RECEIVED);
    require(
        accepted <= harness.arrived(host),
        Invariant.NO_DUPLICATE,
        "host %d: %d packets were handed up; %d different ones arrived",
        host,
        accepted,
        harness.arrived(host));
    require(
        harness.resent(host) == early + probe + timeout,
        Invariant.COUNTERS,
        "host %d: %d packets were resent; counted %d early, %d probes, %d timeouts",
        host,
        harness.resent(host),
        early,
        probe,
        timeout);
  }

  @Override
  public String toString() {
    return connection + " " + endpoint.counters();
  }
}
