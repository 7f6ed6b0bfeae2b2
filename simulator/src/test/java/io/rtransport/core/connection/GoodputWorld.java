package io.rtransport.core.connection;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.simulator.Application;
import io.rtransport.simulator.Node;
import io.rtransport.simulator.Wire;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A host that takes time for every packet, received or sent, and has a socket buffer of so many
 * datagrams: an honest client pushes what half of the host can bear, and an attack does what it
 * likes beside it. Virtual time, in steps of what one packet costs.
 */
final class GoodputWorld {
  /** What the host can do, received and sent together. */
  static final int PACKETS_PER_SECOND = 20_000;

  static final int HOSTILE_PER_SECOND = 4_000;
  static final InetSocketAddress SERVER = new InetSocketAddress("127.0.0.1", 7_400);
  static final InetSocketAddress CLIENT = new InetSocketAddress("127.0.0.1", 7_401);

  private static final long STEP_NS = TimeUnit.SECONDS.toNanos(1) / PACKETS_PER_SECOND;
  private static final int HONEST_PER_SECOND = 4_000;
  private static final int MESSAGE_BYTES = 1_000;
  private static final int LARGE_EVERY = 50;
  private static final int LARGE_BYTES = 32 << 10;
  private static final int BATCH = 16;
  private static final int SOCKET_DATAGRAMS = 512;
  private static final int CAPTURED_MAX = 8_192;
  private static final long DELAY_NS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long SET_UP_NS = TimeUnit.MILLISECONDS.toNanos(20);

  /** What is done beside the honest. */
  interface Attack {
    /** Once, before the honest client's messages are counted. */
    default void begin(GoodputWorld world) {}

    /** The {@code n}th of its packets is due. */
    void strike(GoodputWorld world, int n);

    /** The host has sent something that is not for the honest client. */
    default void onAnswer(GoodputWorld world, InetSocketAddress to, byte[] packet) {}
  }

  private record Flying(byte[] bytes, InetSocketAddress from, long arrivesNs) {}

  /**
   * Sits above one connection of the server: acknowledges what it is given, answers pulls, and
   * counts.
   */
  private final class Service implements Application, PayloadSource, Wire {
    private final Map<Long, Long> lengths = new HashMap<>();
    private final Connection connection;
    private final boolean isHonest;

    Service(Connection connection, boolean isHonest) {
      this.connection = connection;
      this.isHonest = isHonest;
      server.attach(connection, this, this);
    }

    @Override
    public void onEntry(OutboxEntry entry) {
      ApplicationVerbs verbs = connection.verbs();
      long rsn = entry.rsn();
      switch (entry.kind()) {
        case MESSAGE -> {
          goodputBytes += isHonest ? entry.length() : 0;
          verbs.acknowledge(rsn);
          verbs.takesWhole(-1);
        }
        case OPENED -> {
          lengths.put(rsn, entry.messageLength());
          // Every other one passes: both ways are to stand beside the attacks.
          verbs.takesWhole(Integer.MAX_VALUE);
          if (!verbs.accept(rsn, rsn, false, Long.MAX_VALUE)) {
            lengths.remove(rsn);
          }
        }
        case BYTES -> verbs.taken(rsn, entry.length());
        case DELIVERED -> delivered(entry.handle(), entry.isWhole());
        case REQUESTED -> verbs.respond(rsn, this, rsn, Math.min(entry.limitBytes(), 1 << 20));
        case CLOSED -> isHonestClosed |= isHonest;
        default -> {}
      }
    }

    private void delivered(long rsn, boolean isWhole) {
      long length = lengths.remove(rsn);
      if (isWhole) {
        goodputBytes += isHonest ? length : 0;
        connection.verbs().acknowledge(rsn);
      }
    }

    @Override
    public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
      return length;
    }

    @Override
    public boolean hasRoom(int pathIndex) {
      return true;
    }

    @Override
    public void transmit(PacketBurst burst, long atNs) {
      for (int i = 0; i < burst.count(); i++) {
        InetSocketAddress to = connection.remote(burst.pathIndex(i));
        leave(burst.buffer(i), burst.offset(i), burst.length(i), to);
      }
    }
  }

  final Node server;
  final LoopResources loop;
  final List<byte[]> captured = new ArrayList<>();
  final Map<InetSocketAddress, Connection> accepted = new HashMap<>();
  long nowNs = TimeUnit.SECONDS.toNanos(1);
  long hostilePackets;
  long answers;
  private final Attack attack;
  private final Node client;
  private final Connection honest;
  private final ArrayDeque<Flying> toServer = new ArrayDeque<>();
  private final ArrayDeque<Flying> toClient = new ArrayDeque<>();
  private final ConnectionConfig config = ConnectionConfig.builder().build();
  private PayloadSource source;
  private double hostileEverySteps;
  private long busyUntilNs;
  private int sentInTurn;
  private long goodputBytes;
  private boolean isHonestClosed;
  private boolean isClientToAct;
  private boolean isServerToAct;

  GoodputWorld(Attack attack) {
    this.attack = attack;
    loop = new LoopResources(8 << 20, 1 << 13, new Random(1));
    server =
        new Node(
            new EndpointConfig(0, 8_192, 256, 128, 16),
            loop,
            NodeBudgets.of(4 << 20, 1 << 20),
            (buffer, offset, length, ni, to) -> leave(buffer, offset, length, to),
            () -> isServerToAct = true,
            new Random(2));
    client =
        new Node(
            EndpointConfig.ofLoop(0),
            new LoopResources(8 << 20, 1 << 13, new Random(3)),
            NodeBudgets.defaults(),
            (buffer, offset, length, ni, to) -> {},
            () -> isClientToAct = true,
            new Random(4));
    honest = client.connect(config, SERVER, nowNs);
    new ClientService();
    client.flush(honest, nowNs);
    run(SET_UP_NS, false, false);
    assert honest.isEstablished() : "the honest client is not connected";
    attack.begin(this);
  }

  /** The honest client's side. */
  private final class ClientService implements Application, PayloadSource, Wire {
    ClientService() {
      client.attach(honest, this, this);
      source = this;
    }

    /** Nobody pushes to it, and it asks for nothing. */
    @Override
    public void onEntry(OutboxEntry entry) {
      isHonestClosed |= entry.kind() == OutboxEntry.Kind.CLOSED;
    }

    @Override
    public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
      return length;
    }

    @Override
    public boolean hasRoom(int pathIndex) {
      return true;
    }

    @Override
    public void transmit(PacketBurst burst, long atNs) {
      for (int i = 0; i < burst.count(); i++) {
        byte[] bytes = new byte[burst.length(i)];
        burst.buffer(i).get(burst.offset(i), bytes);
        if (captured.size() == CAPTURED_MAX) {
          captured.subList(0, CAPTURED_MAX / 2).clear();
        }
        captured.add(bytes);
        toServer.add(new Flying(bytes, CLIENT, nowNs + DELAY_NS));
      }
    }
  }

  private void accept(Connection connection, InetSocketAddress from) {
    new Service(connection, from.equals(CLIENT));
    accepted.put(from, connection);
    server.arrived(connection, nowNs);
  }

  /** A hostile packet leaves, and is at the host after the way. */
  void send(InetSocketAddress from, byte[] packet) {
    hostilePackets++;
    toServer.add(new Flying(packet, from, nowNs + DELAY_NS));
  }

  private void leave(ByteBuffer buffer, int offset, int length, InetSocketAddress to) {
    byte[] bytes = new byte[length];
    buffer.get(offset, bytes);
    sentInTurn++;
    if (to.equals(CLIENT)) {
      toClient.add(new Flying(bytes, SERVER, nowNs + DELAY_NS));
    } else {
      answers++;
      attack.onAnswer(this, to, bytes);
    }
  }

  /** Bytes a second of the honest client's messages that were delivered whole, for so long. */
  double goodput(long durationNs, int hostilePerSecond) {
    goodputBytes = 0;
    hostileEverySteps = PACKETS_PER_SECOND / (double) hostilePerSecond;
    run(durationNs, true, hostilePerSecond > 0);
    return isHonestClosed ? 0 : goodputBytes * 1e9 / durationNs;
  }

  private void run(long durationNs, boolean isHonestActive, boolean isHostileActive) {
    long steps = durationNs / STEP_NS;
    int messages = 0;
    int strikes = 0;
    for (long step = 0; step < steps; step++) {
      nowNs += STEP_NS;
      if (isHonestActive && step % (PACKETS_PER_SECOND / HONEST_PER_SECOND) == 0) {
        int length = messages++ % LARGE_EVERY == 0 ? LARGE_BYTES : MESSAGE_BYTES;
        honest.verbs().submitPush(source, 0, length, ByteBuffer.allocate(0), 0, 0, 0);
        client.flush(honest, nowNs);
      }
      while (isHostileActive && strikes * hostileEverySteps <= step) {
        attack.strike(this, strikes++);
      }
      clientTurn();
      serverTurn();
    }
  }

  private void clientTurn() {
    boolean isAnything = false;
    while (!toClient.isEmpty() && toClient.peek().arrivesNs <= nowNs) {
      PacketBurst burst = new PacketBurst();
      byte[] bytes = toClient.poll().bytes;
      burst.add(ByteBuffer.wrap(bytes), 0, bytes.length, 0, PacketBurst.TRANSIENT);
      if (client.route(ByteBuffer.wrap(bytes), 0, bytes.length, SERVER, nowNs) == honest) {
        client.receive(honest, burst, nowNs);
        isAnything = true;
      }
    }
    if (isAnything) {
      client.receiveComplete(honest, nowNs);
    }
    if (isClientToAct) {
      isClientToAct = false;
      client.onWake(nowNs);
    }
    if (client.nextDeadlineNs() <= nowNs) {
      client.onTimeout(nowNs);
    }
  }

  /** Reads a batch, lets each connection do its turn, and is busy for as long as that takes. */
  private void serverTurn() {
    int waiting = 0;
    for (var it = toServer.iterator(); it.hasNext(); ) {
      if (it.next().arrivesNs <= nowNs && ++waiting > SOCKET_DATAGRAMS) {
        it.remove(); // the socket's buffer is full
      }
    }
    if (busyUntilNs > nowNs) {
      return;
    }
    sentInTurn = 0;
    int read = 0;
    Map<Connection, PacketBurst> bursts = new LinkedHashMap<>();
    while (read < BATCH && !toServer.isEmpty() && toServer.peek().arrivesNs <= nowNs) {
      Flying flying = toServer.poll();
      read++;
      ByteBuffer buffer = ByteBuffer.wrap(flying.bytes);
      int length = flying.bytes.length;
      Connection connection = server.route(buffer, 0, length, flying.from, nowNs);
      if (connection != null && !Node.isAttached(connection)) {
        accept(connection, flying.from);
      }
      if (connection == null) {
        server.onStray(buffer, 0, length, flying.from, config, nowNs);
      } else {
        PacketBurst burst = bursts.computeIfAbsent(connection, c -> new PacketBurst());
        burst.add(buffer, 0, length, server.arrival(), PacketBurst.TRANSIENT);
      }
    }
    bursts.forEach(
        (connection, burst) -> {
          server.receive(connection, burst, nowNs);
          server.receiveComplete(connection, nowNs);
        });
    if (isServerToAct) {
      isServerToAct = false;
      server.onWake(nowNs);
    }
    if (server.nextDeadlineNs() <= nowNs) {
      server.onTimeout(nowNs);
    }
    busyUntilNs = nowNs + (read + sentInTurn - 1) * STEP_NS;
  }
}
