package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.EndpointConfig;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.connection.Pair;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.rail.LocalNi;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * World of a {@link NamedScenario}: any number of hosts on virtual time, each with one endpoint and
 * any number of connections. The scenario decides the fate of each datagram. Behind that, a host
 * may have a link of limited rate with a drop-tail queue ({@link SimSocket#limit}).
 */
final class ScenarioNet extends SimWorld {
  private static final int FIRST_PORT = 7_400;
  private static final int STORE_BYTES = 8 << 20;
  private static final int CAM_ENTRIES = 1 << 16;
  static final long BUDGET_BYTES = 8L << 20;
  private static final long CREDIT_POOL_BYTES = 8L << 20;
  static final long[] LOST = {};

  private final RandomGenerator random;
  private final List<Host> hosts = new ArrayList<>();
  private final Datagram[] read = new Datagram[1];
  private long steps;
  SimLink.Fate fate;

  ScenarioNet(long seed, long delayNs) {
    super(PairHarness.START_NS, new SimTotals());
    random = SimRandom.fork(seed, "scenario");
    fate = datagram -> new long[] {delayNs};
  }

  /** Returns the scenario's own random generator. */
  RandomGenerator random() {
    return random;
  }

  Host host() {
    return host(BUDGET_BYTES);
  }

  /** Creates a host that grants at most 9/8 of {@code budgetBytes} at a time. */
  Host host(long budgetBytes) {
    InetSocketAddress address = new InetSocketAddress("10.0.0.1", FIRST_PORT + hosts.size());
    Host host = new Host(hosts.size(), address, budgetBytes);
    hosts.add(host);
    return host;
  }

  void at(long timeNs, Runnable action) {
    schedule.at(Math.max(nowNs, timeNs), action);
  }

  void after(long durationNs, Runnable action) {
    at(nowNs + durationNs, action);
  }

  /** Lets time pass until {@code isDone}, or for {@code limitNs}. Returns whether it is done. */
  boolean run(BooleanSupplier isDone, long limitNs) {
    long untilNs = nowNs + limitNs;
    while (!isDone.getAsBoolean()) {
      if (nextNs() > untilNs) {
        nowNs = untilNs;
        return isDone.getAsBoolean();
      }
      step();
      require(++steps < 50_000_000, Invariant.PROGRESS, "a scenario that does not end");
    }
    return true;
  }

  // ---- turns

  @Override
  int socketAt(Datagram datagram) {
    for (int i = 0; i < hosts.size(); i++) {
      if (hosts.get(i).interfaceAt(datagram.destination) >= 0) {
        return i;
      }
    }
    return -1;
  }

  @Override
  int hostCount() {
    return hosts.size();
  }

  @Override
  void read(int host) {
    network.socket(host).read(read, nowNs);
    hosts.get(host).deliver(read[0]);
  }

  @Override
  long nextDeadlineNs(int host) {
    return hosts.get(host).dueNs();
  }

  @Override
  void onTime(int host) {
    hosts.get(host).onTime();
  }

  @Override
  void onTurn(int host) {
    if (host >= 0) {
      hosts.get(host).check();
    }
  }

  void runFor(long durationNs) {
    run(() -> false, durationNs);
  }

  /** An endpoint with its address and the link that leads to it. */
  final class Host implements BusyTurns.Host {
    final List<ScenarioPeer> accepted = new ArrayList<>();
    private final SimLink link;

    /** Where its datagrams arrive, one read at a time. */
    final SimSocket socket;

    InetSocketAddress address;

    /** Addresses of its further interfaces, from the second on. */
    final List<InetSocketAddress> others = new ArrayList<>();

    ConnectionConfig config = ConnectionConfig.builder().build();
    LoopResources loop;
    NodeBudgets budgets;
    Node node;

    /** Event loop that takes time; null: infinitely fast. */
    BusyTurns turns;

    private final Set<Connection> touched = new LinkedHashSet<>();
    private final long budgetBytes;
    private boolean isWoken;
    private int nextPort = 40_000;

    Host(int number, InetSocketAddress address, long budgetBytes) {
      this.link = new SimLink(number, datagram -> fate.delaysNs(datagram));
      this.socket = network.socket(SimRandom.fork(number, "read"), 0, 1);
      this.address = address;
      this.budgetBytes = budgetBytes;
      restart();
    }

    /** Forgets everything, like a restarted process at the same address. */
    void restart() {
      loop = new LoopResources(STORE_BYTES, CAM_ENTRIES, random);
      budgets = NodeBudgets.of(budgetBytes, CREDIT_POOL_BYTES);
      accepted.clear();
      node =
          new Node(
              EndpointConfig.ofLoop(0),
              loop,
              budgets,
              (buffer, offset, length, ni, to) -> send(buffer, offset, length, ni, to),
              () -> isWoken = true,
              random);
      node.endpoint().localNis(Collections.nCopies(Limits.LOCAL_NIS_MAX, LocalNi.UNNAMED));
    }

    /** Gives it {@code count} interfaces in all. The address of interface i has 10.0.i.1. */
    void interfaces(int count) {
      for (int i = 1; i < count; i++) {
        others.add(new InetSocketAddress("10.0." + i + ".1", address.getPort()));
      }
    }

    /** Returns the address of an interface. */
    InetSocketAddress address(int ni) {
      return ni == 0 ? address : others.get(ni - 1);
    }

    /** Returns the interface with this address; −1: it has none. */
    int interfaceAt(InetSocketAddress at) {
      return at.equals(address) ? 0 : others.indexOf(at) < 0 ? -1 : others.indexOf(at) + 1;
    }

    /** Gives each packet and each turn a cost on its loop from now on. */
    void slowDown(long packetNs, long turnNs, boolean hasManySockets) {
      turns = new BusyTurns(this, packetNs, turnNs, hasManySockets);
    }

    /** Runs a task on its loop, in its turn. */
    void execute(Runnable task) {
      if (turns == null) {
        task.run();
      } else {
        turns.execute(task);
      }
    }

    ScenarioPeer connect(Host to) {
      Connection connection = node.connect(config, to.address, nowNs);
      ScenarioPeer peer = new ScenarioPeer(ScenarioNet.this, this, connection);
      node.flush(connection, nowNs);
      return peer;
    }

    /**
     * Connects each of its interfaces to the one of {@code to} with the same number, or the first.
     */
    ScenarioPeer connectByAll(Host to) {
      List<Pair> pairs = new ArrayList<>();
      for (int ni = 0; ni <= others.size(); ni++) {
        pairs.add(new Pair(ni, to.address(Math.min(ni, to.others.size()))));
      }
      Connection connection = node.connect(config, pairs, nowNs);
      ScenarioPeer peer = new ScenarioPeer(ScenarioNet.this, this, connection);
      node.flush(connection, nowNs);
      return peer;
    }

    /** Connects by a port that may change. Each further interface has another port. */
    ScenarioPeer connectByFreePort(Host to) {
      for (int ni = 1; ni < Limits.LOCAL_NIS_MAX; ni++) {
        others.add(freshPort());
      }
      Connection connection = node.connect(config, to.address, nowNs);
      connection.allowNewPorts();
      ScenarioPeer peer = new ScenarioPeer(ScenarioNet.this, this, connection);
      node.flush(connection, nowNs);
      return peer;
    }

    private InetSocketAddress freshPort() {
      return new InetSocketAddress(address.getAddress(), nextPort++);
    }

    /** Closes the ports that a connection no longer needs: their numbers get new ones. */
    void onPortChanged(Connection connection) {
      for (int ni = 1; ni < Limits.LOCAL_NIS_MAX; ni++) {
        if ((connection.nis() >>> ni & 1) == 0) {
          others.set(ni - 1, freshPort());
        }
      }
    }

    /** Connects to one interface of {@code to}, and uses those that it tells. */
    ScenarioPeer connectAndLearn(Host to, int known) {
      List<Pair> pairs = List.of(new Pair(0, to.address(known)));
      Connection connection = node.connectAndLearn(config, pairs, nowNs);
      ScenarioPeer peer = new ScenarioPeer(ScenarioNet.this, this, connection);
      node.flush(connection, nowNs);
      return peer;
    }

    private void accept(Connection connection) {
      accepted.add(new ScenarioPeer(ScenarioNet.this, this, connection));
      node.arrived(connection, nowNs);
    }

    /** Sends by the interface {@code ni}. */
    void send(ByteBuffer buffer, int offset, int length, int ni, InetSocketAddress to) {
      long workNs = turns == null ? 0 : turns.onSend();
      network.send(link, null, address(ni), to, buffer, offset, length, nowNs + workNs);
    }

    private long dueNs() {
      if (turns == null) {
        return nextDeadlineNs();
      }
      turns.rearm(nowNs);
      return turns.nextNs();
    }

    private void onTime() {
      if (turns == null) {
        onTimeout();
      } else {
        turns.turn(nowNs);
      }
    }

    private void check() {
      long counted = budgets.solicitation().countedBytes();
      require(
          counted >= 0 && counted <= budgetBytes + (budgetBytes >> 3),
          Invariant.GRANTS,
          "%,d bytes of a budget of %,d",
          counted,
          budgetBytes);
    }

    /** Returns whether it has sent the datagram. */
    boolean hasSent(Datagram datagram) {
      return datagram.link == link;
    }

    @Override
    public void read(Datagram datagram) {
      read(datagram.bytes, datagram.length, datagram.source, datagram.destination);
      network.free(datagram);
    }

    private void read(ByteBuffer bytes, int length, InetSocketAddress from, InetSocketAddress to) {
      int ni = Math.max(0, interfaceAt(to));
      Connection connection = node.route(bytes, 0, length, ni, from, nowNs);
      if (connection == null) {
        node.onStray(bytes, 0, length, ni, from, config, nowNs);
        return;
      }
      if (!Node.isAttached(connection)) {
        accept(connection);
      }
      PacketBurst burst = new PacketBurst();
      burst.add(bytes, 0, length, node.arrival(), PacketBurst.TRANSIENT);
      node.receive(connection, burst, nowNs);
      ReadBytes.scribble(burst);
      touched.add(connection);
    }

    @Override
    public void readComplete() {
      for (Connection connection : touched) {
        node.receiveComplete(connection, nowNs);
      }
      touched.clear();
    }

    @Override
    public long nextDeadlineNs() {
      return isWoken ? nowNs : node.nextDeadlineNs();
    }

    @Override
    public void onTimeout() {
      if (isWoken) {
        isWoken = false;
        node.onWake(nowNs);
      }
      if (node.nextDeadlineNs() <= nowNs) {
        node.onTimeout(nowNs);
      }
    }

    private void deliver(Datagram datagram) {
      if (turns != null) {
        turns.arrive(datagram);
        return;
      }
      read(datagram);
      readComplete();
    }

    long count(CounterId id) {
      return loop.counters().value(id);
    }

    /** Returns the packets that were sent again, for any reason. */
    long resent() {
      return count(CounterId.RETRANSMITS_EARLY)
          + count(CounterId.RETRANSMITS_PROBE)
          + count(CounterId.RETRANSMITS_TIMEOUT)
          + count(CounterId.RETRANSMITS_MOVED);
    }

    /** Checks that nothing is held after every connection is closed and forgotten. */
    void requireEmpty() {
      require(
          node.size() == 0
              && loop.retransmissionEngine().inFlightCount() == 0
              && loop.solicitation().reorderTable().size() == 0
              && loop.store().unitCount() == loop.store().freeUnits()
              && loop.store().reservedUnits() == 0
              && budgets.solicitation().countedBytes() == 0
              && budgets.solicitation().aheadUnits() == 0
              && budgets.credit().usedBytes() == 0,
          Invariant.EMPTY_AFTER_CLOSE,
          "%s still holds something: %d connections",
          address,
          node.size());
    }
  }

  /** Closes all connections and lets pending work finish. Then no host may hold anything. */
  void closeAll(List<ScenarioPeer> peers) {
    for (ScenarioPeer peer : peers) {
      peer.close();
    }
    runFor(30_000_000_000L);
    hosts.forEach(Host::requireEmpty);
  }
}
