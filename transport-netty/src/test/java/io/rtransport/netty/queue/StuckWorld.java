package io.rtransport.netty.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopDrivers;
import io.rtransport.netty.port.MemoryPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Two event loops in virtual time with two connections between them, each end in queues of its own.
 * At one end of the first connection the consumer never polls, or stops for good. The second
 * connection must not feel it.
 */
final class StuckWorld implements AutoCloseable {
  private static final long START_NS = 1_000_000_000L;
  private static final long IDLE_NS = 1_000_000_000L;
  private static final long POST_NS = 20_000_000; // between two posts of a side
  private static final long PROMPT_NS = 3_000_000_000L; // to the end of a neighbour's post
  private static final long CLOSE_NS = 20_000_000_000L;
  private static final int STORE_BYTES = 1 << 20;
  private static final int CAM_ENTRIES = 1 << 10;
  private static final long BUDGET_BYTES = 1 << 20;
  private static final long POOL_BYTES = 1 << 20;
  private static final int CREDIT_BYTES = 32_768;
  private static final int STUCK = 0; // number of the first connection
  private static final AdpProfile[] PROFILES = {
    BuiltInProfiles.LOOPBACK, BuiltInProfiles.LAN, BuiltInProfiles.LOSSY
  };

  /** From when on the consumer does not poll. */
  enum Habit {
    /** It polls from the start to the end not once. */
    NEVER,
    /** It learns of its connection, and polls no more. */
    AFTER_OPEN,
    /** It polls for a drawn time. */
    LATER
  }

  /** A packet under way. */
  private record Packet(long dueNs, int number, byte[] bytes, Side from, Side to) {}

  private final Random random;
  private final Habit habit;
  private final long delayNs;
  private final double loss;
  private final long stuckFromNs;
  private final long closeNs;
  private final boolean isAbort;
  private final boolean isStuckOneClosing;
  private final ConnectionConfig handshake;
  private final PriorityQueue<Packet> wire =
      new PriorityQueue<>(Comparator.comparingLong(Packet::dueNs).thenComparing(Packet::number));
  private final Host[] hosts = {new Host(0), new Host(1)};
  private final Side[][] sides = new Side[2][2]; // by connection, by host
  private final Side stuck;
  private long nowNs = START_NS;
  private int packets;
  private boolean isUnstuck;
  private int lateCount;

  /** An event loop with its core. */
  private static final class Host {
    final LoopResources resources;
    final NodeBudgets budgets = NodeBudgets.of(BUDGET_BYTES, POOL_BYTES);
    final MockTicker ticker = Ticker.newMockTicker();
    final TimedLoop loop = new TimedLoop(ticker);
    final LoopDriver driver;

    Host(int number) {
      Random secrets = new Random(number);
      resources = new LoopResources(STORE_BYTES, CAM_ENTRIES, secrets);
      driver = LoopDrivers.install(loop, number, resources, budgets, secrets, loop);
    }

    long nextNs() {
      return Math.min(loop.nextTimerNs(), driver.endpoint().nextDeadlineNs());
    }
  }

  /** One end of a connection: its queues, its consumer and who posts. */
  private final class Side extends QueueRig.Recorder implements MemoryPort.Wire {
    final int connectionNumber;
    final Host host;
    final InetSocketAddress at;
    final RtQueues queues;
    RtQueueConnection connection;
    MemoryPort port;
    int posted;
    int refused;
    long[] postedNs = new long[1 << 13];
    long nextPostNs = START_NS;
    int checkedEnds;

    Side(int connectionNumber, int hostNumber) {
      this.connectionNumber = connectionNumber;
      host = hosts[hostNumber];
      at = new InetSocketAddress("127.0.0.1", 1_000 + 2 * connectionNumber + hostNumber);
      queues =
          RtQueues.open(
              RtQueueConfig.defaults()
                  .ports(
                      host.loop,
                      (context, config, local, remote) -> {
                        port = new MemoryPort(context, this, at, remote);
                        return port;
                      })
                  .handshake(handshake)
                  .wakeAtOnce(random.nextBoolean())
                  .postedMax(1 + random.nextInt(200))
                  .inboundMax(1 + random.nextInt(200)));
    }

    Side other() {
      return sides[connectionNumber][host == hosts[0] ? 1 : 0];
    }

    boolean isStuckNow() {
      boolean hasBegun =
          switch (habit) {
            case NEVER -> true;
            case AFTER_OPEN -> !open.isEmpty();
            case LATER -> nowNs >= stuckFromNs && !open.isEmpty();
          };
      return this == stuck && hasBegun && !isUnstuck;
    }

    @Override
    public void onOpen(RtQueueConnection opened) {
      super.onOpen(opened);
      connection = opened;
    }

    void post() {
      if (connection != null && nowNs >= nextPostNs) {
        boolean isOver = posted == postedNs.length || !closed.isEmpty();
        nextPostNs = isOver ? Long.MAX_VALUE : nowNs + POST_NS;
        if (isOver) {
          return;
        }
        if (QueueRig.push(connection, "message " + posted, posted) >= 0) {
          postedNs[posted++] = nowNs;
        } else {
          refused++;
        }
      }
    }

    @Override
    public void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to) {
      if (random.nextDouble() >= loss) {
        byte[] bytes = new byte[length];
        buffer.get(offset, bytes);
        long dueNs = nowNs + delayNs + random.nextInt(1 + (int) delayNs);
        wire.add(new Packet(dueNs, packets++, bytes, this, other()));
      }
    }

    @Override
    public boolean hasRoom() {
      return true;
    }

    /** Checks that a side whose consumers poll has the end of each post in time. */
    void checkPrompt() {
      while (ends.containsKey((long) checkedEnds)) {
        if (ends.get((long) checkedEnds) != Outcome.COMPLETED) {
          throw new AssertionError("post " + checkedEnds + " of a neighbour: " + this);
        }
        checkedEnds++;
      }
      if (checkedEnds < posted && nowNs - postedNs[checkedEnds] > PROMPT_NS) {
        throw new AssertionError("a neighbour waits for post " + checkedEnds + ": " + this);
      }
    }

    /** Checks what it was given at the end: each of its own posts' ends, and messages in order. */
    void checkAll() {
      assertThat(closed).as("%s", this).hasSize(connection == null ? 0 : 1);
      assertThat(ends).as("%s", this).hasSize(posted);
      assertThat(endsTwice).as("%s", this).isZero();
      Set<String> seen = new HashSet<>(messages);
      assertThat(messages).as("each once").hasSameSizeAs(seen);
      if (handshake.isOrdered()) {
        for (int i = 0; i < messages.size(); i++) {
          assertThat(messages.get(i)).isEqualTo("message " + i);
        }
      }
      other()
          .ends
          .forEach(
              (post, end) -> {
                boolean isTaken = seen.contains("message " + post);
                assertThat(isTaken || end != Outcome.COMPLETED).as("%s %s", post, end).isTrue();
              });
    }

    @Override
    public String toString() {
      return "side " + at.getPort() + " posted " + posted + ", " + super.toString();
    }
  }

  StuckWorld(long seed) {
    random = new Random(seed * 0x9E37_79B9_7F4A_7C15L); // first draws of near seeds are alike
    habit = Habit.values()[random.nextInt(3)];
    delayNs = 1_000L << random.nextInt(12);
    loss = random.nextBoolean() ? 0 : 0.02;
    closeNs = START_NS + 5_000_000_000L + random.nextInt(1_000) * 20_000_000L;
    stuckFromNs = START_NS + random.nextInt(1_000) * 3_000_000L;
    isAbort = random.nextBoolean();
    handshake =
        ConnectionConfig.builder()
            .ordered(random.nextBoolean())
            .idleTimeoutNs(IDLE_NS)
            .keepalive(true)
            .initialCreditBytes(CREDIT_BYTES)
            .closeTimeoutNs(CLOSE_NS / 2)
            .adpProfile(PROFILES[random.nextInt(PROFILES.length)])
            .build();
    int stuckHost = random.nextInt(2);
    boolean isStuckOneClosingDrawn = random.nextBoolean();
    for (int of = 0; of < 2; of++) {
      for (int host = 0; host < 2; host++) {
        sides[of][host] = new Side(of, host);
      }
    }
    stuck = sides[STUCK][stuckHost];
    // Who never polls does not know of a connection that it accepts.
    isStuckOneClosing = isStuckOneClosingDrawn && (habit != Habit.NEVER || stuckHost == 0);
  }

  Habit habit() {
    return habit;
  }

  /** Returns how many entries the stuck side was given only after all was over. */
  int lateCount() {
    return lateCount;
  }

  void run() {
    for (Side[] connection : sides) {
      advance();
      connection[1].queues.bind(connection[1].at);
      hosts[1].loop.runNow();
      connection[0].connection = connection[0].queues.connect(connection[1].at);
    }
    until(closeNs);
    for (Side side : sides[STUCK]) {
      boolean isAlive = side.connection == null || side.connection.closeReason() == null;
      assertThat(isAlive).as("lives: %s", side).isTrue();
    }
    assertThat(stuck.other().connection).as("%s", stuck.other()).isNotNull();
    Side closing = isStuckOneClosing ? stuck : stuck.other();
    if (isAbort) {
      closing.connection.close(300, "enough");
    } else {
      closing.connection.close();
    }
    until(closeNs + CLOSE_NS);
    stuck.other().checkAll(); // while the consumer is still stuck
    int before = stuck.ends.size() + stuck.messages.size();
    isUnstuck = true;
    until(nowNs + 1_000_000_000L);
    lateCount = stuck.ends.size() + stuck.messages.size() - before;
    for (Side neighbour : sides[1]) {
      assertThat(neighbour.closed).as("%s", neighbour).isEmpty();
      neighbour.nextPostNs = Long.MAX_VALUE;
    }
    until(nowNs + PROMPT_NS);
    sides[1][0].connection.close();
    until(nowNs + CLOSE_NS);
    for (Side[] connection : sides) {
      for (Side side : connection) {
        side.checkAll();
      }
    }
    for (Side neighbour : sides[1]) {
      assertThat(neighbour.messages).hasSize(neighbour.other().posted).hasSizeGreaterThan(200);
      assertThat(neighbour.refused).as("%s", neighbour).isZero();
    }
    checkEmpty();
  }

  private void until(long endNs) {
    int steps = 0;
    while (nowNs < endNs) {
      long nextNs = wire.isEmpty() ? endNs : wire.peek().dueNs;
      for (Host host : hosts) {
        nextNs = Math.min(nextNs, host.nextNs());
      }
      for (Side[] connection : sides) {
        for (Side side : connection) {
          nextNs = Math.min(nextNs, side.connection == null ? endNs : side.nextPostNs);
        }
      }
      steps = nextNs <= nowNs ? steps + 1 : 0;
      if (steps == 10_000) {
        throw new AssertionError("it spins at " + nowNs);
      }
      nowNs = Math.min(endNs, Math.max(nowNs, nextNs));
      advance();
      receive();
      turn();
      checkBounds();
    }
  }

  private void advance() {
    for (Host host : hosts) {
      host.ticker.advance(nowNs - host.ticker.nanoTime(), TimeUnit.NANOSECONDS);
    }
  }

  private void receive() {
    while (!wire.isEmpty() && wire.peek().dueNs <= nowNs) {
      Packet packet = wire.poll();
      PacketBurst burst = new PacketBurst();
      burst.add(ByteBuffer.wrap(packet.bytes), 0, packet.bytes.length, 0, PacketBurst.TRANSIENT);
      if (packet.to.port != null) {
        packet.to.port.receive(burst, i -> packet.from.at);
      }
    }
  }

  private void turn() {
    for (Side[] connection : sides) {
      for (Side side : connection) {
        side.post();
        do {
          while (side.host.loop.runNow() > 0) {
            // until there is nothing left
          }
        } while (!side.isStuckNow() && side.queues.poll(side, 64) > 0);
      }
    }
    for (Side neighbour : sides[1]) {
      neighbour.checkPrompt();
    }
  }

  private void checkBounds() {
    for (Host host : hosts) {
      long holding = host.resources.solicitation().holding().inUseBytes();
      long counted = host.budgets.solicitation().countedBytes();
      long credit = host.budgets.credit().usedBytes();
      boolean isBounded =
          holding <= 2 * (2 * CREDIT_BYTES + POOL_BYTES)
              && counted >= 0
              && counted <= BUDGET_BYTES + (BUDGET_BYTES >> 3)
              && credit >= 0
              && credit <= POOL_BYTES;
      if (!isBounded) {
        throw new AssertionError(
            "holding " + holding + ", budget " + counted + ", credit " + credit);
      }
    }
  }

  private void checkEmpty() {
    for (Host host : hosts) {
      assertThat(host.driver.endpoint().size()).isZero();
      assertThat(host.resources.solicitation().holding().inUseBytes()).isZero();
      assertThat(host.resources.solicitation().reorderTable().size()).isZero();
      assertThat(host.resources.store().freeUnits()).isEqualTo(host.resources.store().unitCount());
      assertThat(host.budgets.solicitation().countedBytes()).isZero();
      assertThat(host.budgets.credit().usedBytes()).isZero();
    }
  }

  @Override
  @SuppressWarnings("deprecation") // the graceful way sleeps on the wall clock
  public void close() {
    for (Host host : hosts) {
      host.loop.shutdown();
      host.loop.runNow();
    }
    for (Side[] connection : sides) {
      for (Side side : connection) {
        while (side.queues.poll(side, RtQueues.LIMIT_MAX) > 0) {
          side.host.loop.runNow();
        }
      }
    }
  }

  @Override
  public String toString() {
    return habit
        + (isAbort ? ", abort" : ", close")
        + (isStuckOneClosing ? " by the stuck side " : " by the other of ")
        + stuck
        + ", delay "
        + delayNs
        + ", loss "
        + loss;
  }
}
