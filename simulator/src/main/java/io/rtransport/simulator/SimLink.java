package io.rtransport.simulator;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * One direction of a link: a wire with a rate, and its faults. A datagram leaves after the one
 * before it has left, travels for the delay, and overtakes only where a fault lets it. {@link
 * #carry} decides all of that.
 */
final class SimLink {
  /**
   * Numbers drawn for each datagram. They are drawn even if they are not used. A fault that the
   * minimiser removes then does not shift the others.
   */
  private enum Draw {
    LOSS,
    LOSS_RUN,
    JITTER,
    TAIL,
    REORDER,
    DUPLICATE,
    REPLAY,
    FORGE,
    CORRUPT,
    LATER,
    OUTAGE,
    OUTAGE_SHARE
  }

  /** What the links of a pair draw, and those of a swarm, in this order: it is in every hash. */
  private static final List<Draw> OF_A_PAIR =
      List.of(
          Draw.LOSS,
          Draw.REORDER,
          Draw.DUPLICATE,
          Draw.CORRUPT,
          Draw.JITTER,
          Draw.LATER,
          Draw.OUTAGE,
          Draw.OUTAGE_SHARE);

  private static final List<Draw> OF_A_SWARM =
      List.of(
          Draw.LOSS,
          Draw.LOSS_RUN,
          Draw.TAIL,
          Draw.REORDER,
          Draw.DUPLICATE,
          Draw.REPLAY,
          Draw.FORGE,
          Draw.CORRUPT,
          Draw.LATER);

  private static final int LOSS_RUN_MAX = 64;
  private static final long LATE_COPY_NS = 3_000_000_000L;
  private static final long COPY_NS_MIN = 1_000;
  private static final long FORGED_LATER_NS = 1_000_000;

  /** Decides what becomes of datagrams, in place of drawn faults. */
  interface Fate {
    /**
     * Returns the delays after which the datagram arrives, ns: none if it is lost, two if it is
     * duplicated. May damage its bytes.
     */
    long[] delaysNs(Datagram datagram);
  }

  /** Number of the link in its world. */
  final int number;

  /** 0 = from the connecting end to the accepting one, 1 = back. */
  final int direction;

  private final RandomGenerator random;
  private final List<Draw> draws;
  private final double[] drawn = new double[Draw.values().length];
  private final Fate fate;
  private final long delayNs;
  private final long bytesPerMilli;
  private final long backlogNs;

  private final double lossMin;
  private double loss;
  private double lossRun = 1;
  private double outage;
  private long outageNs;
  private long extraDelayNs;
  private long jitterNs;
  private double tailNs;
  private double reorder;
  private long reorderNs;
  private double duplicate;
  private long duplicateNs;
  private long lateCopyNs;
  private double replay;
  private double replayNs;
  private double forge;
  private RandomGenerator forgeRandom;
  private double corrupt;
  private SwarmInjector injector;
  private int capacity = Integer.MAX_VALUE;
  private long clogUntilNs = Long.MIN_VALUE;
  private long cutUntilNs = Long.MIN_VALUE;
  private int mtu = Integer.MAX_VALUE;
  private int narrowMtu = Integer.MAX_VALUE;
  private long narrowUntilNs = Long.MIN_VALUE;

  private int lossesLeft;
  private int underWay;
  private long wireFreeNs = Long.MIN_VALUE;
  private long lastArrivalNs = Long.MIN_VALUE;
  private long transitNsMax;
  private long sentCount;
  private long highestArrived = -1;

  /** Creates a direction of a link between two hosts, whose faults last for the whole world. */
  SimLink(int number, int direction, FaultPlan plan, RandomGenerator random) {
    this.number = number;
    this.direction = direction;
    this.random = random;
    draws = OF_A_PAIR;
    fate = null;
    delayNs = plan.delayNs();
    bytesPerMilli = plan.bytesPerMilli();
    backlogNs = plan.backlogNs();
    lossMin = plan.loss();
    loss = lossMin;
    outage = plan.outage();
    outageNs = plan.outageNs();
    jitterNs = plan.jitterNs();
    reorder = plan.reorder();
    reorderNs = plan.reorderNs();
    duplicate = plan.duplicate();
    duplicateNs = Math.max(plan.reorderNs(), COPY_NS_MIN);
    lateCopyNs = LATE_COPY_NS;
    corrupt = plan.corrupt();
  }

  /**
   * Creates a direction of a swarm's link, which has no faults until they are imposed.
   *
   * @param backlogNs unsent data that the sender's socket buffer holds, in ns of the wire's rate
   */
  SimLink(
      int number,
      int direction,
      long delayNs,
      long bytesPerMilli,
      long backlogNs,
      RandomGenerator random,
      SwarmInjector injector) {
    this.number = number;
    this.direction = direction;
    this.random = random;
    this.injector = injector;
    draws = OF_A_SWARM;
    fate = null;
    this.delayNs = delayNs;
    this.bytesPerMilli = bytesPerMilli;
    this.backlogNs = backlogNs;
    lossMin = 0;
    duplicateNs = delayNs;
  }

  /** Creates the way of what a host sends, whose fate somebody else decides. */
  SimLink(int number, Fate fate) {
    this.number = number;
    this.fate = fate;
    direction = 0;
    random = null;
    draws = List.of();
    delayNs = 0;
    bytesPerMilli = Long.MAX_VALUE;
    backlogNs = 0;
    lossMin = 0;
  }

  // ---- faults

  /** Imposes a fault that lasts until {@link #heal}. */
  void impose(SwarmFault fault) {
    switch (fault.kind()) {
      case LOSS -> {
        loss = fault.amount();
        lossRun = fault.more();
      }
      case TAIL -> tailNs = fault.amount();
      case REORDER -> reorder = fault.amount();
      case DUPLICATE -> duplicate = fault.amount();
      case REPLAY -> {
        replay = fault.amount();
        replayNs = fault.more();
      }
      case FORGE -> forge = fault.amount();
      case CORRUPT -> corrupt = fault.amount();
      case INJECT -> injector.impose(fault.amount());
      case CAPACITY -> capacity = (int) fault.amount();
      default -> throw new AssertionError(fault);
    }
  }

  /**
   * Ends the imposed faults: from now on nothing is lost, late, or duplicated. Datagrams under way
   * still arrive.
   */
  void heal() {
    loss = 0;
    lossesLeft = 0;
    tailNs = 0;
    reorder = 0;
    duplicate = 0;
    replay = 0;
    forge = 0;
    corrupt = 0;
    injector.impose(0);
    capacity = Integer.MAX_VALUE;
  }

  /** Loses a share of the datagrams from now on, 1 for all. The plan's own loss stays the least. */
  void loss(double probability) {
    loss = Math.max(lossMin, probability);
  }

  /** Delays the datagrams from now on by so much more than the plan says. */
  void extraDelay(long ns) {
    extraDelayNs = ns;
  }

  /**
   * Lets datagrams arrive again from addresses at which nobody is, with the given probability. The
   * attacker sees the traffic, and draws from a generator of its own.
   */
  void forge(double probability, RandomGenerator own) {
    forge = probability;
    forgeRandom = own;
  }

  /** Holds the datagrams until a time, and then lets them arrive together. */
  void clog(long untilNs) {
    clogUntilNs = Math.max(clogUntilNs, untilNs);
  }

  /** Loses all datagrams until a time. */
  void cut(long untilNs) {
    cutUntilNs = Math.max(cutUntilNs, untilNs);
  }

  /** Sets the path MTU. Longer datagrams vanish without notice. */
  void mtu(int bytes) {
    mtu = bytes;
  }

  /** Sets the path MTU until a time. */
  void narrow(int bytes, long untilNs) {
    narrowMtu = bytes;
    narrowUntilNs = untilNs;
  }

  // ---- the wire

  /** Decides what becomes of a datagram that is sent now, and puts under way what will arrive. */
  void carry(Datagram sent, SimNetwork network, long nowNs) {
    sent.index = sentCount++;
    if (fate != null) {
      follow(fate.delaysNs(sent), sent, network, nowNs);
      return;
    }
    SimTotals totals = network.totals;
    for (Draw draw : draws) {
      drawn[draw.ordinal()] = random.nextDouble();
    }
    long damageSeed = random.nextLong();
    if (injector != null && sent.sender != null && injector.isDue()) {
      inject(sent, network, nowNs);
    }
    long leavesNs = Math.max(nowNs, wireFreeNs) + sent.length * 1_000_000L / bytesPerMilli;
    wireFreeNs = leavesNs;
    if (isDropped(sent.length, totals, nowNs)) {
      network.free(sent);
      return;
    }
    long arrivalNs = arrivalNs(leavesNs, totals);
    transitNsMax = Math.max(transitNsMax, arrivalNs - nowNs);
    underWay++;
    network.depart(sent, arrivalNs);
    repeat(sent, network, arrivalNs, damageSeed);
    if (drawn(Draw.CORRUPT) < corrupt) {
      sent.damage(damageSeed);
      totals.corrupted++;
    }
  }

  private void follow(long[] delaysNs, Datagram sent, SimNetwork network, long nowNs) {
    if (delaysNs.length == 0) {
      network.free(sent);
      return;
    }
    underWay++;
    network.depart(sent, nowNs + delaysNs[0]);
    for (int i = 1; i < delaysNs.length; i++) {
      network.depart(network.copy(sent), nowNs + delaysNs[i]);
    }
  }

  private double drawn(Draw draw) {
    return drawn[draw.ordinal()];
  }

  private boolean isDropped(int length, SimTotals totals, long nowNs) {
    if (drawn(Draw.OUTAGE) < outage) {
      cutUntilNs = nowNs + (long) (drawn(Draw.OUTAGE_SHARE) * outageNs);
      totals.outages++;
    }
    boolean isLost = isLost();
    boolean isCut = nowNs < cutUntilNs;
    if (isLost || isCut) {
      totals.dropped++;
      totals.count(SwarmEvent.CUT, isCut ? 1 : 0);
      return true;
    }
    if (length > (nowNs < narrowUntilNs ? narrowMtu : mtu)) {
      totals.tooLong++;
      return true;
    }
    if (underWay >= capacity) {
      totals.count(SwarmEvent.OVERFLOWED);
      return true;
    }
    return false;
  }

  private boolean isLost() {
    if (lossesLeft > 0) {
      lossesLeft--;
      return true;
    }
    if (drawn(Draw.LOSS) >= loss / lossRun) {
      return false;
    }
    // The number of further losses is geometric, so that a run has on average lossRun of them.
    lossesLeft =
        lossRun <= 1
            ? 0
            : (int)
                Math.min(
                    LOSS_RUN_MAX, Math.log(1 - drawn(Draw.LOSS_RUN)) / Math.log(1 - 1 / lossRun));
    return true;
  }

  private long arrivalNs(long leavesNs, SimTotals totals) {
    long lateNs = extraDelayNs + (long) (drawn(Draw.JITTER) * jitterNs);
    long tailedNs = tailNs > 0 ? (long) (tailNs * Math.log(1 - drawn(Draw.TAIL))) : 0;
    long arrivalNs = leavesNs + delayNs + lateNs - tailedNs;
    totals.count(SwarmEvent.CLOGGED, arrivalNs < clogUntilNs ? 1 : 0);
    arrivalNs = Math.max(arrivalNs, clogUntilNs);
    if (drawn(Draw.REORDER) < reorder) {
      totals.count(SwarmEvent.OVERTAKEN);
      return arrivalNs + (long) (drawn(Draw.LATER) * reorderNs);
    }
    lastArrivalNs = Math.max(arrivalNs, lastArrivalNs);
    return lastArrivalNs;
  }

  /** Lets the datagram arrive again: duplicated, replayed, or from somewhere else. */
  private void repeat(Datagram sent, SimNetwork network, long arrivalNs, long damageSeed) {
    double later = drawn(Draw.LATER);
    if (drawn(Draw.DUPLICATE) < duplicate) {
      network.totals.duplicated++;
      // One copy in eight may arrive seconds later: a replay, perhaps after the close.
      double usualNs = duplicateNs + tailNs;
      double reachNs = (damageSeed & 7) == 0 ? Math.max(usualNs, lateCopyNs) : usualNs;
      network.depart(network.copy(sent), arrivalNs + (long) (later * reachNs));
    }
    if (drawn(Draw.REPLAY) < replay && network.mayReplay()) {
      network.totals.count(SwarmEvent.REPLAYED);
      network.depart(network.copy(sent), arrivalNs + (long) (later * replayNs));
    }
    boolean isForged = drawn(Draw.FORGE) < forge;
    int nobody = (int) (damageSeed & 7);
    long forgedLaterNs = (long) (later * FORGED_LATER_NS);
    if (forgeRandom != null) {
      isForged = forgeRandom.nextDouble() < forge;
      nobody = forgeRandom.nextInt(3);
      forgedLaterNs = forgeRandom.nextInt((int) FORGED_LATER_NS);
    }
    if (isForged) {
      network.totals.forged++;
      Datagram forged = network.copy(sent);
      forged.source = SimAddresses.ofNobody(nobody);
      network.depart(forged, arrivalNs + forgedLaterNs);
    }
  }

  /** Sends a forged datagram next to one of a connection, as if it were another one of it. */
  private void inject(Datagram beside, SimNetwork network, long nowNs) {
    network.totals.count(SwarmEvent.INJECTED);
    int receiverCid = beside.bytes.getInt(4);
    ByteBuffer bytes = injector.make(receiverCid, beside.sender.cid());
    int nobody = injector.source();
    InetSocketAddress source = nobody < 0 ? beside.source : SimAddresses.ofNobody(nobody);
    int length = bytes.position();
    Datagram forged = network.take(this, null, source, beside.destination, bytes, 0, length);
    forged.isCopy = true; // not part of the direction's traffic
    network.depart(forged, nowNs + delayNs + injector.laterNs());
  }

  /** Notes that a datagram is not under way any more. */
  void onArrived(Datagram datagram, SimTotals totals) {
    if (!datagram.isCopy) {
      underWay--;
      totals.reordered += datagram.index < highestArrived ? 1 : 0;
      highestArrived = Math.max(highestArrived, datagram.index);
    }
  }

  /** Returns when the sender's socket buffer has room; a past time if it has some now. */
  long roomAtNs() {
    return wireFreeNs == Long.MIN_VALUE ? wireFreeNs : wireFreeNs - backlogNs;
  }

  /** Returns the longest transit of a datagram. */
  long transitNsMax() {
    return transitNsMax;
  }
}
