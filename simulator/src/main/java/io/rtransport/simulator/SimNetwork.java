package io.rtransport.simulator;

import io.rtransport.core.burst.PacketBurst;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;

/**
 * Network between two hosts, 0 and 1, in virtual time. For each datagram the seed alone decides
 * whether it is lost, delayed, duplicated or damaged, and when it arrives. The seed also decides
 * how many arrived datagrams a host reads as one burst.
 *
 * <p>A direction is a wire with a rate. A datagram leaves after the one before it has left, travels
 * for delay and jitter, and overtakes only where the plan delays another. A host does not read at
 * once. It wakes a drawn time after the first unread arrival and then takes 1..64 of the waiting
 * datagrams. So bursts of every size occur. Events at the same instant have a fixed order: by
 * serial number.
 */
final class SimNetwork {
  /** Observer of the traffic: the checkers below the wire. */
  interface Observer {
    /** Takes the bytes that host {@code from} sent, before any fault. */
    void onSent(int from, ByteBuffer buffer, int offset, int length, long nowNs);

    /** Takes a datagram that host {@code to} is about to read. */
    void onDelivered(int to, ByteBuffer buffer, int offset, int length, boolean isDamaged);
  }

  private static final int BURSTS_HELD = 2;
  private static final int UNDER_WAY_MAX = 30_000;
  private static final long REPLAY_NS_MAX = 3_000_000_000L;

  private final FaultPlan[] plans;
  private final Observer observer;
  private final SimTotals totals;
  private final RandomGenerator[] faultRandoms = new RandomGenerator[2];
  private final RandomGenerator[] readRandoms = new RandomGenerator[2];

  private final PriorityQueue<Datagram> underWay =
      new PriorityQueue<>(
          (a, b) ->
              a.arrivalNs != b.arrivalNs
                  ? Long.compare(a.arrivalNs, b.arrivalNs)
                  : Long.compare(a.serial, b.serial));
  private final ArrayDeque<Datagram> free = new ArrayDeque<>();

  @SuppressWarnings({"unchecked", "rawtypes"})
  private final ArrayDeque<Datagram>[] unread =
      new ArrayDeque[] {new ArrayDeque<>(), new ArrayDeque<>()};

  @SuppressWarnings({"unchecked", "rawtypes"})
  private final ArrayDeque<Datagram>[] lent =
      new ArrayDeque[] {new ArrayDeque<>(), new ArrayDeque<>()};

  private final InetSocketAddress[][] sources = new InetSocketAddress[2][PacketBurst.CAPACITY];
  private final WireView view = new WireView();
  private RandomGenerator forgeRandom;
  private double forged;
  private SimMoves moves;

  private final long[] wakeNs = {Long.MAX_VALUE, Long.MAX_VALUE};
  private final long[] pausedUntilNs = {Long.MIN_VALUE, Long.MIN_VALUE};
  private final long[] wireFreeNs = {Long.MIN_VALUE, Long.MIN_VALUE};
  private final long[] lastArrivalNs = {Long.MIN_VALUE, Long.MIN_VALUE};
  private final long[] outageUntilNs = {Long.MIN_VALUE, Long.MIN_VALUE};
  private final long[] sentCounts = new long[2];
  private final long[] highestReads = {-1, -1};
  private final double[] lossNow = new double[2];
  private final long[] extraDelayNs = new long[2];
  private final int[] mtuFirst = {Integer.MAX_VALUE, Integer.MAX_VALUE};
  private final int[] mtuLater = {Integer.MAX_VALUE, Integer.MAX_VALUE};
  private long mtuChangeNs = Long.MAX_VALUE;
  private long serial;

  /**
   * Creates the network.
   *
   * @param plans of the directions: 0 from host 0 to host 1, 1 back
   */
  SimNetwork(FaultPlan[] plans, long seed, Observer observer, SimTotals totals) {
    this.plans = plans.clone();
    this.observer = observer;
    this.totals = totals;
    for (int i = 0; i < 2; i++) {
      faultRandoms[i] = SimRandom.fork(seed, "network " + i);
      readRandoms[i] = SimRandom.fork(seed, "read " + i);
    }
  }

  /**
   * Lets host 0 change its address. Its datagrams arrive again from another address with
   * probability {@code forgedShare}.
   */
  void moves(SimMoves newMoves, double forgedShare, long seed) {
    moves = newMoves;
    forged = forgedShare;
    forgeRandom = SimRandom.fork(seed, "forged");
  }

  /**
   * Sets the path MTU of each direction, before {@code changeNs} and from then on. Longer datagrams
   * vanish without notice.
   */
  void mtu(int[] first, int[] later, long changeNs) {
    for (int i = 0; i < 2; i++) {
      mtuFirst[i] = first[i];
      mtuLater[i] = later[i];
    }
    mtuChangeNs = changeNs;
  }

  /** Drops, without notice, everything that {@code from} sends from now on, or stops dropping. */
  void cut(int from, boolean isCut) {
    loss(from, isCut ? 1 : 0);
  }

  /**
   * Drops, without notice, a share of what {@code from} sends from now on; 1 for everything. The
   * plan's own loss stays the least.
   */
  void loss(int from, double probability) {
    lossNow[from] = probability;
  }

  /** Delays what {@code from} sends from now on by so much more than the plan says. */
  void extraDelay(int from, long ns) {
    extraDelayNs[from] = ns;
  }

  /** Sends a datagram of host {@code from} to the other. The bytes are copied. */
  void send(int from, ByteBuffer buffer, int offset, int length, long nowNs) {
    send(from, buffer, offset, length, SimAddresses.of(1 - from), nowNs);
  }

  /** Sends a datagram of host {@code from} to {@code to}. The bytes are copied. */
  void send(int from, ByteBuffer buffer, int offset, int length, InetSocketAddress to, long nowNs) {
    observer.onSent(from, buffer, offset, length, nowNs);
    if (moves != null && from == 1) {
      moves.onSent(to, view.wrap(buffer, offset, length), length);
    }
    totals.packets++;
    FaultPlan plan = plans[from];
    RandomGenerator random = faultRandoms[from];
    long index = sentCounts[from]++;
    // The numbers are drawn even if they are not used. A fault that the minimiser removes then does
    // not shift the others.
    double loss = random.nextDouble();
    double reorder = random.nextDouble();
    double duplicate = random.nextDouble();
    double corrupt = random.nextDouble();
    double jitter = random.nextDouble();
    double heldShare = random.nextDouble();
    double outage = random.nextDouble();
    double outageShare = random.nextDouble();
    long damageSeed = random.nextLong();

    long leavesNs = Math.max(nowNs, wireFreeNs[from]) + length * 1_000_000L / plan.bytesPerMilli();
    wireFreeNs[from] = leavesNs;
    if (outage < plan.outage()) {
      outageUntilNs[from] = nowNs + (long) (outageShare * plan.outageNs());
      totals.outages++;
    }
    if (nowNs < outageUntilNs[from] || loss < Math.max(plan.loss(), lossNow[from])) {
      totals.dropped++;
      return;
    }
    if (length > (nowNs < mtuChangeNs ? mtuFirst : mtuLater)[from]) {
      totals.tooLong++;
      return;
    }
    boolean isHeld = reorder < plan.reorder();
    long arrivalNs =
        leavesNs + plan.delayNs() + extraDelayNs[from] + (long) (jitter * plan.jitterNs());
    if (isHeld) {
      arrivalNs += (long) (heldShare * plan.reorderNs());
    } else {
      arrivalNs = Math.max(arrivalNs, lastArrivalNs[from]);
      lastArrivalNs[from] = arrivalNs;
    }
    Datagram datagram = take(from, index, buffer, offset, length, arrivalNs);
    datagram.destination = to;
    datagram.source = from == 0 && moves != null ? moves.current(nowNs) : SimAddresses.of(from);
    if (moves != null && from == 0) {
      forge(datagram);
    }
    if (corrupt < plan.corrupt()) {
      damage(datagram, damageSeed);
      totals.corrupted++;
    }
    underWay.add(datagram);
    if (duplicate < plan.duplicate()) {
      // One copy in eight arrives seconds later: a replay, perhaps after the close.
      long reachNs = (damageSeed & 7) == 0 ? REPLAY_NS_MAX : Math.max(plan.reorderNs(), 1_000);
      long laterNs = arrivalNs + (long) (heldShare * reachNs);
      Datagram copy = take(from, index, buffer, offset, length, laterNs);
      copy.isCopy = true;
      copy.destination = to;
      copy.source = datagram.source;
      underWay.add(copy);
      totals.duplicated++;
    }
  }

  /**
   * Replays the datagram from an address at which the attacker does not receive. The attacker sees
   * the traffic.
   */
  private void forge(Datagram original) {
    boolean isForged = forgeRandom.nextDouble() < forged;
    int number = forgeRandom.nextInt(3);
    long laterNs = forgeRandom.nextInt(1_000_000);
    if (isForged) {
      Datagram copy =
          take(
              original.from,
              original.index,
              original.bytes,
              0,
              original.length,
              original.arrivalNs + laterNs);
      copy.isCopy = true;
      copy.destination = original.destination;
      copy.source = SimMoves.forged(number);
      underWay.add(copy);
      totals.forged++;
    }
  }

  /**
   * Returns a datagram from the pool. A world with more datagrams in flight than its whole workload
   * makes is one that spins.
   */
  private Datagram take(
      int from, long index, ByteBuffer buffer, int offset, int length, long arrivalNs) {
    InvariantViolation.require(
        underWayCount() < UNDER_WAY_MAX,
        Invariant.PROGRESS,
        "%,d datagrams are under way",
        underWayCount());
    Datagram datagram = free.isEmpty() ? new Datagram() : free.pop();
    datagram.fill(buffer, offset, length);
    datagram.from = from;
    datagram.index = index;
    datagram.arrivalNs = arrivalNs;
    datagram.serial = serial++;
    return datagram;
  }

  /**
   * Damages a datagram: flips up to three bits (a CRC32C finds every such error), cuts its end, or
   * appends bytes.
   */
  static void damage(Datagram datagram, long damageSeed) {
    RandomGenerator random = SimRandom.fork(damageSeed, "damage");
    datagram.isDamaged = true;
    int way = random.nextInt(8);
    if (way == 0 && datagram.length > 0) {
      datagram.length = random.nextInt(datagram.length);
    } else if (way == 1) {
      int added = 1 + random.nextInt(Datagram.CAPACITY - datagram.length);
      for (int i = 0; i < added; i++) {
        datagram.bytes.put(datagram.length + i, (byte) random.nextInt());
      }
      datagram.length += added;
    } else {
      int first = random.nextInt(datagram.length * 8);
      flip(datagram, first);
      int second = random.nextInt(datagram.length * 8);
      if (random.nextBoolean() && second != first) {
        flip(datagram, second);
      }
    }
  }

  private static void flip(Datagram datagram, int bit) {
    int at = bit >> 3;
    datagram.bytes.put(at, (byte) (datagram.bytes.get(at) ^ (1 << (bit & 7))));
  }

  /**
   * Returns when {@code host} next reads, virtual ns; {@link Long#MAX_VALUE} when nothing is in
   * flight to it.
   */
  long nextReadNs(int host) {
    return wakeNs[host] == Long.MAX_VALUE
        ? Long.MAX_VALUE
        : Math.max(wakeNs[host], pausedUntilNs[host]);
  }

  /**
   * Returns when the next datagram arrives, which may wake a host; {@link Long#MAX_VALUE} when none
   * is in flight.
   */
  long nextArrivalNs() {
    return underWay.isEmpty() ? Long.MAX_VALUE : underWay.peek().arrivalNs;
  }

  /** Returns when the host's pause ends. Its timers also wait until then. */
  long pausedUntilNs(int host) {
    return pausedUntilNs[host];
  }

  /** Moves the datagrams that have arrived by {@code nowNs} to the hosts' unread queues. */
  void arrive(long nowNs) {
    while (!underWay.isEmpty() && underWay.peek().arrivalNs <= nowNs) {
      Datagram datagram = underWay.poll();
      int host = 1 - datagram.from;
      if (moves != null && host == 0 && !moves.current(nowNs).equals(datagram.destination)) {
        totals.misdirected++;
        free.push(datagram);
        continue;
      }
      unread[host].add(datagram);
      if (wakeNs[host] == Long.MAX_VALUE) {
        long bound = plans[datagram.from].wakeNs();
        long share = (long) (readRandoms[host].nextDouble() * bound);
        wakeNs[host] = datagram.arrivalNs + share;
      }
    }
  }

  /**
   * Gives {@code host} a burst of arrived datagrams, if it is time. The bytes stay valid until the
   * read after the next.
   *
   * @return datagrams in the burst, 0 when it is not time
   */
  int read(int host, PacketBurst burst, long nowNs) {
    burst.clear();
    if (nowNs < nextReadNs(host)) {
      return 0;
    }
    FaultPlan plan = plans[1 - host];
    RandomGenerator random = readRandoms[host];
    int most = 1 + random.nextInt(plan.burstMax());
    while (burst.count() < most && !unread[host].isEmpty()) {
      Datagram datagram = unread[host].poll();
      observer.onDelivered(host, datagram.bytes, 0, datagram.length, datagram.isDamaged);
      if (datagram.index < highestReads[host] && !datagram.isCopy) {
        totals.reordered++;
      }
      sources[host][burst.count()] = datagram.source;
      if (moves != null && host == 1) {
        view.wrap(datagram.bytes, 0, datagram.length);
        moves.onRead(datagram.source, view, datagram.length, datagram.isDamaged);
      }
      highestReads[host] = Math.max(highestReads[host], datagram.index);
      burst.add(datagram.bytes, 0, datagram.length, 0, PacketBurst.TRANSIENT);
      lent[host].add(datagram);
    }
    totals.bursts++;
    totals.burstPackets += burst.count();
    wakeNs[host] = unread[host].isEmpty() ? Long.MAX_VALUE : nowNs;
    if (SimRandom.chance(random, plan.pause())) {
      pausedUntilNs[host] = nowNs + (long) (random.nextDouble() * plan.pauseNs());
      totals.pauses++;
    }
    while (lent[host].size() > BURSTS_HELD * PacketBurst.CAPACITY) {
      free.push(lent[host].poll());
    }
    return burst.count();
  }

  /** Returns the source address of packet {@code i} of the last burst that {@code host} read. */
  InetSocketAddress source(int host, int i) {
    return sources[host][i];
  }

  /** Returns when the socket buffer of {@code host} has room; a past time if it has some now. */
  long roomAtNs(int host) {
    return wireFreeNs[host] == Long.MIN_VALUE
        ? Long.MIN_VALUE
        : wireFreeNs[host] - plans[host].backlogNs();
  }

  /** Returns the datagrams that were sent and are neither lost nor read. */
  int underWayCount() {
    return underWay.size() + unread[0].size() + unread[1].size();
  }
}
