package io.rtransport.simulator;

import io.rtransport.simulator.SwarmFault.Kind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * Everything that is fixed before a swarm's world starts: hosts, links between them, successive
 * connections on each link, and a list of faults. It is drawn from the seed. The minimiser keeps a
 * part of it.
 */
public final class SwarmPlan implements SimPlan {
  /** Value of {@link #keep} for all transactions of a connection. */
  static final int ALL = Integer.MAX_VALUE;

  private static final int INDEX_MAX = 10_000;
  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000_000_000;
  private static final long CLOG_NS_MAX = 5 * SECOND;
  private static final long PAUSE_NS_MAX = 2 * SECOND;
  private static final long REPLAY_NS_MAX = 60 * SECOND;

  /**
   * A host.
   *
   * @param wakeNs longest time from the first unread arrival to its read
   * @param burstMax most datagrams that it reads at once
   * @param isTokenDemanded whether a connecting host must first prove its address
   */
  record Host(
      long budgetBytes,
      long creditPoolBytes,
      int storeBytes,
      long wakeNs,
      int burstMax,
      boolean isTokenDemanded) {}

  /**
   * Two hosts with successive connections between them.
   *
   * @param delayNs least time in one direction
   * @param bytesPerMilli rate of either direction
   * @param backlogNs unsent data that the socket buffers hold, in ns of that rate
   * @param connectionCount successive connections, in addition to those that a death makes
   *     necessary
   */
  record Link(
      int connector,
      int acceptor,
      long startNs,
      long delayNs,
      long bytesPerMilli,
      long backlogNs,
      int connectionCount) {}

  final long seed;
  final List<Host> hosts = new ArrayList<>();
  final List<Link> links = new ArrayList<>();
  final List<SwarmFault> faults = new ArrayList<>();

  /** Time when the last fault ends, after the start. */
  final long healNs;

  /** Clock of all hosts at the start. Some clocks cross zero. */
  final long originNs;

  /**
   * The kept part: indexes of {@link #faults} and {@link #links}, and transactions of each
   * connection.
   */
  final BitSet keptFaults;

  final BitSet keptLinks;
  final int keptTransactions;

  private SwarmPlan(long seed, BitSet keptFaults, BitSet keptLinks, int keptTransactions) {
    this.seed = seed;
    RandomGenerator random = SimRandom.fork(seed, "swarm");
    int hostCount = 2 + random.nextInt(7);
    for (int i = 0; i < hostCount; i++) {
      hosts.add(drawHost(SimRandom.fork(seed, "host " + i)));
    }
    healNs = SimRandom.logUniform(random, SECOND / 2, 10 * SECOND);
    originNs = random.nextInt(4) == 0 ? -random.nextLong(healNs) : SECOND;
    long delayNs = SimRandom.logUniform(random, 5 * MICRO, 10 * MILLI);
    int linkCount = Math.max(hostCount / 2, 1) + random.nextInt(4);
    for (int i = 0; i < linkCount; i++) {
      links.add(drawLink(SimRandom.fork(seed, "link " + i), delayNs));
    }
    drawLasting(SimRandom.fork(seed, "lasting"));
    drawPassing(SimRandom.fork(seed, "passing"));
    drawInjections(SimRandom.fork(seed, "injections"));
    drawNarrow(SimRandom.fork(seed, "narrow"));
    this.keptFaults = keptOf(keptFaults, faults.size());
    this.keptLinks = keptOf(keptLinks, links.size());
    this.keptTransactions = keptTransactions;
  }

  /** Returns the whole plan of {@code seed}. */
  public static SwarmPlan of(long seed) {
    return new SwarmPlan(seed, null, null, ALL);
  }

  /**
   * Kept part of a plan: indexes of faults and of links, null for all, and transactions of each
   * connection.
   */
  public record Part(BitSet faults, BitSet links, int transactions) {
    /** All of it. */
    public static final Part WHOLE = new Part(null, null, ALL);

    /**
     * Reads indexes as {@link SwarmPlan#selection} writes them.
     *
     * @param text numbers with commas between them, or {@code none}; null for all
     * @throws IllegalArgumentException if it is none of these
     */
    public static BitSet indexes(String text) {
      if (text == null) {
        return null;
      }
      BitSet set = new BitSet();
      if (!text.equals("none")) {
        for (String index : text.split(",")) {
          int value = Integer.parseInt(index);
          if (value < 0 || value > INDEX_MAX) {
            throw new NumberFormatException(index);
          }
          set.set(value);
        }
      }
      return set;
    }
  }

  /** Returns the part of this plan that {@code part} names. */
  public SwarmPlan keep(Part part) {
    return keep(part.faults(), part.links(), part.transactions());
  }

  /**
   * Returns a part of this plan.
   *
   * @param faultsKept indexes of faults, null for all
   * @param linksKept indexes of links, null for all
   * @param transactions most transactions of each connection
   */
  public SwarmPlan keep(BitSet faultsKept, BitSet linksKept, int transactions) {
    return new SwarmPlan(
        seed,
        faultsKept == null ? keptFaults : faultsKept,
        linksKept == null ? keptLinks : linksKept,
        transactions);
  }

  private static BitSet keptOf(BitSet wanted, int count) {
    BitSet set = new BitSet();
    set.set(0, count);
    if (wanted != null) {
      set.and(wanted);
    }
    return set;
  }

  private static Host drawHost(RandomGenerator random) {
    boolean isNarrow = random.nextInt(4) == 0;
    return new Host(
        (isNarrow ? 512L << 10 : 1L << 20) << random.nextInt(isNarrow ? 2 : 6),
        (isNarrow ? 128L << 10 : 1L << 20) << random.nextInt(4),
        (isNarrow ? 256 << 10 : 1 << 20) << random.nextInt(2),
        random.nextInt(3) == 0 ? 0 : SimRandom.logUniform(random, MICRO, 200 * MICRO),
        1 + random.nextInt(64),
        random.nextInt(4) == 0);
  }

  private Link drawLink(RandomGenerator random, long delayNs) {
    int connector = random.nextInt(hosts.size());
    int acceptor = (connector + 1 + random.nextInt(hosts.size() - 1)) % hosts.size();
    boolean isRoomy = random.nextInt(3) != 0;
    long backlogNs = SimRandom.logUniform(random, 50 * MICRO, 20 * MILLI);
    return new Link(
        connector,
        acceptor,
        random.nextInt(2) == 0 ? 0 : random.nextLong(healNs / 2),
        delayNs / 2 + random.nextLong(delayNs),
        SimRandom.logUniform(random, 5_000, 1_250_000),
        isRoomy ? Long.MAX_VALUE / 4 : backlogNs,
        1 + random.nextInt(2));
  }

  /**
   * Draws the lasting faults of the links: each kind in some of the worlds, at another level on
   * each link.
   */
  private void drawLasting(RandomGenerator random) {
    for (Kind kind : Kind.values()) {
      if (kind == Kind.INJECT) {
        continue; // drawn separately, so that no seed's world changes
      }
      double share =
          switch (kind) {
            case LOSS -> 0.8;
            case TAIL, DUPLICATE, REPLAY -> 0.6;
            case REORDER, CORRUPT -> 0.5;
            case FORGE, CAPACITY -> 0.25;
            default -> 0;
          };
      boolean isThere = random.nextDouble() < share;
      double most = SimRandom.logUniform(random, 1_000, 1_000_000) / 1e6;
      double more = lastingMore(kind, random);
      for (int link = 0; link < links.size(); link++) {
        for (int direction = 0; direction < 2; direction++) {
          double level = most * (0.2 + 0.8 * random.nextDouble());
          boolean isHere = random.nextInt(4) != 0;
          if (isThere && isHere) {
            double amount = lastingAmount(kind, level, random);
            faults.add(new SwarmFault(kind, link, direction, 0, healNs, amount, more));
          }
        }
      }
    }
  }

  /** Draws the forged packets, in a third of the worlds. */
  private void drawInjections(RandomGenerator random) {
    boolean isThere = random.nextInt(3) == 0;
    for (int link = 0; link < links.size(); link++) {
      for (int direction = 0; direction < 2; direction++) {
        double amount = SimRandom.logUniform(random, 1_000, 50_000) / 1e6;
        if (isThere && random.nextInt(4) != 0) {
          faults.add(new SwarmFault(Kind.INJECT, link, direction, 0, healNs, amount, 0));
        }
      }
    }
  }

  private static double lastingMore(Kind kind, RandomGenerator random) {
    double drawn = random.nextDouble();
    return switch (kind) {
      case LOSS -> random.nextBoolean() ? 1 : 1 + 15 * drawn * drawn;
      case REPLAY -> REPLAY_NS_MAX * (random.nextBoolean() ? drawn : drawn / 60);
      default -> 0;
    };
  }

  /** Returns the amount of a lasting fault. {@code level}: 0.0002..1, log-uniform. */
  private static double lastingAmount(Kind kind, double level, RandomGenerator random) {
    int packets = 2 + random.nextInt(19);
    return switch (kind) {
      case LOSS -> 0.3 * level;
      case TAIL -> 30.0 * MILLI * level;
      case REORDER -> level;
      case DUPLICATE, REPLAY -> 0.5 * level;
      case FORGE -> 0.05 * level;
      case CORRUPT -> 0.1 * level;
      default -> packets;
    };
  }

  /** Draws the passing faults: a few of each kind, anywhere. */
  private void drawPassing(RandomGenerator random) {
    for (Kind kind : Kind.values()) {
      int most =
          switch (kind) {
            case CLOG, PAUSE -> 4;
            case ONE_WAY, PARTITION, CRASH, MOVE -> 3;
            default -> 0;
          };
      int count = most == 0 ? 0 : random.nextInt(most);
      for (int i = 0; i < count; i++) {
        faults.add(drawPassing(kind, random));
      }
    }
  }

  /** Makes each direction of some links narrow from the start, or later, once or twice. */
  private void drawNarrow(RandomGenerator random) {
    for (int link = 0; link < links.size(); link++) {
      for (int direction = 0; direction < 2; direction++) {
        for (int i = random.nextInt(3); i > 0; i--) {
          int bytes = WorldPlan.drawMtu(random);
          long atNs = random.nextInt(3) == 0 ? 0 : random.nextLong(healNs);
          long forNs = SimRandom.logUniform(random, MILLI, CLOG_NS_MAX);
          long endNs = Math.min(healNs, atNs + forNs);
          faults.add(new SwarmFault(Kind.NARROW, link, direction, atNs, endNs - atNs, bytes, 0));
        }
      }
    }
  }

  private SwarmFault drawPassing(Kind kind, RandomGenerator random) {
    int link = random.nextInt(links.size());
    int host = random.nextInt(hosts.size());
    int set = 1 + random.nextInt((1 << hosts.size()) - 2);
    int direction = random.nextInt(2);
    long atNs = random.nextLong(healNs);
    boolean isLongest = random.nextInt(2) == 0;
    long most =
        switch (kind) {
          case PAUSE -> PAUSE_NS_MAX;
          case CRASH -> SECOND;
          default -> CLOG_NS_MAX;
        };
    long drawnNs = SimRandom.logUniform(random, MILLI, most);
    long forNs = Math.min(isLongest ? most : drawnNs, healNs - atNs);
    int where = kind.isOfLink() ? link : kind == Kind.PARTITION ? set : host;
    return new SwarmFault(kind, where, direction, atNs, forNs, 0, 0);
  }

  /** Returns the plan of connection {@code number} of a link, counted in their order. */
  WorldPlan connection(int link, int number) {
    long connectionSeed = SimRandom.mix(seed * 31 + link * 1_000L + number);
    return WorldPlan.ofConnection(connectionSeed, keptTransactions);
  }

  @Override
  public long seed() {
    return seed;
  }

  @Override
  public WorldPlan.Scenario scenario() {
    return WorldPlan.Scenario.SWARM;
  }

  @Override
  public String selection() {
    StringBuilder text = new StringBuilder();
    if (keptFaults.cardinality() < faults.size()) {
      text.append(" --faults ").append(names(keptFaults));
    }
    if (keptLinks.cardinality() < links.size()) {
      text.append(" --links ").append(names(keptLinks));
    }
    if (keptTransactions != ALL) {
      text.append(" --transactions ").append(keptTransactions);
    }
    return text.toString();
  }

  private static String names(BitSet set) {
    String names = set.stream().mapToObj(Integer::toString).collect(Collectors.joining(","));
    return names.isEmpty() ? "none" : names;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            "seed %d SWARM: %d hosts, %d links, healed after %,d us%n",
            seed, hosts.size(), keptLinks.cardinality(), healNs / 1_000));
    for (int i = 0; i < hosts.size(); i++) {
      text.append(String.format("  host %d: %s%n", i, hosts.get(i)));
    }
    keptLinks.stream().forEach(i -> text.append(String.format("  link %d: %s%n", i, links.get(i))));
    keptFaults.stream()
        .filter(i -> isInForce(faults.get(i)))
        .forEach(i -> text.append(String.format("  fault %d: %s%n", i, faults.get(i))));
    return text.toString();
  }

  /** Returns whether the fault has an effect: it does not belong to a link that is left out. */
  boolean isInForce(SwarmFault fault) {
    return !fault.kind().isOfLink() || keptLinks.get(fault.where());
  }
}
