package io.rtransport.core.connection;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.outcome.SendFailure;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.parameter.DirectionParameters;
import io.rtransport.core.rail.LocalNi;
import io.rtransport.core.rail.Nid;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.time.DeadlineWheel;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.wire.PacketType;
import io.rtransport.simulator.Application;
import io.rtransport.simulator.Node;
import io.rtransport.simulator.Wire;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;

/**
 * Two endpoints and a wire of constant delay on virtual time, for tests of set-up and end: every
 * packet can be seen, dropped or replayed.
 */
final class EndpointPair {
  static final long DELAY_NS = 50_000;

  /** Answer of {@link Peer#onOpen}: not now. */
  static final long LATER = -1;

  /** Steps without time passing beyond which something spins. */
  private static final int STEPS_PER_INSTANT_MAX = 100_000;

  /**
   * A packet on the wire.
   *
   * @param ni the receiver's interface that it comes in by
   */
  record Flying(Host to, InetSocketAddress from, byte[] bytes, long arrivesNs, int ni) {
    /** The address that it was sent to. */
    InetSocketAddress toAddress() {
      return to.address(ni);
    }

    int type() {
      return bytes[1] & 0x1F;
    }
  }

  /** One side: an endpoint, what it was told, and an application that acknowledges every push. */
  final class Host {
    /** Where the others see it; changing it is what a translator of addresses on the way does. */
    InetSocketAddress address;

    /** The same of its interfaces from index 1 on. */
    final List<InetSocketAddress> moreAddresses = new ArrayList<>();

    private final List<LocalNi> nis = new ArrayList<>(List.of(LocalNi.UNNAMED));
    final Node node;
    final LoopResources loop;
    final List<Peer> accepted = new ArrayList<>();

    /** What its applications do inside that call. */
    Consumer<Peer> onEstablished = peer -> {};

    ConnectionConfig acceptConfig = ConnectionConfig.builder().build();
    boolean isListening;
    boolean isAccepting = true;
    boolean isWoken;

    Host(int port, EndpointConfig config, long seed) {
      address = new InetSocketAddress("127.0.0.1", port);
      loop = new LoopResources(1 << 20, 1 << 10, new Random(seed));
      node =
          new Node(
              config,
              loop,
              NodeBudgets.defaults(),
              (buffer, offset, length, ni, to) -> fly(this, ni, to, buffer, offset, length),
              () -> isWoken = true,
              new Random(seed + 1));
    }

    /** Adds an interface on a network; its address is told to peers. */
    Host ni(InetSocketAddress at, String network) {
      moreAddresses.add(at);
      nis.add(new LocalNi(network, at));
      node.endpoint().localNis(nis);
      List<Nid> told = nis.stream().map(LocalNi::nid).filter(Objects::nonNull).toList();
      acceptConfig = acceptConfig.toBuilder().nids(told).build();
      return this;
    }

    /** Where the others see its interface {@code ni}. */
    InetSocketAddress address(int ni) {
      return ni == 0 ? address : moreAddresses.get(ni - 1);
    }

    private int niOf(InetSocketAddress at) {
      return address.equals(at) ? 0 : moreAddresses.indexOf(at) + 1;
    }

    private boolean isAt(InetSocketAddress at) {
      return address.equals(at) || moreAddresses.contains(at);
    }

    Peer connect(Host to, ConnectionConfig config) {
      return connect(config, new Pair(0, to.address));
    }

    Peer connect(ConnectionConfig config, Pair... pairs) {
      Connection connection = node.connect(config, List.of(pairs), nowNs);
      Peer peer = new Peer(this, connection);
      node.flush(connection, nowNs);
      return peer;
    }

    /** Connects as a driver does whose sockets are connected. */
    Peer connectAndLearn(Host to) {
      List<Pair> first = List.of(new Pair(0, to.address));
      Peer peer =
          new Peer(this, node.connectAndLearn(ConnectionConfig.builder().build(), first, nowNs));
      peer.flush();
      return peer;
    }

    /** From now on it accepts connections. */
    void listen() {
      isListening = true;
    }

    private void accept(Connection connection) {
      accepted.add(new Peer(this, connection));
      node.arrived(connection, nowNs);
    }

    long count(CounterId id) {
      return node.counters().value(id);
    }
  }

  /** A connection with its application. */
  final class Peer implements Application, PayloadSource, Wire {
    final Host host;
    final Connection connection;
    final List<String> events = new ArrayList<>();
    final List<Outcome> ends = new ArrayList<>();

    /** Tags of the transactions that have ended, in order. */
    final List<Long> endedTags = new ArrayList<>();

    /** Tags of the pushes of which RECEIVED was told after their end. */
    final List<Long> receivedLate = new ArrayList<>();

    final List<InetSocketAddress> moves = new ArrayList<>();

    /** When it was told that its packets leave by another port. */
    final List<Long> portChangesNs = new ArrayList<>();

    /** Addresses of the peer that it knew, each time that it was told of a change. */
    final List<List<InetSocketAddress>> peerChanges = new ArrayList<>();

    boolean isAcknowledging = true;

    /** Paths whose ports have room, a bit for each. */
    int room = -1;

    /** What lies below may hold more than was read. */
    boolean mayHaveUnread;

    /** Set before the connection carries anything. */
    PushSupplier ready = PushSupplier.NEVER;

    LongUnaryOperator onOpen = rsn -> rsn;

    private LongPredicate onPass;

    CloseReason reason;
    int released;
    long lastDelivered;

    Peer(Host host, Connection connection) {
      this.host = host;
      this.connection = connection;
      host.node.attach(connection, this, this);
    }

    /** From now on pushes that can pass do, of which it says {@code onPass}. */
    void onPass(LongPredicate says) {
      onPass = says;
      connection.verbs().takesWhole(Integer.MAX_VALUE);
    }

    boolean push(int length) {
      return push(length, true);
    }

    boolean push(int length, boolean isAwaited) {
      boolean taken =
          connection
              .verbs()
              .submitPush(this, length, length, ByteBuffer.allocate(0), 0, 0, 7, isAwaited);
      flush();
      return taken;
    }

    void flush() {
      host.node.flush(connection, nowNs);
    }

    void close(int code, String text) {
      host.node.close(connection, code, text, nowNs);
    }

    void abort(int code, String text) {
      host.node.abort(connection, code, text, nowNs);
    }

    void onUnreachable() {
      onSendFailed(0, SendFailure.NO_LISTENER);
    }

    void onSendFailed(int pathIndex, SendFailure failure) {
      host.node.onSendFailed(connection, pathIndex, failure, nowNs);
    }

    @Override
    public void onEntry(OutboxEntry entry) {
      long rsn = entry.rsn();
      switch (entry.kind()) {
        case ESTABLISHED -> {
          events.add("established");
          host.onEstablished.accept(this);
        }
        case PEER_FINISHED -> events.add("finished");
        case MOVED -> moves.add(connection.remote());
        case PORT_CHANGED -> portChangesNs.add(nowNs);
        case PEER_CHANGED -> peerChanges.add(connection.toldAddresses());
        case CLOSED -> {
          events.add("closed");
          reason = new CloseReason(entry.code(), entry.text(), entry.isByPeer());
        }
        case MESSAGE -> {
          int headerLength = entry.headerLength();
          String header = headerLength == 0 ? "" : ", header " + headerLength;
          events.add("passed " + entry.length() + header);
          if (onPass.test(rsn)) {
            connection.verbs().acknowledge(rsn);
          }
        }
        case OPENED -> {
          long handle = onOpen.applyAsLong(rsn);
          if (handle >= 0 && !connection.verbs().accept(rsn, handle, false, Long.MAX_VALUE)) {
            delivered(handle, false); // it was given up meanwhile
          }
        }
        case BYTES -> connection.verbs().taken(rsn, entry.length());
        case DELIVERED -> delivered(entry.handle(), entry.isWhole());
        case REQUESTED -> connection.verbs().fail(rsn, 300, "nothing to pull");
        case SOURCE_RELEASED -> released++;
        case RECEIVED -> {
          events.add("received " + entry.tag());
          if (endedTags.contains(entry.tag())) {
            receivedLate.add(entry.tag());
          }
        }
        case ENDED -> {
          ends.addAll(Collections.nCopies(entry.count(), entry.outcome()));
          endedTags.add(entry.tag());
        }
        case ROOM, FORGOTTEN -> {}
      }
    }

    private void delivered(long handle, boolean isWhole) {
      events.add(isWhole ? "delivered" : "aborted");
      lastDelivered = handle;
      if (isWhole && isAcknowledging) {
        connection.verbs().acknowledge(handle);
      }
    }

    @Override
    public void transmit(PacketBurst burst, long atNs) {
      for (int i = 0; i < burst.count(); i++) {
        InetSocketAddress to = connection.remote(burst.pathIndex(i));
        int ni = connection.ni(burst.pathIndex(i));
        fly(host, ni, to, burst.buffer(i), burst.offset(i), burst.length(i));
      }
    }

    @Override
    public boolean hasRoom(int pathIndex) {
      return (room >>> pathIndex & 1) != 0;
    }

    @Override
    public boolean mayHaveUnread() {
      return mayHaveUnread;
    }

    @Override
    public PushSupplier pushSupplier() {
      return new PushSupplier() {
        @Override
        public boolean hasNext() {
          return ready.hasNext();
        }

        @Override
        public int nextLengthBytes() {
          return ready.nextLengthBytes();
        }

        @Override
        public void fill(Packet packet) {
          ready.fill(packet);
        }
      };
    }

    @Override
    public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
      released += offset + length == handle ? 1 : 0; // it is named by its length
      return length;
    }
  }

  private final ArrayDeque<Flying> wire = new ArrayDeque<>();
  final List<Flying> seen = new ArrayList<>();
  final List<Host> hosts = new ArrayList<>();
  Predicate<Flying> loss = flying -> false;

  /** Whether both sides say that they know rails. If not, CONNECT and ACCEPT are changed. */
  boolean hasRails = true;

  /** Takes what is sent to addresses at which no host is. */
  BiConsumer<InetSocketAddress, byte[]> nowhere = (to, bytes) -> {};

  long nowNs = 1_000_000_000L;

  Host host(EndpointConfig config) {
    Host host = new Host(7_400 + hosts.size(), config, 100 + hosts.size());
    hosts.add(host);
    return host;
  }

  Host host() {
    return host(EndpointConfig.ofLoop(0));
  }

  /** A host at the address of {@code old}, which is gone: its process was started again. */
  Host restart(Host old) {
    Host host = new Host(old.address.getPort(), EndpointConfig.ofLoop(0), 999);
    hosts.set(hosts.indexOf(old), host);
    return host;
  }

  /** Sends bytes as if they came from {@code from}. */
  void inject(Host from, InetSocketAddress to, byte[] bytes) {
    fly(from, 0, to, ByteBuffer.wrap(bytes), 0, bytes.length);
  }

  /** Bytes arrive at {@code to} that say they come from {@code from}, where no host is. */
  void forge(InetSocketAddress from, Host to, byte[] bytes) {
    forge(from, to, 0, bytes);
  }

  /** The same, at the interface {@code ni} of {@code to}. */
  void forge(InetSocketAddress from, Host to, int ni, byte[] bytes) {
    wire.add(new Flying(to, from, bytes, nowNs + DELAY_NS, ni));
  }

  /** Lets virtual time pass until {@code untilNs}, doing everything that falls due. */
  void runUntil(long untilNs) {
    long instantNs = nowNs;
    int steps = 0;
    while (true) {
      steps = nowNs == instantNs ? steps + 1 : 0;
      instantNs = nowNs;
      if (steps == STEPS_PER_INSTANT_MAX) {
        throw new AssertionError("something is due at " + nowNs + " ns, and is not done");
      }
      long next = wire.isEmpty() ? DeadlineWheel.NONE : wire.peek().arrivesNs;
      for (Host host : hosts) {
        next = Math.min(next, host.node.nextDeadlineNs());
      }
      if (next > untilNs) {
        nowNs = untilNs;
        return;
      }
      nowNs = Math.max(nowNs, next);
      while (!wire.isEmpty() && wire.peek().arrivesNs <= nowNs) {
        arrive(wire.poll());
      }
      for (Host host : hosts) {
        host.node.onTimeout(nowNs);
        if (host.isWoken) {
          host.isWoken = false;
          host.node.onWake(nowNs);
        }
      }
    }
  }

  void runFor(long durationNs) {
    runUntil(nowNs + durationNs);
  }

  private void arrive(Flying flying) {
    if (!hosts.contains(flying.to)) {
      return;
    }
    ByteBuffer buffer = ByteBuffer.wrap(flying.bytes);
    Host host = flying.to;
    Node node = host.node;
    int length = flying.bytes.length;
    Connection connection = node.route(buffer, 0, length, flying.ni, flying.from, nowNs);
    if (connection == null) {
      ConnectionConfig accepting = host.isListening && host.isAccepting ? host.acceptConfig : null;
      node.onStray(buffer, 0, length, flying.ni, flying.from, accepting, nowNs);
      return;
    }
    int arrival = node.arrival();
    if (!Node.isAttached(connection)) {
      host.accept(connection);
    }
    PacketBurst burst = new PacketBurst();
    burst.add(buffer, 0, length, arrival, PacketBurst.TRANSIENT);
    node.receive(connection, burst, nowNs);
    node.receiveComplete(connection, nowNs);
  }

  private void fly(
      Host from, int ni, InetSocketAddress to, ByteBuffer buffer, int offset, int length) {
    byte[] bytes = new byte[length];
    buffer.get(offset, bytes);
    if (!hasRails) {
      forgetRails(bytes);
    }
    boolean isAnyones = false;
    for (Host host : hosts) {
      if (host.isAt(to)) {
        isAnyones = true;
        Flying flying = new Flying(host, from.address(ni), bytes, nowNs + DELAY_NS, host.niOf(to));
        seen.add(flying);
        if (!loss.test(flying)) {
          wire.add(flying);
        }
      }
    }
    if (!isAnyones) {
      nowhere.accept(to, bytes);
    }
  }

  /** Makes CONNECT and ACCEPT not say that their sender knows rails. */
  private static void forgetRails(byte[] packet) {
    int type = packet[1] & 0x1F;
    if (type != PacketType.CONNECT && type != PacketType.ACCEPT) {
      return;
    }
    ByteBuffer bytes = ByteBuffer.wrap(packet);
    int tlvs = 48;
    for (int at = tlvs; at < tlvs + bytes.getShort(38); at += 4 + bytes.getShort(at + 2)) {
      if (bytes.getShort(at) == ConnectionParameter.FEATURES.id()) {
        bytes.putInt(at + 4, bytes.getInt(at + 4) & ~DirectionParameters.FEATURE_RAILS);
      }
    }
    Knocks.sealed(packet);
  }
}
