package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;

/** Scenarios of several paths in one connection, each in a {@link RailWorld}. */
final class RailScenarios {
  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;
  private static final long START_NS = PairHarness.START_NS;
  private static final long DARK_NS = START_NS + 100 * MILLI;

  /** Longest delay of a record when a rail dies, at a round trip of 1 ms: the bar of issue 20. */
  private static final long LATE_NS_MAX = 20 * MILLI;

  /** The same where one rail works only there and one only back: it takes two expiries. */
  private static final long CROSSED_LATE_NS_MAX = 200 * MILLI;

  private static final int BULK_RECORDS = 20_000;
  private static final int BULK_LENGTH = 1_300;

  /** Bytes a millisecond: 200 Mb/s. */
  private static final int FAST = 25_000;

  private static final int NARROW_WINDOW = 128;
  private static final int DRAWN_WORLDS = 40;

  private RailScenarios() {}

  // ---- rails that die and come back

  /** Tests a rail that goes dark both ways, then one that goes dark one way. */
  static String railLost(long seed) {
    long latest = 0;
    long moved = 0;
    for (long intervalNs : new long[] {20 * MICRO, 50 * MICRO, 300 * MICRO, MILLI, 7 * MILLI}) {
      for (int rail = 0; rail < 2; rail++) {
        for (int ways = 1; ways <= 3; ways++) {
          RailRecords[] records = new RailRecords[2];
          for (int host = 0; host < 2; host++) {
            int count = (int) (300 * MILLI / intervalNs);
            records[host] =
                new RailRecords(host == 0 ? count : count / 10, 64, START_NS, intervalNs);
          }
          List<RailWorld.Event> events = new ArrayList<>();
          cut(events, DARK_NS, Long.MAX_VALUE, rail, ways);
          RailWorld world = new RailWorld(alike(2, 500 * MICRO), records, events, seed);
          world.run();
          for (RailRecords side : records) {
            bound(
                side.latenessNsMax() < LATE_NS_MAX,
                "rail %d, ways %d, every %,d ns: %,d ns late",
                rail,
                ways,
                intervalNs,
                side.latenessNsMax());
            latest = Math.max(latest, side.latenessNsMax());
          }
          if (ways == 3) {
            bound(world.count(0, CounterId.PATHS_SUSPECTED) == 1, "not suspected once");
          }
          moved += world.count(0, CounterId.RETRANSMITS_MOVED);
        }
      }
    }
    bound(moved > 0, "nothing moved");
    RailRecords records = new RailRecords(2_000, 64, START_NS, 50 * MICRO);
    List<RailWorld.Event> events = new ArrayList<>();
    cut(events, START_NS, Long.MAX_VALUE, 1, 3);
    RailWorld world = new RailWorld(alike(2, 500 * MICRO), oneWay(records), events, seed);
    world.run();
    bound(world.count(0, CounterId.RETRANSMITS_MOVED) == 0, "used before it has answered");
    return String.format("at most %.2f ms late, %d packets moved", latest / 1e6, moved);
  }

  /** Tests a rail that is dark for 1.9 s of 4. */
  static String railBack(long seed) {
    RailRecords records = new RailRecords(80_000, 64, START_NS, 50 * MICRO);
    List<RailWorld.Event> events = new ArrayList<>();
    cut(events, DARK_NS, START_NS + 2_000 * MILLI, 1, 3);
    RailWorld world = new RailWorld(alike(2, 100 * MICRO), oneWay(records), events, seed);
    world.run();
    long returned = world.count(0, CounterId.PATHS_RETURNED);
    String figure =
        String.format(
            "at most %.2f ms late, %.3f of the bytes by that rail, opened or returned %d times",
            records.latenessNsMax() / 1e6, world.share(0, 1), returned);
    bound(records.latenessNsMax() < LATE_NS_MAX, "%s", figure);
    bound(returned == 2, "%s", figure);
    bound(world.share(0, 1) > 0.15, "%s", figure);
    for (long delayNs : new long[] {25 * MILLI, 300 * MILLI}) { // the next PING before the answer
      RailRecords[] both = new RailRecords[2];
      for (int host = 0; host < 2; host++) {
        both[host] = new RailRecords(12_000, 64, START_NS, MILLI);
      }
      List<RailWorld.Event> cuts = new ArrayList<>();
      cut(cuts, START_NS + 2_000 * MILLI, START_NS + 7_000 * MILLI, 1, 1);
      RailWorld distant = new RailWorld(alike(2, delayNs), both, cuts, seed);
      distant.run();
      long times = distant.count(0, CounterId.PATHS_RETURNED);
      bound(times >= 2, "round trip %,d ns: opened or returned %d times", 2 * delayNs, times);
    }
    return figure;
  }

  /** Tests a peer that stands still. */
  static String railPauses(long seed) {
    RailRecords records = new RailRecords(60_000, 64, START_NS, 50 * MICRO);
    List<RailWorld.Event> events = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      long atNs = DARK_NS + 200 * i * MILLI;
      long forNs = i < 4 ? 50 * MILLI : 1_500 * MILLI;
      cut(events, atNs, atNs + forNs, 0, 2);
      cut(events, atNs, atNs + forNs, 1, 2);
    }
    RailWorld world = new RailWorld(alike(2, 500 * MICRO), oneWay(records), events, seed);
    world.run();
    long suspected = world.count(0, CounterId.PATHS_SUSPECTED);
    // The last PING of one path may be lost at the very end of the silence.
    bound(suspected <= 1, "%d paths suspected", suspected);
    bound(world.health(0, 0) == 1_000 && world.health(0, 1) == 1_000, "a pause cost health");
    return String.format(
        "%d suspected, %d packets resent by timeout",
        suspected, world.count(0, CounterId.RETRANSMITS_TIMEOUT));
  }

  /** Tests three rails that die one after another, and one that comes back. */
  static String railsDark(long seed) {
    long longest = 0;
    for (int back = 0; back < 3; back++) {
      RailRecords records = new RailRecords(40_000, 64, START_NS, 50 * MICRO);
      List<RailWorld.Event> events = new ArrayList<>();
      long restoreNs = START_NS + 1_500 * MILLI;
      for (int rail = 0; rail < 3; rail++) {
        cut(
            events,
            DARK_NS + rail * 30 * MILLI,
            rail == back ? restoreNs : Long.MAX_VALUE,
            rail,
            3);
      }
      RailWorld world = new RailWorld(alike(3, 100 * MICRO), oneWay(records), events, seed);
      world.run();
      long extraNs = records.gapNsMax() - (restoreNs - DARK_NS - 60 * MILLI);
      bound(extraNs <= 1_100 * MILLI, "rail %d back: %,d ns too late", back, extraNs);
      longest = Math.max(longest, extraNs);
    }
    return String.format("goes on at most %.0f ms after the first is back", longest / 1e6);
  }

  /** Tests one rail that works only there, and one that works only back. */
  static String railsCrossed(long seed) {
    long latest = 0;
    for (long otherNs : new long[] {100 * MICRO, 5 * MILLI}) {
      boolean isSingle = otherNs > MILLI; // then nothing new follows the packet that is lost
      RailRecords records =
          isSingle
              ? new RailRecords(3, 64, START_NS, 150 * MILLI)
              : new RailRecords(400, 64, START_NS, 500 * MICRO);
      List<RailWorld.Event> events = new ArrayList<>();
      cut(events, DARK_NS, Long.MAX_VALUE, 0, 1);
      cut(events, DARK_NS, Long.MAX_VALUE, 1, 2);
      FaultPlan[][] plans = {alike(1, 100 * MICRO)[0], alike(1, otherNs)[0]};
      RailWorld world = new RailWorld(plans, oneWay(records), events, seed);
      world.run(); // or its bound ends it
      latest = Math.max(latest, records.latenessNsMax());
      bound(latest < CROSSED_LATE_NS_MAX, "%,d ns late", latest);
    }
    return String.format("at most %.0f ms late", latest / 1e6);
  }

  // ---- several rails at once

  /** Tests that rails add up, and that a slow or distant one takes nothing away. */
  static String railsUnlike(long seed) {
    FaultPlan[] fast = wire(FAST, 500 * MICRO);
    FaultPlan[] slow = wire(FAST / 10, 500 * MICRO);
    FaultPlan[] distant = wire(FAST, 10 * MILLI);
    double one = megabits(seed, fast);
    double two = megabits(seed, fast, fast);
    double withSlow = Math.min(megabits(seed, fast, slow), megabits(seed, slow, fast));
    double withDistant = Math.min(megabits(seed, fast, distant), megabits(seed, distant, fast));
    String figure =
        String.format(
            "%.0f Mb/s, two rails %.0f, with a slow one %.0f, with a distant one %.0f",
            one, two, withSlow, withDistant);
    bound(one > 180 && two > 1.8 * one, "%s", figure);
    bound(withSlow > 0.95 * one && withDistant > 0.95 * one, "%s", figure);
    // The fast one could fill the window while a packet travels on the distant one.
    double narrow = megabits(seed, NARROW_WINDOW, fast);
    double beside = megabits(seed, NARROW_WINDOW, fast, wire(FAST / 10, 10 * MILLI));
    figure +=
        String.format("; windows of 128: %.0f, with a slow, distant one %.0f", narrow, beside);
    bound(beside > 0.95 * narrow, "%s", figure);
    return figure;
  }

  private static double megabits(long seed, FaultPlan[]... rails) {
    return megabits(seed, Limits.WINDOW_PACKETS_MAX, rails);
  }

  private static double megabits(long seed, int dataWindow, FaultPlan[]... rails) {
    RailRecords records = new RailRecords(BULK_RECORDS, BULK_LENGTH, START_NS, 0);
    new RailWorld(
            rails,
            oneWay(records),
            List.of(),
            WindowSetting.of(dataWindow, RailHealthConfig.usual()),
            null,
            seed)
        .run();
    return BULK_RECORDS * (double) BULK_LENGTH * 8_000 / (records.arrivedNs() - START_NS);
  }

  // ---- drawn worlds

  /** Tests worlds of 2 to 8 rails with faults of all kinds. */
  static String rails(long seed) {
    long[] counts = new long[4];
    for (int i = 0; i < DRAWN_WORLDS; i++) {
      RailWorld world = drawn(seed * DRAWN_WORLDS + i);
      try {
        world.run();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("world " + (seed * DRAWN_WORLDS + i), e);
      }
      for (int host = 0; host < 2; host++) {
        counts[0] += world.count(host, CounterId.RETRANSMITS_MOVED);
        counts[1] += world.count(host, CounterId.PATHS_SUSPECTED);
        counts[2] += world.count(host, CounterId.PATHS_RETURNED);
        counts[3] += world.count(host, CounterId.TIMEOUTS);
      }
    }
    for (long count : counts) {
      bound(count > 0, "something did not happen in %d worlds", DRAWN_WORLDS);
    }
    return String.format(
        "%d worlds: %d packets moved, %d paths suspected, %d opened or returned, %d timeouts",
        DRAWN_WORLDS, counts[0], counts[1], counts[2], counts[3]);
  }

  private static RailWorld drawn(long seed) {
    RandomGenerator random = SimRandom.fork(seed, "rails");
    int count = 2 + random.nextInt(7);
    FaultPlan[][] plans = new FaultPlan[count][];
    for (int i = 0; i < count; i++) {
      long delayNs = SimRandom.logUniform(random, 20 * MICRO, 10 * MILLI);
      plans[i] = new FaultPlan[] {FaultPlan.draw(random, delayNs), FaultPlan.draw(random, delayNs)};
    }
    List<RailWorld.Event> events = new ArrayList<>();
    for (int i = random.nextInt(3 * count); i > 0; i--) {
      int rail = random.nextInt(count);
      long atNs = START_NS + random.nextLong(1_000 * MILLI);
      long untilNs = atNs + SimRandom.logUniform(random, MILLI, 2_000 * MILLI);
      cut(events, atNs, untilNs, rail, 1 + random.nextInt(3));
    }
    RailRecords[] records = new RailRecords[2];
    for (int host = 0; host < 2; host++) {
      boolean isBulk = random.nextInt(3) == 0;
      long intervalNs = SimRandom.logUniform(random, 10 * MICRO, MILLI);
      int length = (int) SimRandom.logUniform(random, 20, BULK_LENGTH);
      records[host] =
          new RailRecords(1_000 + random.nextInt(4_000), length, START_NS, isBulk ? 0 : intervalNs);
    }
    return new RailWorld(plans, records, events, seed);
  }

  // ---- parts

  static FaultPlan[][] alike(int count, long delayNs) {
    FaultPlan[][] plans = new FaultPlan[count][];
    for (int i = 0; i < count; i++) {
      plans[i] = new FaultPlan[] {FaultPlan.clean(delayNs), FaultPlan.clean(delayNs)};
    }
    return plans;
  }

  private static FaultPlan[] wire(long bytesPerMilli, long delayNs) {
    FaultPlan plan =
        new FaultPlan(
            0, 0, 0, 0, 0, delayNs, 0, bytesPerMilli, 0, 0, Long.MAX_VALUE / 4, 0, 64, 0, 0);
    return new FaultPlan[] {plan, plan};
  }

  static RailRecords[] oneWay(RailRecords records) {
    return new RailRecords[] {records, new RailRecords(0, 64, START_NS, 0)};
  }

  /**
   * Adds a cut to the events, which stay in order.
   *
   * @param ways bit 0: what host 0 sends; bit 1: what host 1 sends
   */
  static void cut(List<RailWorld.Event> events, long atNs, long untilNs, int rail, int ways) {
    lose(events, atNs, untilNs, rail, ways, 1);
  }

  /** Adds a time in which a rail loses a share of the packets. */
  static void lose(
      List<RailWorld.Event> events, long atNs, long untilNs, int rail, int ways, double loss) {
    for (int from = 0; from < 2; from++) {
      if ((ways >>> from & 1) != 0) {
        events.add(new RailWorld.Event(atNs, rail, from, loss, 0));
        events.add(new RailWorld.Event(untilNs, rail, from, 0, 0));
      }
    }
    events.sort(Comparator.comparingLong(RailWorld.Event::atNs));
  }
}
