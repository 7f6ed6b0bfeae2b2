package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.EndpointConfig;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * A host of a swarm: one endpoint, which connects and accepts, and the ends of its connections. It
 * can crash. Then it starts anew, with other secrets and no memory of its past.
 */
final class SwarmHost {
  private static final int CONNECTIONS_MAX = 256;
  private static final int HALF_OPEN_MAX = 64;

  /**
   * Counters that stay zero: no honest peer causes them, and the checksum stops damaged packets.
   */
  private static final CounterId[] NEVER = {
    CounterId.ACK_OF_UNSENT,
    CounterId.CLOSES_REFUSED,
    CounterId.COMPLETED_IGNORED,
    CounterId.CREDIT_IGNORED,
    CounterId.DROP_ACK_BODY,
    CounterId.DROP_BODY,
    CounterId.DROP_RECORD_COUNT,
    CounterId.DROP_RECORD_FIELD,
    CounterId.DROP_RECORD_LENGTH,
    CounterId.DROP_RECORD_TYPE,
    CounterId.DROP_TLV,
    CounterId.OUT_OF_WINDOW_RECEIVED
  };

  final int index;
  private final SwarmWorld world;
  private final SwarmPlan.Host plan;
  private final Datagram[] batch = new Datagram[PacketBurst.CAPACITY];
  private final WireView view = new WireView();
  private final Map<Connection, SwarmSide> sideOf = new IdentityHashMap<>();
  private final Map<ConnectionConfig, SwarmSide> offered = new IdentityHashMap<>();
  private final List<SwarmSide> sides = new ArrayList<>();

  /** Ends that this incarnation had, over or not. Its counters count all of them. */
  private final List<SwarmSide> counted = new ArrayList<>();

  private final List<Connection> touched = new ArrayList<>();
  private CoreState core;
  private Node node;
  private AddressGuard guard;
  private int incarnation;
  private int linkRead;
  private PacketBurst burst;
  private boolean isWoken;
  private long pausedNs;

  SwarmHost(int index, SwarmWorld world) {
    this.index = index;
    this.world = world;
    this.plan = world.plan().hosts.get(index);
    start();
  }

  /** Starts a new incarnation. */
  void start() {
    String name = "secrets " + index + " " + incarnation++;
    RandomGenerator secrets = SimRandom.fork(world.plan().seed, name);
    core = new CoreState(index, secrets, plan);
    guard = new AddressGuard();
    EndpointConfig config =
        new EndpointConfig(
            index,
            CONNECTIONS_MAX,
            HALF_OPEN_MAX,
            plan.isTokenDemanded() ? 0 : HALF_OPEN_MAX / 2,
            HALF_OPEN_MAX);
    node =
        new Node(
            config,
            core.loop(),
            core.budgets(),
            (buffer, offset, length, ni, to) ->
                world.sendStray(this, linkRead, to, buffer, offset, length),
            () -> isWoken = true,
            secrets);
  }

  boolean isUp() {
    return node != null;
  }

  int incarnations() {
    return incarnation;
  }

  Node node() {
    return node;
  }

  CoreState core() {
    return core;
  }

  AddressGuard guard() {
    return guard;
  }

  /** Forgets everything. */
  void crash() {
    count();
    for (SwarmSide side : new ArrayList<>(sides)) {
      side.crash();
    }
    sides.clear();
    sideOf.clear();
    offered.clear();
    node = null;
    isWoken = false;
  }

  void onPaused(long ns) {
    pausedNs += ns;
  }

  long pausedNs() {
    return pausedNs;
  }

  // ---- connections

  void connect(SwarmSide side, InetSocketAddress to, long nowNs) {
    guard.prove(to);
    Connection connection = node.connect(side.config(), to, nowNs);
    adopt(side, connection);
    node.flush(connection, nowNs);
  }

  private void adopt(SwarmSide side, Connection connection) {
    sides.add(side);
    counted.add(side);
    sideOf.put(connection, side);
    side.attach(connection);
  }

  /** Returns the configuration that the sender of the datagram being read may connect with. */
  private ConnectionConfig accepting() {
    SwarmSide side = world.current(linkRead).side(1);
    ConnectionConfig config = side.config().toBuilder().build();
    offered.put(config, side);
    return config;
  }

  private void accept(Connection connection, long nowNs) {
    adopt(offered.get(connection.config()), connection);
    node.arrived(connection, nowNs);
  }

  void forget(SwarmSide side) {
    sideOf.remove(side.connection());
    sides.remove(side);
  }

  // ---- turns

  void receive(long nowNs) {
    int count = world.socket(index).read(batch, nowNs);
    touched.clear();
    Connection owner = null;
    for (int i = 0; i < count; i++) {
      Datagram datagram = batch[i];
      linkRead = datagram.link.number;
      SwarmSide sender = (SwarmSide) datagram.sender;
      view.wrap(datagram.bytes, 0, datagram.length);
      if (sender != null) {
        SwarmSide to = sender.whole.side(1 - sender.end);
        to.watch.now(nowNs);
        if (!to.isCrashed()) {
          sender.whole.observer.onDelivered(
              to.end, datagram.bytes, 0, datagram.length, datagram.isDamaged);
        }
        if (to.isCrashed() && datagram.isCopy) {
          world.totals.count(SwarmEvent.STALE); // meant for the incarnation before
        }
      }
      guard.onRead(datagram.source, view, datagram.length, datagram.isDamaged);
      Connection found = node.route(datagram.bytes, 0, datagram.length, datagram.source, nowNs);
      if (found == null) {
        node.onStray(datagram.bytes, 0, datagram.length, datagram.source, accepting(), nowNs);
        continue;
      }
      int arrival = node.arrival();
      if (!Node.isAttached(found)) {
        accept(found, nowNs);
      }
      if (found != owner) {
        hand(owner, nowNs);
        owner = found;
        burst = sideOf.get(found).burst();
        burst.clear();
      }
      burst.add(datagram.bytes, 0, datagram.length, arrival, PacketBurst.TRANSIENT);
    }
    hand(owner, nowNs);
    burst = null;
    for (Connection connection : touched) {
      node.receiveComplete(connection, nowNs);
    }
    for (int i = 0; i < count; i++) {
      world.network.free(batch[i]);
      batch[i] = null;
    }
  }

  private void hand(Connection owner, long nowNs) {
    if (owner == null) {
      return;
    }
    node.receive(owner, burst, nowNs);
    ReadBytes.scribble(burst);
    if (!touched.contains(owner)) {
      touched.add(owner);
    }
  }

  long nextDeadlineNs(long nowNs) {
    if (node == null) {
      return Long.MAX_VALUE;
    }
    long next = isWoken ? nowNs : node.nextDeadlineNs();
    for (int i = 0; i < sides.size(); i++) {
      next = Math.min(next, sides.get(i).waitsUntilNs());
    }
    return next;
  }

  void onTime(long nowNs) {
    for (int i = sides.size() - 1; i >= 0; i--) {
      sides.get(i).onRoom(nowNs);
    }
    if (isWoken) {
      isWoken = false;
      node.onWake(nowNs);
    }
    if (node.nextDeadlineNs() <= nowNs) {
      node.onTimeout(nowNs);
    }
  }

  long nextApplicationNs() {
    long next = Long.MAX_VALUE;
    for (int i = 0; i < sides.size(); i++) {
      next = Math.min(next, sides.get(i).schedule.nextNs());
    }
    return next;
  }

  void runApplications(long nowNs) {
    for (int i = sides.size() - 1; i >= 0; i--) {
      if (sides.get(i).schedule.nextNs() <= nowNs) {
        sides.get(i).run(nowNs);
      }
    }
  }

  /** Sets the time, before a turn. */
  void now(long nowNs) {
    for (int i = 0; i < sides.size(); i++) {
      sides.get(i).schedule.now(nowNs);
    }
  }

  // ---- checks

  /** Checks the host after each turn. */
  void check(long nowNs) {
    long creditBytes = 0;
    long outstanding = 0;
    for (int i = 0; i < sides.size(); i++) {
      SwarmSide side = sides.get(i);
      creditBytes += side.whole.plan.initialCreditBytes;
      outstanding += side.whole.plan.outstandingMax;
      side.check(nowNs);
    }
    if (node != null) {
      core.checkBounds(creditBytes, outstanding);
    }
  }

  /** Checks the times whenever time has passed. */
  void checkTimes(long nowNs) {
    for (int i = 0; i < sides.size(); i++) {
      sides.get(i).checkTimes(nowNs);
    }
  }

  /** Checks at the end of the world that nothing is left. */
  void checkEmpty() {
    require(sides.isEmpty(), Invariant.EMPTY_AFTER_CLOSE, "%s is not forgotten", sides);
    core.checkEmpty(node.size());
    count();
  }

  /** Adds the counts of this incarnation. */
  private void count() {
    long arrivals = 0;
    long resends = 0;
    for (SwarmSide side : counted) {
      arrivals += side.whole.observer.arrivedCount(1 - side.end);
      resends += side.whole.observer.resent(side.end);
    }
    counted.clear();
    SimTotals totals = world.totals;
    core.count(totals, arrivals, resends);
    Counters counters = core.loop().counters();
    for (CounterId never : NEVER) {
      require(
          counters.value(never) == 0,
          Invariant.COUNTERS,
          "host %d counts %d %s among honest peers",
          index,
          counters.value(never),
          never);
    }
    totals.count(SwarmEvent.TOKENS, counters.value(CounterId.RETRIES_SENT));
    totals.count(SwarmEvent.RESETS, counters.value(CounterId.RESETS_SENT));
    totals.count(SwarmEvent.HALF_OPENS_EXPIRED, counters.value(CounterId.HALF_OPEN_EXPIRED));
    totals.count(SwarmEvent.PINGS, counters.value(CounterId.PINGS_SENT));
    totals.count(SwarmEvent.STORE_FULL, counters.value(CounterId.STORE_FULL));
    totals.count(SwarmEvent.DAMAGED_DROPPED, counters.value(CounterId.DROP_INTEGRITY));
  }

  @Override
  public String toString() {
    return "host " + index + (node == null ? " down" : " " + node.counters());
  }
}
