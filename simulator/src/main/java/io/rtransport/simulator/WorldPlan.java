package io.rtransport.simulator;

import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionConfig.Congestion;
import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Everything that is fixed before a world starts: the parameters of its two hosts, the faults of
 * its network, the size of its workload. It is drawn from the seed. {@link #scenario} modifies the
 * draw.
 */
public final class WorldPlan implements SimPlan {
  /** Kinds of world. */
  public enum Scenario {
    /** Everything mixed. The default test runs it. */
    DEFAULT,
    /** A network without faults: only a mistake causes a resend. */
    CLEAN,
    /** Heavy loss, reordering and damage. */
    HARSH,
    /** Least windows, credit, budgets and tables: back-pressure everywhere. */
    NARROW,
    /**
     * The network falls silent for ever in the middle: every transaction must end, once, and both
     * sides must close.
     */
    BLACKHOLE,
    /** One side aborts in the middle. */
    ABORT,
    /**
     * The connecting host gets another port every second and once another address. Strangers replay
     * its datagrams from other addresses.
     */
    REBIND,
    /**
     * Like DEFAULT, with applications that behave like a channel's. It also runs over real
     * channels, with an equal trace.
     */
    CHANNEL,
    /**
     * Many hosts and connections, faults of every kind, crashes: {@link SwarmPlan}. A plan of this
     * class is then one of its connections.
     */
    SWARM
  }

  /**
   * Largest distance of a first number below the wrap. It is so short that a world of any size
   * crosses the wrap.
   */
  private static final int WRAP_DISTANCE_MAX = 40;

  private static final long IDLE_NS = 300_000_000_000L;

  /** Silence that ends a connection that lives by its keepalives until one side aborts. */
  private static final long IDLE_UNTIL_ABORT_NS = 5_000_000_000L;

  public final long seed;
  public final Scenario scenario;

  final FaultPlan[] faults = new FaultPlan[2];
  final int datagramSize;

  /** Whether both hosts search for the path's MTU, and the longest datagram that they accept. */
  final boolean isMtuDiscovered;

  final int datagramSizeMax;

  /** Longest datagram that passes at first, and from {@link #mtuChangeNs} on, by direction. */
  final int[] mtuFirst = {Integer.MAX_VALUE, Integer.MAX_VALUE};

  final int[] mtuLater = {Integer.MAX_VALUE, Integer.MAX_VALUE};
  final long mtuChangeNs;

  /** Whether each host asks for an ordered connection. One request is enough. */
  final boolean[] isOrderWished = new boolean[2];

  final boolean isOrdered;
  final int solicitThreshold;
  final int headerLengthMax;
  final int initialCreditBytes;
  final int outstandingMax;
  final long budgetBytes;
  final long creditPoolBytes;
  final int storeBytes;
  final String profile;
  final ConnectionConfig.Congestion congestion;
  final int ackDelayMicros;

  /**
   * Time for which each host's submissions wait for others to share a packet, ns. Half of the hosts
   * do not wait.
   */
  final long[] flushWindowsNs = new long[2];

  /** Receive windows of each host, packets. */
  final int[] requestWindows = new int[2];

  final int[] dataWindows = new int[2];
  final int[] firstRequestPsns = new int[2];
  final int[] firstDataPsns = new int[2];
  final int[] firstRsns = new int[2];
  final int[] firstSsns = new int[2];

  /** First transmission sequence of each host, 24 bits. */
  final int[] firstSequences = new int[2];

  /** Host that closes first. */
  final int closingHost;

  /** Host that half-closes after its planned transactions are submitted; −1 = none. */
  final int halfClosingHost;

  /** Whether the other half-closes later, and nobody closes. */
  final boolean isClosedByHalves;

  final int transactionCount;
  final long bytesMax;

  /** Time over which the submissions are spread, ns; 0 = all at once. */
  final long spreadNs;

  /** When the scenario's event happens, ns; {@link Long#MAX_VALUE} = never. */
  final long eventNs;

  /** Silence that ends a connection, ns, and whether one asks before. */
  final long idleTimeoutNs;

  final boolean isKeepalive;

  /** Silence of a swarm's connection between its last transaction and its close, ns. */
  final long lingerNs;

  /** Interval at which host 0 gets another port, ns; {@link Long#MAX_VALUE} = never. */
  final long moveIntervalNs;

  final int moveCount;

  /** Number of the move from which host 0 also has another address. */
  final int hostMove;

  /**
   * Probability that a stranger sends a datagram again, from an address that is not the stranger's.
   */
  final double forged;

  /** Kinds of fault that the minimiser has removed. */
  final Set<FaultKind> removed;

  /** Number of drawn transactions that are kept. The minimiser lowers it. */
  final int keptTransactions;

  /** Whether applications also give up, where those of the scenario do not. */
  final boolean isGivingUp;

  /** When one side aborts, where the scenario has no event; {@link Long#MAX_VALUE} = never. */
  private final long abortNs;

  private WorldPlan(
      long seed,
      Scenario scenario,
      Set<FaultKind> removed,
      int keptTransactions,
      boolean isGivingUp,
      long abortNs) {
    boolean isSwarm = scenario == Scenario.SWARM;
    this.seed = seed;
    this.scenario = scenario;
    this.removed = removed;
    this.keptTransactions = keptTransactions;
    this.isGivingUp = isGivingUp || scenario != Scenario.CHANNEL;
    this.abortNs = abortNs;
    boolean isAborting = abortNs != Long.MAX_VALUE;
    RandomGenerator network = SimRandom.fork(seed, "faults");
    long delayNs = SimRandom.logUniform(network, 5_000, 10_000_000);
    for (int i = 0; i < 2; i++) {
      FaultPlan drawn = FaultPlan.draw(network, delayNs);
      drawn = scenario == Scenario.HARSH ? drawn.harsher() : drawn;
      drawn = scenario == Scenario.CHANNEL ? drawn.roomy() : drawn;
      drawn = scenario == Scenario.CLEAN ? FaultPlan.clean(delayNs) : drawn;
      for (FaultKind kind : removed) {
        drawn = drawn.without(kind);
      }
      faults[i] = drawn;
    }
    RandomGenerator random = SimRandom.fork(seed, "parameters");
    boolean isNarrow = random.nextInt(4) == 0 || scenario == Scenario.NARROW;
    datagramSize = drawDatagramSize(random);
    int orderDrawn = SimRandom.fork(seed, "order").nextInt(8);
    isOrderWished[0] = orderDrawn > 3;
    isOrderWished[1] = orderDrawn > 4 || orderDrawn == 3;
    isOrdered = isOrderWished[0] || isOrderWished[1];
    solicitThreshold = (int) SimRandom.logUniform(random, 256, isNarrow ? 2_048 : 16_384);
    int headerRoom = Math.min(512, datagramSize - 128);
    headerLengthMax = random.nextInt(4) == 0 ? headerRoom : 64 + random.nextInt(128);
    int creditLeast = Math.max(1_024, solicitThreshold + headerLengthMax + 32);
    RandomGenerator mtu = SimRandom.fork(seed, "mtu");
    isMtuDiscovered = mtu.nextBoolean() || isSwarm;
    int sizeMaxDrawn = datagramSize + mtu.nextInt(Datagram.LENGTH_MAX + 1 - datagramSize);
    datagramSizeMax = mtu.nextInt(4) == 0 || !isMtuDiscovered ? datagramSize : sizeMaxDrawn;
    mtuChangeNs = SimRandom.logUniform(mtu, 5_000_000, 400_000_000);
    for (int i = 0; i < 2; i++) {
      int first = drawMtu(mtu);
      int later = mtu.nextInt(3) == 0 ? first : drawMtu(mtu);
      if (isMtuDiscovered && !isSwarm && scenario != Scenario.CLEAN) {
        mtuFirst[i] = first;
        mtuLater[i] = later;
      }
    }
    initialCreditBytes = creditLeast + (isNarrow ? random.nextInt(1_024) : random.nextInt(131_072));
    outstandingMax = isNarrow ? 16 + random.nextInt(64) : 256 << random.nextInt(7);
    long budgetDrawn = (isNarrow ? 512L << 10 : 1L << 20) << random.nextInt(isNarrow ? 2 : 7);
    // A channel keeps accepted messages whole, and needs room for them.
    budgetBytes = scenario == Scenario.CHANNEL ? Math.max(budgetDrawn, 8L << 20) : budgetDrawn;
    creditPoolBytes = (isNarrow ? 128L << 10 : 1L << 20) << random.nextInt(4);
    storeBytes = (isNarrow ? 1 << 20 : 4 << 20) << Math.max(0, random.nextInt(5) - 2);
    profile = new String[] {"loopback", "lan", "lossy", "wan"}[random.nextInt(4)];
    boolean isFixedWindow = random.nextInt(4) == 0;
    boolean isSwift = SimRandom.fork(seed, "congestion").nextBoolean();
    congestion = isFixedWindow ? Congestion.FIXED : isSwift ? Congestion.SWIFT : Congestion.AIMD;
    ackDelayMicros = random.nextInt(8) == 0 ? 0 : 10 << random.nextInt(8);
    RandomGenerator flush = SimRandom.fork(seed, "flush");
    for (int i = 0; i < 2; i++) {
      boolean isWaiting = flush.nextBoolean();
      flushWindowsNs[i] = isWaiting ? SimRandom.logUniform(flush, 1_000, 10_000_000) : 0;
    }
    for (int i = 0; i < 2; i++) {
      requestWindows[i] = isNarrow ? 64 : 64 << random.nextInt(9);
      dataWindows[i] = isNarrow ? 64 << random.nextInt(2) : 64 << random.nextInt(9);
      firstRequestPsns[i] = drawFirst(random);
      firstDataPsns[i] = drawFirst(random);
      firstRsns[i] = drawFirst(random);
      firstSsns[i] = drawFirst(random);
      firstSequences[i] = drawFirst(random) & 0xFF_FFFF;
    }
    int closingDrawn = random.nextInt(2);
    RandomGenerator work = SimRandom.fork(seed, "size");
    transactionCount = isSwarm ? 46 + work.nextInt(210) : 300 + work.nextInt(200);
    long bytesDrawn = (3L << 20) + work.nextInt(5 << 20);
    bytesMax = isSwarm ? bytesDrawn >> 3 : bytesDrawn;
    long spreadDrawnNs =
        work.nextInt(3) == 0 ? 0 : SimRandom.logUniform(work, 1_000_000, 400_000_000);
    RandomGenerator life = SimRandom.fork(seed, "life");
    boolean isAborted = life.nextInt(12) == 0;
    long idlePairNs = isAborting ? IDLE_UNTIL_ABORT_NS : IDLE_NS;
    idleTimeoutNs =
        isSwarm ? SimRandom.logUniform(life, 1_000_000_000, 30_000_000_000L) : idlePairNs;
    isKeepalive = isSwarm ? life.nextInt(3) == 0 : isAborting;
    long lingerDrawnNs = life.nextLong(2 * idleTimeoutNs);
    lingerNs = isSwarm && life.nextInt(6) == 0 ? lingerDrawnNs : 0;
    long swarmSpreadNs = SimRandom.logUniform(life, 1_000_000, 6_000_000_000L);
    boolean hasEvent =
        scenario == Scenario.BLACKHOLE
            || scenario == Scenario.ABORT
            || isSwarm && isAborted
            || isAborting;
    long eventDrawnNs = SimRandom.logUniform(work, delayNs * 3, 300_000_000);
    eventNs = isAborting ? abortNs : hasEvent ? eventDrawnNs : Long.MAX_VALUE;
    RandomGenerator move = SimRandom.fork(seed, "moves");
    boolean isRebind = scenario == Scenario.REBIND;
    boolean isMoving = isRebind || scenario == Scenario.DEFAULT && move.nextInt(6) == 0;
    // Long enough for some challenges and their answers, in spite of losses.
    long moveDrawnNs =
        SimRandom.logUniform(move, Math.max(100_000_000, 40 * delayNs), 1_000_000_000);
    moveIntervalNs = !isMoving ? Long.MAX_VALUE : isRebind ? 1_000_000_000 : moveDrawnNs;
    // A host that moves and is silent does not hear the other close. So host 0 closes: its peer can
    // be found.
    closingHost = isMoving ? 0 : closingDrawn;
    RandomGenerator halves = SimRandom.fork(seed, "halves");
    int halfDrawn = halves.nextInt(2);
    // As above: the peer of a moving host must not wait for an answer.
    halfClosingHost = halves.nextInt(3) != 0 ? -1 : isMoving ? 0 : halfDrawn;
    isClosedByHalves = halves.nextInt(3) == 0 && halfClosingHost >= 0 && !hasEvent && !isMoving;
    moveCount = 1 + move.nextInt(isRebind ? 10 : 4);
    hostMove = 1 + move.nextInt(moveCount);
    forged = move.nextBoolean() ? 0.02 : 0.001;
    long spreadAsNs = isSwarm && spreadDrawnNs > 0 ? swarmSpreadNs : spreadDrawnNs;
    spreadNs = isRebind ? 2_000_000_000 + move.nextLong(3_000_000_000L) : spreadAsNs;
  }

  /**
   * Returns one connection of a swarm, drawn by {@code seed}, with its first {@code kept}
   * transactions.
   */
  static WorldPlan ofConnection(long seed, int kept) {
    return new WorldPlan(
        seed, Scenario.SWARM, EnumSet.noneOf(FaultKind.class), kept, false, Long.MAX_VALUE);
  }

  /** Returns the plan of {@code seed} in {@code scenario}, other than a swarm. */
  public static WorldPlan of(long seed, Scenario scenario) {
    return new WorldPlan(
        seed, scenario, EnumSet.noneOf(FaultKind.class), Integer.MAX_VALUE, false, Long.MAX_VALUE);
  }

  /** Returns this plan without one kind of fault. */
  WorldPlan without(FaultKind kind) {
    Set<FaultKind> more = EnumSet.noneOf(FaultKind.class);
    more.addAll(removed);
    more.add(kind);
    return new WorldPlan(seed, scenario, more, keptTransactions, isGivingUp, abortNs);
  }

  /** Returns this plan with cancels and deadlines, also where its scenario has none. */
  public WorldPlan givingUp() {
    return new WorldPlan(seed, scenario, removed, keptTransactions, true, abortNs);
  }

  /**
   * Returns this plan, of a pair, with an abort by one side that long after the set-up, and
   * keepalives until then.
   */
  public WorldPlan aborting(long afterNs) {
    return new WorldPlan(seed, scenario, removed, keptTransactions, isGivingUp, afterNs);
  }

  /** Returns this plan with only the first {@code count} transactions. */
  WorldPlan withTransactions(int count) {
    return new WorldPlan(seed, scenario, removed, count, isGivingUp, abortNs);
  }

  /** Draws a path MTU, never below the needs of a connection's longest record. */
  static int drawMtu(RandomGenerator random) {
    return switch (random.nextInt(8)) {
      case 0 -> 640;
      case 1 -> 640 + random.nextInt(700);
      case 2 -> 1_232;
      case 3 -> 1_372;
      case 4 -> 1_472;
      case 5 -> 640 + random.nextInt(Datagram.LENGTH_MAX - 640);
      default -> Datagram.LENGTH_MAX;
    };
  }

  private static int drawDatagramSize(RandomGenerator random) {
    return switch (random.nextInt(8)) {
      case 0 -> 576;
      case 1 -> 1_232;
      case 2, 3, 4 -> 1_408;
      case 5 -> 576 + random.nextInt(8_192 - 576 + 1);
      case 6 -> 576 + random.nextInt(1_024);
      default -> 1_472;
    };
  }

  /**
   * Draws a first number. Seven in eight are just below the wrap of 32 bits. Cut to 24 bits, so are
   * those of the transmission sequence.
   */
  private static int drawFirst(RandomGenerator random) {
    int anywhere = random.nextInt();
    int distance = random.nextInt(WRAP_DISTANCE_MAX);
    return random.nextInt(8) == 0 ? anywhere : -1 - distance;
  }

  @Override
  public long seed() {
    return seed;
  }

  @Override
  public Scenario scenario() {
    return scenario;
  }

  /** Returns the bound of virtual time for the whole world, ns. */
  long boundNs() {
    return 600_000_000_000L;
  }

  private String mtuText() {
    return isMtuDiscovered
        ? String.format(
            "up to %d over %d/%d, after %,d us %d/%d",
            datagramSizeMax,
            mtuFirst[0],
            mtuFirst[1],
            mtuChangeNs / 1_000,
            mtuLater[0],
            mtuLater[1])
        : "fixed";
  }

  @Override
  public String toString() {
    return String.format(
        "seed %d %s: datagram %d, path MTU %s, %s, threshold %d, credit %,d, outstanding %d, budget %,d, pool %,d,"
            + " store %,d, profile %s, %s, windows %d/%d %d/%d, transactions %d, bytes <= %,d, spread"
            + " %,d ns%n  0->1 %s%n  1->0 %s",
        seed,
        scenario,
        datagramSize,
        mtuText(),
        isOrdered ? "ordered" : "unordered",
        solicitThreshold,
        initialCreditBytes,
        outstandingMax,
        budgetBytes,
        creditPoolBytes,
        storeBytes,
        profile,
        congestion,
        requestWindows[0],
        dataWindows[0],
        requestWindows[1],
        dataWindows[1],
        Math.min(transactionCount, keptTransactions),
        bytesMax,
        spreadNs,
        faults[0],
        faults[1]);
  }
}
