package io.rtransport.core.connection;

import static io.rtransport.core.connection.FuzzApplication.require;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.time.DeadlineWheel;
import io.rtransport.core.wire.SpecPacket;
import io.rtransport.simulator.Node;
import io.rtransport.simulator.Wire;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * One or two of our hosts on virtual time, without a network between them: a fuzzer carries the
 * packets, or writes them. What every host sends is held against docs/reference/protocol.md, and
 * what it holds against its bounds; after the end nothing may be held.
 */
final class FuzzWorld {
  static final int OUTSTANDING_MAX = 16;
  static final int CREDIT_BYTES = 2_048;
  static final int FIRST = -2;
  static final int HALF_OPEN_MAX = 8;
  private static final int STORE_BYTES = 1 << 18;
  private static final long BUDGET_BYTES = 1 << 19;
  private static final long POOL_BYTES = 1 << 14;
  private static final int TURNS_MAX = 100_000;
  private static final long END_NS = TimeUnit.SECONDS.toNanos(400);

  /** A packet on its way. */
  record Flying(byte[] bytes, InetSocketAddress from, InetSocketAddress to) {
    int type() {
      return bytes[1] & 0x1F;
    }
  }

  /** One endpoint and its applications. */
  final class Host {
    final InetSocketAddress address;
    final LoopResources loop;
    final NodeBudgets budgets = NodeBudgets.of(BUDGET_BYTES, POOL_BYTES);
    final Node node;
    final ConnectionConfig config;
    final Queue<Flying> sent = new ArrayDeque<>();
    final Map<Connection, FuzzApplication> applications = new HashMap<>();
    FuzzApplication application;

    /**
     * Bytes received from and sent to each address, until it counts as validated: then sent is −1.
     */
    private final Map<InetSocketAddress, long[]> unvalidated = new HashMap<>();

    private final long seed;
    private boolean isWoken;

    Host(int port, ConnectionConfig config, long seed) {
      this.address = new InetSocketAddress("127.0.0.1", port);
      this.config = config;
      this.seed = seed;
      this.loop = new LoopResources(STORE_BYTES, 1 << 8, new Random(seed));
      this.node =
          new Node(
              new EndpointConfig(0, 64, HALF_OPEN_MAX, 2, 3),
              loop,
              budgets,
              (buffer, offset, length, ni, to) -> leave(null, buffer, offset, length, to),
              () -> isWoken = true,
              new Random(seed + 1));
    }

    Connection connect(InetSocketAddress to) {
      Connection connection = node.connect(config, to, nowNs);
      validated(to); // who asks somebody has to send first
      adopt(connection);
      node.flush(connection, nowNs);
      return connection;
    }

    void validated(InetSocketAddress who) {
      unvalidated.computeIfAbsent(who, a -> new long[2])[1] = -1;
    }

    private void adopt(Connection connection) {
      FuzzApplication adopted =
          new FuzzApplication(seed + applications.size(), node, new Port(this, connection));
      adopted.adopt(connection);
      applications.put(connection, adopted);
      if (application == null) {
        application = adopted;
      }
    }

    private void accept(Connection connection, InetSocketAddress from) {
      adopt(connection);
      validated(from);
      node.arrived(connection, nowNs);
    }

    private void leave(
        Connection connection, ByteBuffer buffer, int offset, int length, InetSocketAddress to) {
      byte[] bytes = new byte[length];
      buffer.get(offset, bytes);
      ByteBuffer packet = ByteBuffer.wrap(bytes);
      require(SpecPacket.isWellFormed(bytes, packet.getInt(4), packet.getLong(8)), "malformed");
      if (connection != null && connection.agreed() != null) {
        require(
            length <= connection.agreed().both().datagramLengthBytes() - 12, "too long: " + length);
      }
      long[] both = unvalidated.computeIfAbsent(to, a -> new long[2]);
      if (both[1] >= 0) {
        both[1] += length;
        boolean isBounded = both[1] <= Limits.AMPLIFICATION_MAX * both[0];
        require(isBounded, both[1] + " bytes to " + to + " for " + both[0]);
      }
      sent.add(new Flying(bytes, address, to));
    }

    /** A datagram arrives, as a burst of its own. */
    void arrive(byte[] bytes, InetSocketAddress from) {
      unvalidated.computeIfAbsent(from, a -> new long[2])[0] += bytes.length;
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      Connection connection = node.route(buffer, 0, bytes.length, from, nowNs);
      if (connection != null && !Node.isAttached(connection)) {
        accept(connection, from);
      }
      if (connection == null) {
        node.onStray(buffer, 0, bytes.length, from, config, nowNs);
      } else {
        PacketBurst burst = new PacketBurst();
        burst.add(buffer, 0, bytes.length, node.arrival(), PacketBurst.TRANSIENT);
        node.receive(connection, burst, nowNs);
        if (from.equals(connection.remote())) { // it may send there at once
          validated(from);
        }
        node.receiveComplete(connection, nowNs);
      }
      wake();
      check();
    }

    private void wake() {
      if (isWoken) {
        isWoken = false;
        node.onWake(nowNs);
      }
    }

    private void pass(long untilNs) {
      for (int turn = 0; node.nextDeadlineNs() <= untilNs; turn++) {
        require(turn < TURNS_MAX, "a timer that spins");
        nowNs = Math.max(nowNs, node.nextDeadlineNs());
        node.onTimeout(nowNs);
        wake();
      }
      check();
    }

    /** What a peer can grow is within its bounds. */
    private void check() {
      require(node.size() <= 64, "connections");
      long counted = budgets.solicitation().countedBytes();
      require(counted >= 0 && counted <= BUDGET_BYTES + BUDGET_BYTES / 8, "budget " + counted);
      long credit = budgets.credit().usedBytes();
      require(credit >= 0 && credit <= POOL_BYTES, "credit pool " + credit);
      int connections = Math.max(1, applications.size());
      long holding = loop.solicitation().holding().inUseBytes();
      require(holding <= 2 * (CREDIT_BYTES * connections + POOL_BYTES), "holding " + holding);
      int reordered = loop.solicitation().reorderTable().size();
      require(reordered <= 3 * OUTSTANDING_MAX * connections, "reorder " + reordered);
      int inUse = loop.solicitation().transactions().inUse();
      require(inUse <= 3 * OUTSTANDING_MAX * connections, "transactions " + inUse);
      int inFlight = loop.retransmissionEngine().inFlightCount();
      require(inFlight <= 2 * 64 * connections, "in flight " + inFlight);
    }

    /** Nothing is left of anything. */
    private void checkEmpty() {
      require(node.size() == 0, "connections left: " + node.size());
      require(loop.retransmissionEngine().inFlightCount() == 0, "packets in flight left");
      require(loop.store().freeUnits() == loop.store().unitCount(), "store left");
      require(loop.store().reservedUnits() == 0, "reservations of the store left");
      require(loop.solicitation().reorderTable().size() == 0, "reorder entries left");
      require(loop.solicitation().holding().inUseBytes() == 0, "held bytes left");
      require(loop.solicitation().transactions().inUse() == 0, "transactions left");
      require(budgets.solicitation().countedBytes() == 0, "budget left");
      require(budgets.solicitation().pullBytes() == 0, "pull reservations left");
      require(budgets.solicitation().givenAwayBytes() == 0, "grants given away left");
      require(budgets.solicitation().staleBytes() == 0, "stale bytes left");
      require(budgets.credit().usedBytes() == 0, "credit left");
      require(node.nextDeadlineNs() == DeadlineWheel.NONE, "a timer left");
      applications.values().forEach(FuzzApplication::checkEnd);
    }
  }

  /** Where one connection's packets leave. */
  private record Port(Host host, Connection connection) implements Wire {
    @Override
    public void transmit(PacketBurst burst, long nowNs) {
      for (int i = 0; i < burst.count(); i++) {
        InetSocketAddress to = connection.remote(burst.pathIndex(i));
        host.leave(connection, burst.buffer(i), burst.offset(i), burst.length(i), to);
      }
    }

    @Override
    public boolean hasRoom(int pathIndex) {
      return true;
    }
  }

  final Host ours;
  final Host theirs;
  long nowNs = TimeUnit.SECONDS.toNanos(1);
  private boolean isAlone;

  FuzzWorld(boolean isOrdered) {
    ConnectionConfig config = config(isOrdered);
    ours = new Host(7_400, config, 1);
    theirs = new Host(7_401, config, 100);
  }

  private static ConnectionConfig config(boolean isOrdered) {
    return ConnectionConfig.builder()
        .requestWindowPackets(64)
        .dataWindowPackets(64)
        .outstandingMax(OUTSTANDING_MAX)
        .datagramLengthBytes(Limits.DATAGRAM_LENGTH_MIN)
        .initialCreditBytes(CREDIT_BYTES)
        .solicitThresholdBytes(1_024)
        .headerLengthMax(64)
        .messageLengthMax(1 << 16)
        .ordered(isOrdered)
        .initialNumbers(new InitialNumbers(FIRST, FIRST, FIRST, FIRST, FIRST & 0xFF_FFFF))
        .build();
  }

  /** Sets a connection up between both, who each have it as their application's then. */
  void connect() {
    theirs.connect(ours.address);
    for (int i = 0; i < 10 && (ours.application == null || i < 6); i++) {
      deliverAll();
      pass(TimeUnit.MICROSECONDS.toNanos(100));
    }
    require(ours.application != null, "not established");
  }

  /** Everything sent so far arrives where somebody is. */
  void deliverAll() {
    for (int round = 0; round < 200 && !(ours.sent.isEmpty() && theirs.sent.isEmpty()); round++) {
      for (Host host : new Host[] {ours, theirs}) {
        for (Flying flying = host.sent.poll(); flying != null; flying = host.sent.poll()) {
          deliver(flying);
        }
      }
    }
  }

  void deliver(Flying flying) {
    for (Host host : new Host[] {ours, theirs}) {
      if (host.address.equals(flying.to)) {
        host.arrive(flying.bytes, flying.from);
      }
    }
  }

  void pass(long durationNs) {
    long untilNs = nowNs + durationNs;
    for (long nextNs = nextNs(); nextNs <= untilNs; nextNs = nextNs()) {
      ours.pass(nextNs);
      if (!isAlone) {
        theirs.pass(nextNs);
      }
    }
    nowNs = Math.max(nowNs, untilNs);
  }

  private long nextNs() {
    long oursNs = ours.node.nextDeadlineNs();
    return isAlone ? oursNs : Math.min(oursNs, theirs.node.nextDeadlineNs());
  }

  /** Their host is gone: from now on the fuzzer speaks for it. */
  void leaveAlone() {
    isAlone = true;
    ours.sent.clear();
  }

  /** Ours goes away, whatever has happened, and leaves nothing behind. */
  void end(Host host) {
    for (FuzzApplication application : host.applications.values()) {
      if (!application.connection.isEnded()) {
        host.node.abort(application.connection, CloseCode.ABORTED.code(), "over", nowNs);
      }
    }
    host.pass(nowNs + END_NS);
    host.checkEmpty();
  }
}
