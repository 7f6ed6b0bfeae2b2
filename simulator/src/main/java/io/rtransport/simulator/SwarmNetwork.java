package io.rtransport.simulator;

import io.rtransport.core.burst.PacketBurst;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;

/**
 * Network of a swarm, in virtual time. Each link is one wire for each direction between two hosts.
 * The plan's faults act on it until {@link #heal}. The seed alone decides which datagram is lost,
 * late, duplicated, damaged or delayed for a minute, and how many a host reads at once. Events at
 * the same instant have a fixed order: by serial number.
 */
final class SwarmNetwork {
  private static final int UNDER_WAY_MAX = 30_000;

  /** Most datagrams kept to be sent again later: as many as a world can afford. */
  private static final int REPLAYS_MAX = 300;

  /**
   * Datagrams of finished worlds, kept by a thread for its next world. Their memory is direct, and
   * expensive to allocate.
   */
  private static final ThreadLocal<ArrayDeque<Datagram>> FREE =
      ThreadLocal.withInitial(ArrayDeque::new);

  /** One direction of a link. */
  private static final class Way {
    private final long delayNs;
    private final long bytesPerMilli;
    private final RandomGenerator random;
    private final SwarmInjector injector;
    private double loss;
    private double lossRun = 1;
    private double tailNs;
    private double overtake;
    private double duplicate;
    private double replay;
    private double replayNs;
    private double forge;
    private double corrupt;
    private int capacity = Integer.MAX_VALUE;
    private int lossesLeft;
    private int underWay;
    private long clogUntilNs = Long.MIN_VALUE;
    private long cutUntilNs = Long.MIN_VALUE;
    private int mtu = Integer.MAX_VALUE;
    private long narrowUntilNs = Long.MIN_VALUE;
    private long wireFreeNs = Long.MIN_VALUE;
    private long lastArrivalNs = Long.MIN_VALUE;
    private long transitNsMax;
    private long sentCount;
    private long highestArrived = -1;

    private Way(SwarmPlan.Link link, RandomGenerator random, SwarmInjector injector) {
      this.injector = injector;
      this.delayNs = link.delayNs();
      this.bytesPerMilli = link.bytesPerMilli();
      this.random = random;
    }
  }

  private final SwarmPlan plan;
  private final SimTotals totals;
  private final ArrayDeque<Datagram> free = FREE.get();
  private final Way[][] ways;
  private final RandomGenerator[] readRandoms;
  private final ArrayDeque<Datagram>[] unread;
  private final long[] wakeNs;
  private final long[] pausedUntilNs;
  private final boolean[] isDown;
  private final PriorityQueue<Datagram> underWay =
      new PriorityQueue<>(
          (a, b) ->
              a.arrivalNs != b.arrivalNs
                  ? Long.compare(a.arrivalNs, b.arrivalNs)
                  : Long.compare(a.serial, b.serial));
  private int replays;
  private long serial;

  @SuppressWarnings({"unchecked", "rawtypes"})
  SwarmNetwork(SwarmPlan plan, SimTotals totals) {
    this.plan = plan;
    this.totals = totals;
    int hosts = plan.hosts.size();
    ways = new Way[plan.links.size()][2];
    for (int i = 0; i < ways.length; i++) {
      for (int d = 0; d < 2; d++) {
        String name = i + " " + d;
        RandomGenerator injections = SimRandom.fork(plan.seed, "injector " + name);
        RandomGenerator random = SimRandom.fork(plan.seed, "way " + name);
        ways[i][d] = new Way(plan.links.get(i), random, new SwarmInjector(injections));
      }
    }
    readRandoms = new RandomGenerator[hosts];
    unread = new ArrayDeque[hosts];
    wakeNs = new long[hosts];
    pausedUntilNs = new long[hosts];
    isDown = new boolean[hosts];
    for (int i = 0; i < hosts; i++) {
      readRandoms[i] = SimRandom.fork(plan.seed, "read " + i);
      unread[i] = new ArrayDeque<>();
      wakeNs[i] = Long.MAX_VALUE;
      pausedUntilNs[i] = Long.MIN_VALUE;
    }
  }

  // ---- faults

  /** Imposes a fault of a link that lasts until the world is healed. */
  void impose(SwarmFault fault) {
    Way way = ways[fault.where()][fault.direction()];
    switch (fault.kind()) {
      case LOSS -> {
        way.loss = fault.amount();
        way.lossRun = fault.more();
      }
      case TAIL -> way.tailNs = fault.amount();
      case REORDER -> way.overtake = fault.amount();
      case DUPLICATE -> way.duplicate = fault.amount();
      case REPLAY -> {
        way.replay = fault.amount();
        way.replayNs = fault.more();
      }
      case FORGE -> way.forge = fault.amount();
      case CORRUPT -> way.corrupt = fault.amount();
      case INJECT -> way.injector.impose(fault.amount());
      case CAPACITY -> way.capacity = (int) fault.amount();
      default -> throw new AssertionError(fault);
    }
  }

  void clog(int link, int direction, long untilNs) {
    ways[link][direction].clogUntilNs = Math.max(ways[link][direction].clogUntilNs, untilNs);
  }

  void cut(int link, int direction, long untilNs) {
    ways[link][direction].cutUntilNs = Math.max(ways[link][direction].cutUntilNs, untilNs);
  }

  void narrow(int link, int direction, int bytes, long untilNs) {
    ways[link][direction].mtu = bytes;
    ways[link][direction].narrowUntilNs = untilNs;
  }

  void pause(int host, long untilNs) {
    pausedUntilNs[host] = Math.max(pausedUntilNs[host], untilNs);
  }

  /** Makes the host forget its unread datagrams, and receive none until it is up again. */
  void down(int host, boolean isDownNow) {
    isDown[host] = isDownNow;
    unread[host].forEach(this::free);
    unread[host].clear();
    wakeNs[host] = Long.MAX_VALUE;
    pausedUntilNs[host] = Long.MIN_VALUE;
  }

  /**
   * Ends all faults: from now on nothing is lost, late, or duplicated. Datagrams in flight still
   * arrive.
   */
  void heal() {
    for (Way[] both : ways) {
      for (Way way : both) {
        way.loss = 0;
        way.lossesLeft = 0;
        way.tailNs = 0;
        way.overtake = 0;
        way.duplicate = 0;
        way.replay = 0;
        way.forge = 0;
        way.corrupt = 0;
        way.injector.impose(0);
        way.capacity = Integer.MAX_VALUE;
      }
    }
  }

  // ---- the wire

  /**
   * Sends the bytes, which are copied, over a link.
   *
   * @param sender the end of a connection that sends them, or null for an endpoint's answer to a
   *     stranger
   */
  void send(
      int link,
      int direction,
      SwarmSide sender,
      InetSocketAddress from,
      InetSocketAddress to,
      ByteBuffer buffer,
      int offset,
      int length,
      long nowNs) {
    totals.packets++;
    Way way = ways[link][direction];
    RandomGenerator random = way.random;
    long index = way.sentCount++;
    // The same number of draws for every datagram, so that a removed fault does not shift the
    // others.
    double loss = random.nextDouble();
    double lossRun = random.nextDouble();
    double tail = random.nextDouble();
    double overtake = random.nextDouble();
    double duplicate = random.nextDouble();
    double replay = random.nextDouble();
    double forge = random.nextDouble();
    double corrupt = random.nextDouble();
    double later = random.nextDouble();
    long damageSeed = random.nextLong();

    if (sender != null && way.injector.isDue()) {
      inject(way.injector, sender, from, to, buffer.getInt(offset + 4), nowNs + way.delayNs);
    }
    long leavesNs = Math.max(nowNs, way.wireFreeNs) + length * 1_000_000L / way.bytesPerMilli;
    way.wireFreeNs = leavesNs;
    boolean isLost = isLost(way, loss, lossRun);
    boolean isCut = nowNs < way.cutUntilNs;
    if (isLost || isCut) {
      totals.dropped++;
      totals.count(SwarmEvent.CUT, isCut ? 1 : 0);
      return;
    }
    if (nowNs < way.narrowUntilNs && length > way.mtu) {
      totals.tooLong++;
      return;
    }
    if (way.underWay >= way.capacity) {
      totals.count(SwarmEvent.OVERFLOWED);
      return;
    }
    long arrivalNs = leavesNs + way.delayNs - (long) (way.tailNs * Math.log(1 - tail));
    totals.count(SwarmEvent.CLOGGED, arrivalNs < way.clogUntilNs ? 1 : 0);
    arrivalNs = Math.max(arrivalNs, way.clogUntilNs);
    if (overtake < way.overtake) {
      totals.count(SwarmEvent.OVERTAKEN);
    } else {
      arrivalNs = Math.max(arrivalNs, way.lastArrivalNs);
      way.lastArrivalNs = arrivalNs;
    }
    way.transitNsMax = Math.max(way.transitNsMax, arrivalNs - nowNs);
    Datagram first = take(link, direction, sender, from, to, buffer, offset, length);
    first.index = index;
    way.underWay++;
    depart(first, arrivalNs);
    if (duplicate < way.duplicate) {
      totals.duplicated++;
      depart(copy(first), arrivalNs + (long) (later * (way.delayNs + way.tailNs)));
    }
    if (replay < way.replay && replays < REPLAYS_MAX) {
      replays++;
      totals.count(SwarmEvent.REPLAYED);
      depart(copy(first), arrivalNs + (long) (later * way.replayNs));
    }
    if (forge < way.forge) {
      totals.forged++;
      Datagram forged = copy(first);
      forged.source = SimMoves.forged((int) (damageSeed & 7));
      depart(forged, arrivalNs + (long) (later * 1_000_000));
    }
    if (corrupt < way.corrupt) {
      SimNetwork.damage(first, damageSeed);
      totals.corrupted++;
    }
  }

  /** Sends a forged datagram next to one of {@code sender}, as if it were another one of it. */
  private void inject(
      SwarmInjector injector,
      SwarmSide sender,
      InetSocketAddress from,
      InetSocketAddress to,
      int receiverCid,
      long atNs) {
    totals.count(SwarmEvent.INJECTED);
    ByteBuffer bytes = injector.make(receiverCid, sender.connection().cid());
    int named = injector.source();
    InetSocketAddress source = named < 0 ? from : SimMoves.forged(named);
    int link = sender.whole.link;
    Datagram forged = take(link, sender.end, null, source, to, bytes, 0, bytes.position());
    forged.isCopy = true; // not part of the direction's traffic
    depart(forged, atNs + injector.laterNs());
  }

  private static boolean isLost(Way way, double draw, double runDraw) {
    if (way.lossesLeft > 0) {
      way.lossesLeft--;
      return true;
    }
    if (draw >= way.loss / way.lossRun) {
      return false;
    }
    // The number of further losses is geometric, so that a run has on average lossRun of them.
    way.lossesLeft =
        way.lossRun <= 1
            ? 0
            : (int) Math.min(64, Math.log(1 - runDraw) / Math.log(1 - 1 / way.lossRun));
    return true;
  }

  private void depart(Datagram datagram, long arrivalNs) {
    datagram.arrivalNs = arrivalNs;
    datagram.serial = serial++;
    underWay.add(datagram);
  }

  private Datagram copy(Datagram of) {
    Datagram copy =
        take(of.link, of.from, of.sender, of.source, of.destination, of.bytes, 0, of.length);
    copy.index = of.index;
    copy.isCopy = true;
    return copy;
  }

  private Datagram take(
      int link,
      int direction,
      SwarmSide sender,
      InetSocketAddress from,
      InetSocketAddress to,
      ByteBuffer buffer,
      int offset,
      int length) {
    if (!(underWay.size() < UNDER_WAY_MAX)) {
      throw InvariantViolation.of(
          Invariant.PROGRESS, "%,d datagrams are under way", underWay.size());
    }
    Datagram datagram = free.isEmpty() ? new Datagram() : free.pop();
    datagram.fill(buffer, offset, length);
    datagram.link = link;
    datagram.from = direction;
    datagram.sender = sender;
    datagram.source = from;
    datagram.destination = to;
    return datagram;
  }

  /** Returns a datagram to the pool: it was read. */
  void free(Datagram datagram) {
    datagram.sender = null;
    free.push(datagram);
  }

  /** Returns everything to the pool: the world is over. */
  void close() {
    underWay.forEach(this::free);
    underWay.clear();
    for (ArrayDeque<Datagram> queue : unread) {
      queue.forEach(this::free);
      queue.clear();
    }
  }

  int hostAt(int link, int direction) {
    SwarmPlan.Link of = plan.links.get(link);
    return direction == 0 ? of.acceptor() : of.connector();
  }

  /** Moves the datagrams that have arrived by {@code nowNs} to the hosts' unread queues. */
  void arrive(long nowNs, SwarmWorld world) {
    while (!underWay.isEmpty() && underWay.peek().arrivalNs <= nowNs) {
      Datagram datagram = underWay.poll();
      if (!datagram.isCopy) {
        Way way = ways[datagram.link][datagram.from];
        way.underWay--;
        totals.reordered += datagram.index < way.highestArrived ? 1 : 0;
        way.highestArrived = Math.max(way.highestArrived, datagram.index);
      }
      int host = hostAt(datagram.link, datagram.from);
      if (!world.isAddressOf(datagram.link, 1 - datagram.from, datagram.destination)) {
        totals.misdirected++;
        free(datagram);
      } else if (isDown[host]) {
        totals.dropped++;
        totals.count(SwarmEvent.UNHEARD);
        free(datagram);
      } else {
        unread[host].add(datagram);
        if (wakeNs[host] == Long.MAX_VALUE) {
          double share = readRandoms[host].nextDouble();
          wakeNs[host] = datagram.arrivalNs + (long) (share * plan.hosts.get(host).wakeNs());
        }
      }
    }
  }

  /**
   * Gives {@code host} arrived datagrams, as many as it reads at once. The caller must {@link
   * #free} them.
   */
  int read(int host, Datagram[] into, long nowNs) {
    int most = 1 + readRandoms[host].nextInt(plan.hosts.get(host).burstMax());
    int count = 0;
    while (count < Math.min(most, PacketBurst.CAPACITY) && !unread[host].isEmpty()) {
      into[count++] = unread[host].poll();
    }
    totals.bursts++;
    totals.burstPackets += count;
    wakeNs[host] = unread[host].isEmpty() ? Long.MAX_VALUE : nowNs;
    return count;
  }

  // ---- time

  long nextArrivalNs() {
    return underWay.isEmpty() ? Long.MAX_VALUE : underWay.peek().arrivalNs;
  }

  /** Returns when {@code host} next reads. */
  long nextReadNs(int host) {
    return runsAtNs(host, wakeNs[host]);
  }

  /** Returns when {@code host} does what is due at {@code dueNs}. It may be paused then. */
  long runsAtNs(int host, long dueNs) {
    return dueNs == Long.MAX_VALUE ? dueNs : Math.max(dueNs, pausedUntilNs[host]);
  }

  /** Returns when the socket buffer has room again in this direction. */
  long roomAtNs(int link, int direction) {
    long freeNs = ways[link][direction].wireFreeNs;
    return freeNs == Long.MIN_VALUE ? freeNs : freeNs - plan.links.get(link).backlogNs();
  }

  /** Returns the longest transit of a datagram, both directions together. */
  long roundTripNsMax(int link) {
    return ways[link][0].transitNsMax + ways[link][1].transitNsMax;
  }

  int underWayCount() {
    return underWay.size();
  }
}
