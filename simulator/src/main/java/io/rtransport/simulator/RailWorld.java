package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpTimer;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.rail.PairHealth;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.window.Path;
import io.rtransport.core.window.ProbeBudget;
import io.rtransport.core.window.RetransmissionEngine;
import io.rtransport.core.window.RetransmissionStore;
import io.rtransport.core.window.TurnLateness;
import io.rtransport.core.window.WindowConfig;
import io.rtransport.core.window.WindowSublayer;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.Integrity;
import io.rtransport.core.wire.PacketDoor;
import io.rtransport.core.wire.PacketTools;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PacketValidator;
import io.rtransport.core.wire.PingFlyweight;
import io.rtransport.core.wire.PongFlyweight;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Two window sublayers and one or several rails between them, with nothing above. An error here
 * cannot come from above. Both sides send numbered records, and each must arrive once. A rail is
 * killed by a cut of one or both directions, and restored.
 */
final class RailWorld extends SimWorld {
  private static final int CID_BASE = 0x1000;

  /** Most PINGs of a rail at once, and the least interval between them after that. */
  private static final int PINGS_MAX = 20;

  private static final long PING_INTERVAL_NS = 1_000_000;

  /**
   * A change of what a rail does with the packets of host {@code from}.
   *
   * @param loss share that is lost; 1: everything
   * @param extraDelayNs added to the delay
   */
  record Event(long atNs, int rail, int from, double loss, long extraDelayNs) {}

  private final class Side {
    final int host;
    final Counters counters = new Counters();
    final ContentAddressableMemory cam = new ContentAddressableMemory(1 << 14, 7);
    final RetransmissionStore store;
    final WindowSublayer window;
    final PacketDoor door;
    final ResyncRecords records;
    final RandomGenerator random;
    final ByteBuffer scratch = ByteBuffer.allocateDirect(2_048);
    final PacketBurst out = new PacketBurst();
    final PacketBurst in = new PacketBurst();
    final long[] sentBytes = new long[rails.length];

    /** The rail that each packet left by last, by window and PSN, and what was seen of resends. */
    final Map<Long, Integer> railOf = new HashMap<>();

    final RailHealth health;
    final PairHealth[] pairs = new PairHealth[rails.length];
    long resent;
    long railChanges;
    long pings;
    long turnNs;

    Side(int host, long seed, ResyncRecords records) {
      this.host = host;
      this.store = new RetransmissionStore(ByteBuffer.allocateDirect(setting.storeBytes()));
      this.records = records;
      this.random = SimRandom.fork(seed, "side " + host);
      this.health = new RailHealth(SimRandom.fork(seed, "health " + host));
      health.config(setting.health());
      WindowConfig config =
          new WindowConfig(
              CID_BASE + host, CID_BASE + 1 - host, seed ^ (1 - host), setting.agreed()[host]);
      window =
          new WindowSublayer(
              config,
              new RetransmissionEngine(cam, store),
              new ProbeBudget(),
              new Path[] {path(0, config)},
              new PacketTools(),
              counters);
      if (setting.isPathFollowed()) {
        window.followPath();
      }
      for (int i = 1; i < rails.length; i++) {
        window.openPath(i, path(i, config), random, nowNs);
      }
      for (int i = 0; i < rails.length; i++) {
        pairs[i] =
            peerOf == null
                ? PairHealth.open(health, "rail" + i, null, SimAddresses.ofRail(i, host), 1 - host)
                : PairHealth.open(
                    health,
                    "",
                    SimAddresses.ofRail(i, host).getAddress(),
                    SimAddresses.ofRail(peerOf[i], host),
                    1 - host);
        window.health(i, pairs[i]);
      }
      door =
          new PacketDoor(
              new PacketValidator(new Integrity()), counters, CID_BASE + host, seed ^ host);
    }

    private Path path(int id, WindowConfig config) {
      return new Path(
          id,
          new AdpTimer(setting.profile(), AdpParameters.DEFAULT, random),
          setting.congestion().get(),
          new TurnLateness(),
          config.ringCapacityMax(),
          setting.firstSequences()[host]);
    }

    void turn() {
      turnNs = nowNs;
      do {
        out.clear();
        window.pollTransmit(out, records, (1 << rails.length) - 1, nowNs);
        for (int i = 0; i < out.count(); i++) {
          require(
              out.pathIndex(i) == out.pathIndex(0),
              Invariant.NUMBERING,
              "a burst leaves on two paths");
          send(out.pathIndex(i), out.buffer(i), out.offset(i), out.length(i));
        }
      } while (out.count() > 0);
      for (int i = window.duePathPing(nowNs); i >= 0; i = window.duePathPing(nowNs)) {
        int id = random.nextInt();
        new PingFlyweight().wrap(scratch, 0).id(id).pathId(window.path(i).id());
        int length = window.pathPingBytes(i);
        window.onPathPinged(i, id, nowNs);
        pings++;
        send(i, scratch, 0, seal(PacketType.PING, length));
      }
      if (window.hasAckDue(nowNs)) {
        int mask = window.ackPaths();
        int length = window.pollAck(scratch, 0, nowNs);
        for (int rest = mask; rest != 0; rest &= rest - 1) {
          send(Integer.numberOfTrailingZeros(rest), scratch, 0, length);
        }
      }
      require(window.failure() == null, Invariant.NO_LOSS, "window failed: %s", window.failure());
    }

    private void send(int rail, ByteBuffer buffer, int offset, int length) {
      sentBytes[rail] += length;
      course.onSent(host, rail, nowNs);
      view.wrap(buffer, offset, length);
      if (view.isNumbered()) {
        Integer former = railOf.put((long) view.type() << 32 | view.psn() & 0xFFFF_FFFFL, rail);
        resent += former == null ? 0 : 1;
        railChanges += former == null || former == rail ? 0 : 1;
      }
      if (observer != null) {
        observer.onSent(host, buffer, offset, length, nowNs);
      }
      SimLink link = rails[rail][host];
      network.send(link, null, null, null, buffer, offset, length, nowNs);
    }

    private int seal(int type, int length) {
      new ClearHeaderFlyweight()
          .wrap(scratch, 0)
          .version(ClearHeaderFlyweight.VERSION)
          .type(type)
          .length(length)
          .destinationCid(CID_BASE + 1 - host)
          .cookie(seed ^ (1 - host));
      integrity.seal(scratch, 0, length);
      return length;
    }

    void read(int rail) {
      int count = socket(rail, host).read(read, nowNs);
      in.clear();
      for (int i = 0; i < count; i++) {
        if (observer != null) {
          observer.onDelivered(host, read[i].bytes, 0, read[i].length, read[i].isDamaged);
        }
        in.add(read[i].bytes, 0, read[i].length, rail, PacketBurst.TRANSIENT);
      }
      door.onBurst(in, nowNs);
      for (int i = 0; i < in.count(); i++) {
        if (!in.isDropped(i)) {
          onControl(rail, in.buffer(i), in.offset(i));
        }
      }
      window.onBurst(in, nowNs);
      for (int i = 0; i < in.count(); i++) {
        view.wrap(in.buffer(i), in.offset(i), in.length(i));
        if (!in.isDropped(i) && view.isNumbered()) {
          sides[1 - host].records.onArrival(view, nowNs);
        }
      }
      for (int i = 0; i < count; i++) {
        network.free(read[i]);
      }
    }

    private void onControl(int rail, ByteBuffer buffer, int offset) {
      int type = new ClearHeaderFlyweight().wrap(buffer, offset).type();
      if (type == PacketType.PING) {
        PingFlyweight ping = new PingFlyweight().wrap(buffer, offset);
        new PongFlyweight().wrap(scratch, 0).id(ping.id()).pathId(ping.pathId()).creditLimit(0);
        send(rail, scratch, 0, seal(PacketType.PONG, PongFlyweight.PACKET_LENGTH));
      } else if (type == PacketType.PONG) {
        window.onPong(new PongFlyweight().wrap(buffer, offset).id(), rail, nowNs);
      }
    }

    long deadlineNs() {
      long deadlineNs = window.nextDeadlineNs();
      if (records.nextNs() > turnNs) { // if not, the window is full
        deadlineNs = Math.min(deadlineNs, records.nextNs());
      }
      return deadlineNs;
    }

    long count(CounterId id) {
      return counters.value(id);
    }
  }

  private final long seed;
  private final FaultPlan[][] plans;
  private final int[] peerOf;
  private final WindowSetting setting;
  private final RailCourse course;

  /** By rail and sender. */
  private final SimLink[][] rails;

  private final Side[] sides = new Side[2];
  private final WireView view = new WireView();
  private WireObserver observer;
  private final Integrity integrity = new Integrity();
  private final Datagram[] read = new Datagram[PacketBurst.CAPACITY];

  /**
   * @param plans of each rail: there and back
   * @param records that each host sends
   */
  RailWorld(FaultPlan[][] plans, ResyncRecords[] records, List<Event> events, long seed) {
    this(
        plans,
        records,
        events,
        WindowSetting.of(Limits.WINDOW_PACKETS_MAX, RailHealthConfig.usual()),
        null,
        seed);
  }

  /**
   * @param peerOf for each rail the number of the peer's interface; null: each has its own, on a
   *     network of its own
   */
  RailWorld(
      FaultPlan[][] plans,
      ResyncRecords[] records,
      List<Event> events,
      WindowSetting setting,
      int[] peerOf,
      long seed) {
    super(PairHarness.START_NS, new SimTotals());
    this.peerOf = peerOf;
    this.seed = seed;
    this.setting = setting;
    this.course = new RailCourse(plans.length, nowNs);
    this.plans = plans;
    rails = new SimLink[plans.length][2];
    for (int i = 0; i < rails.length; i++) {
      for (int host = 0; host < 2; host++) {
        rails[i][host] = network.connect(i, host, plans[i], seed + i);
      }
    }
    for (int host = 0; host < 2; host++) {
      sides[host] = new Side(host, seed, records[host]);
    }
    for (Event event : events) {
      schedule.at(event.atNs, () -> happen(event));
    }
  }

  /** Lets an observer of two hosts on one rail see what is sent and what arrives. */
  void observe(WireObserver newObserver) {
    observer = newObserver;
  }

  private void happen(Event event) {
    rails[event.rail][event.from].loss(event.loss);
    rails[event.rail][event.from].extraDelay(event.extraDelayNs);
  }

  /** Each host has a socket for each rail. */
  @Override
  int socketAt(Datagram datagram) {
    return 2 * datagram.link.number + 1 - datagram.link.direction;
  }

  private SimSocket socket(int rail, int host) {
    return network.socket(2 * rail + host);
  }

  /** Runs until everything has arrived and was acknowledged. */
  void run() {
    sides[0].turn();
    sides[1].turn();
    while (!isDone()) {
      require(
          step() && elapsedNs() < WindowSetting.TOTAL_NS, Invariant.PROGRESS, "not done%n%s", this);
    }
    for (Side side : sides) {
      requireHonestCounts(side);
      requireTrueRoundTrips(side);
      long pingsMax = rails.length * (PINGS_MAX + elapsedNs() / PING_INTERVAL_NS);
      require(side.pings <= pingsMax, Invariant.PROGRESS, "%d PINGs", side.pings);
      side.window.close();
      boolean isEmpty = side.cam.size() == 0 && side.store.freeUnits() == side.store.unitCount();
      require(isEmpty, Invariant.EMPTY_AFTER_CLOSE, "host %d holds something", side.host);
    }
  }

  /** Requires that what the side counts as resent and as moved is what was seen on the rails. */
  private void requireHonestCounts(Side side) {
    long moved = side.count(CounterId.RETRANSMITS_MOVED);
    long resent =
        moved
            + side.count(CounterId.RETRANSMITS_EARLY)
            + side.count(CounterId.RETRANSMITS_PROBE)
            + side.count(CounterId.RETRANSMITS_TIMEOUT);
    require(
        side.resent == resent && side.railChanges >= moved,
        Invariant.COUNTERS,
        "host %d says that it resent %d, %d of them moved; seen: %d, and %d on another rail",
        side.host,
        resent,
        moved,
        side.resent,
        side.railChanges);
  }

  /** Requires that no path has measured a shorter round trip than its rail has. */
  private void requireTrueRoundTrips(Side side) {
    for (int i = 0; i < rails.length; i++) {
      Path path = side.window.path(i);
      long leastNs = plans[i][0].delayNs() + plans[i][1].delayNs();
      require(
          path.minRttNs() == 0 || path.minRttNs() >= leastNs,
          Invariant.COUNTERS,
          "host %d measured %,d ns on rail %d of %,d ns",
          side.host,
          path.minRttNs(),
          i,
          leastNs);
    }
  }

  private boolean isDone() {
    return sides[0].records.isDone()
        && sides[1].records.isDone()
        && sides[0].window.isAllAcknowledged()
        && sides[1].window.isAllAcknowledged();
  }

  // ---- turns

  @Override
  int hostCount() {
    return 2;
  }

  @Override
  long nextReadNs(int host) {
    long nextNs = Long.MAX_VALUE;
    for (int i = 0; i < rails.length; i++) {
      nextNs = Math.min(nextNs, socket(i, host).nextReadNs());
    }
    return nextNs;
  }

  /** A pause after a read of one rail holds up all that the host does, but reads of other rails. */
  @Override
  long runsAtNs(int host, long dueNs) {
    long atNs = dueNs;
    for (int i = 0; i < rails.length; i++) {
      atNs = socket(i, host).runsAtNs(atNs);
    }
    return atNs;
  }

  @Override
  void read(int host) {
    for (int i = 0; i < rails.length; i++) {
      if (socket(i, host).nextReadNs() <= nowNs) {
        sides[host].read(i);
      }
    }
    onTime(host);
  }

  @Override
  long nextDeadlineNs(int host) {
    return sides[host].deadlineNs();
  }

  @Override
  void onTime(int host) {
    sides[host].window.onTimeout(nowNs);
    sides[host].turn();
  }

  @Override
  void onTimePassed() {
    course.advance(nowNs, this::health);
  }

  long count(int host, CounterId id) {
    return sides[host].count(id);
  }

  /** Returns the lower health of the two ends of a rail, as a host sees it. */
  int health(int host, int rail) {
    PairHealth pair = sides[host].pairs[rail];
    return Math.min(pair.first(), pair.second());
  }

  /** Returns the ends of a rail, as a host sees them. */
  PairHealth pair(int host, int rail) {
    return sides[host].pairs[rail];
  }

  /** Returns what each rail carried, and its health, over time. */
  RailCourse course() {
    return course;
  }

  /** Returns the share of bytes that a host has sent on a rail. */
  double share(int host, int rail) {
    double sum = 0;
    for (long bytes : sides[host].sentBytes) {
      sum += bytes;
    }
    return sides[host].sentBytes[rail] / sum;
  }

  long sentBytes(int host, int rail) {
    return sides[host].sentBytes[rail];
  }

  long elapsedNs() {
    return nowNs - PairHarness.START_NS;
  }

  @Override
  public String toString() {
    return String.format("at %,d ns: %s; %s", nowNs, sides[0].records, sides[1].records);
  }
}
