package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.CounterId;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several paths of one connection: two window sublayers and several networks. */
class RailWorldTest {
  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;
  private static final long START_NS = PairHarness.START_NS;
  private static final long KILL_NS = START_NS + 100 * MILLI;

  /** The bar of issue 20 at a round trip of at most 1 ms. */
  private static final long GAP_NS_MAX = 20 * MILLI;

  private static final int BULK_RECORDS = 20_000;
  private static final int BULK_LENGTH = 1_300;
  private static final int FAST = 25_000; // bytes a millisecond: 200 Mbit/s

  private static FaultPlan[] rail(long delayNs) {
    return new FaultPlan[] {FaultPlan.clean(delayNs), FaultPlan.clean(delayNs)};
  }

  private static FaultPlan[] rail(long bytesPerMilli, long delayNs) {
    FaultPlan plan =
        new FaultPlan(
            0, 0, 0, 0, 0, delayNs, 0, bytesPerMilli, 0, 0, Long.MAX_VALUE / 4, 0, 64, 0, 0);
    return new FaultPlan[] {plan, plan};
  }

  private static RailRecords[] oneWay(RailRecords records) {
    return new RailRecords[] {records, new RailRecords(0, 64, START_NS, 0)};
  }

  private static RailWorld.Event cut(long atNs, int rail, int from) {
    return new RailWorld.Event(atNs, rail, from, true);
  }

  private static RailWorld.Event restore(long atNs, int rail, int from) {
    return new RailWorld.Event(atNs, rail, from, false);
  }

  @ParameterizedTest
  @ValueSource(longs = {20 * MICRO, 50 * MICRO, 300 * MICRO, MILLI, 7 * MILLI})
  void shouldLoseARailWithinMilliseconds(long intervalNs) {
    for (int rail = 0; rail < 2; rail++) {
      int count = (int) (300 * MILLI / intervalNs);
      RailRecords records = new RailRecords(count, 64, START_NS, intervalNs);
      RailWorld world =
          new RailWorld(
              new FaultPlan[][] {rail(500 * MICRO), rail(500 * MICRO)},
              oneWay(records),
              List.of(cut(KILL_NS, rail, 0), cut(KILL_NS, rail, 1)),
              rail);
      world.run();
      assertThat(records.latenessNsMax()).isLessThan(GAP_NS_MAX);
      assertThat(world.count(0, CounterId.PATHS_SUSPECTED)).isEqualTo(1);
      assertThat(world.count(0, CounterId.RETRANSMITS_MOVED)).isPositive();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void shouldLoseOneWayOfARailWithinMilliseconds(int from) {
    for (int rail = 0; rail < 2; rail++) {
      RailRecords records = new RailRecords(4_000, 64, START_NS, 50 * MICRO);
      RailRecords back = new RailRecords(4_000, 64, START_NS, 50 * MICRO);
      RailWorld world =
          new RailWorld(
              new FaultPlan[][] {rail(500 * MICRO), rail(500 * MICRO)},
              new RailRecords[] {records, back},
              List.of(cut(KILL_NS, rail, from)),
              rail);
      world.run();
      assertThat(records.latenessNsMax()).isLessThan(GAP_NS_MAX);
      assertThat(back.latenessNsMax()).isLessThan(GAP_NS_MAX);
    }
  }

  @Test
  void shouldComeBackToARailWithinASecondAndGiveItItsShare() {
    RailRecords records = new RailRecords(80_000, 64, START_NS, 50 * MICRO); // 4 s
    long restoreNs = START_NS + 2_000 * MILLI;
    RailWorld world =
        new RailWorld(
            new FaultPlan[][] {rail(100 * MICRO), rail(100 * MICRO)},
            oneWay(records),
            List.of(
                cut(KILL_NS, 1, 0),
                cut(KILL_NS, 1, 1),
                restore(restoreNs, 1, 0),
                restore(restoreNs, 1, 1)),
            1);
    world.run();
    assertThat(records.latenessNsMax()).isLessThan(GAP_NS_MAX);
    assertThat(world.count(0, CounterId.PATHS_RETURNED)).isEqualTo(2); // opened, and returned
    // Dark for 1.9 s of 4, and at most half a second until it is asked.
    assertThat(world.share(0, 1)).isBetween(0.15, 0.30);
  }

  @Test
  void shouldBlameNoRailForAPauseOfThePeer() {
    RailRecords records = new RailRecords(20_000, 64, START_NS, 50 * MICRO);
    List<RailWorld.Event> events = new ArrayList<>();
    for (int i = 0; i < 4; i++) { // the peer neither reads nor answers for 50 ms
      long atNs = START_NS + (100 + 200 * i) * MILLI;
      for (int rail = 0; rail < 2; rail++) {
        events.add(cut(atNs, rail, 1));
      }
      for (int rail = 0; rail < 2; rail++) {
        events.add(restore(atNs + 50 * MILLI, rail, 1));
      }
    }
    RailWorld world =
        new RailWorld(
            new FaultPlan[][] {rail(500 * MICRO), rail(500 * MICRO)}, oneWay(records), events, 1);
    world.run();
    assertThat(world.count(0, CounterId.PATHS_SUSPECTED)).isZero();
    assertThat(world.count(0, CounterId.RETRANSMITS_MOVED)).isZero();
  }

  @Test
  void shouldGoOnOverTheRailThatComesBackFirstAfterAllAreDead() {
    for (int back = 0; back < 3; back++) {
      RailRecords records = new RailRecords(40_000, 64, START_NS, 50 * MICRO);
      List<RailWorld.Event> events = new ArrayList<>();
      long restoreNs = START_NS + 1_500 * MILLI;
      for (int rail = 0; rail < 3; rail++) {
        events.add(cut(KILL_NS + rail * 30 * MILLI, rail, 0));
        events.add(cut(KILL_NS + rail * 30 * MILLI, rail, 1));
      }
      events.add(restore(restoreNs, back, 0));
      events.add(restore(restoreNs, back, 1));
      RailWorld world =
          new RailWorld(
              new FaultPlan[][] {rail(100 * MICRO), rail(100 * MICRO), rail(100 * MICRO)},
              oneWay(records),
              events,
              back);
      world.run();
      long deadNs = restoreNs - KILL_NS - 60 * MILLI;
      assertThat(records.gapNsMax()).isBetween(deadNs, deadNs + 1_100 * MILLI);
    }
  }

  @Test
  void shouldGetThroughWhereOneRailWorksOnlyThereAndTheOtherOnlyBack() {
    RailRecords records = new RailRecords(400, 64, START_NS, 500 * MICRO);
    RailWorld world =
        new RailWorld(
            new FaultPlan[][] {rail(100 * MICRO), rail(100 * MICRO)},
            oneWay(records),
            List.of(cut(KILL_NS, 0, 0), cut(KILL_NS, 1, 1)),
            1);
    world.run(); // or the bound of the world ends it
    assertThat(records.isDone()).isTrue();
  }

  // ---- several rails at once

  private static double bulkMegabits(FaultPlan[]... rails) {
    RailRecords records = new RailRecords(BULK_RECORDS, BULK_LENGTH, START_NS, 0);
    RailWorld world = new RailWorld(rails, oneWay(records), List.of(), 1);
    world.run();
    return BULK_RECORDS * (double) BULK_LENGTH * 8_000 / (records.arrivedNs() - START_NS);
  }

  @Test
  void shouldAddUpEqualRails() {
    double one = bulkMegabits(rail(FAST, 500 * MICRO));
    assertThat(one).isGreaterThan(180);
    assertThat(bulkMegabits(rail(FAST, 500 * MICRO), rail(FAST, 500 * MICRO)))
        .isGreaterThan(1.8 * one);
  }

  @Test
  void shouldNotBeSlowedDownByASlowOrDistantRail() {
    FaultPlan[] fast = rail(FAST, 500 * MICRO);
    double one = bulkMegabits(fast);
    assertThat(bulkMegabits(fast, rail(FAST, 10 * MILLI))).isGreaterThan(0.95 * one);
    assertThat(bulkMegabits(rail(FAST, 10 * MILLI), fast)).isGreaterThan(0.95 * one);
    assertThat(bulkMegabits(fast, rail(FAST / 10, 500 * MICRO))).isGreaterThan(0.95 * one);
    assertThat(bulkMegabits(rail(FAST / 10, 500 * MICRO), fast)).isGreaterThan(0.95 * one);
  }

  // ---- random worlds

  @Test
  void shouldLoseAndRepeatNothingWhateverTheRailsDo() {
    long seeds = Long.getLong("rt.rails.seeds", 60);
    long moved = 0;
    long suspected = 0;
    long returned = 0;
    for (long seed = 1; seed <= seeds; seed++) {
      RailWorld world = drawn(seed);
      try {
        world.run();
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed, e);
      }
      moved += world.count(0, CounterId.RETRANSMITS_MOVED);
      suspected += world.count(0, CounterId.PATHS_SUSPECTED);
      returned += world.count(0, CounterId.PATHS_RETURNED);
    }
    assertThat(moved).isPositive();
    assertThat(suspected).isPositive();
    assertThat(returned).isGreaterThan(seeds);
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
      int ways = 1 + random.nextInt(3);
      for (int from = 0; from < 2; from++) {
        if ((ways >>> from & 1) != 0) {
          events.add(cut(atNs, rail, from));
          events.add(restore(untilNs, rail, from));
        }
      }
    }
    events.sort((a, b) -> Long.compare(a.atNs(), b.atNs()));
    RailRecords[] records = new RailRecords[2];
    for (int host = 0; host < 2; host++) {
      long intervalNs =
          random.nextInt(3) == 0 ? 0 : SimRandom.logUniform(random, 10 * MICRO, MILLI);
      int length = (int) SimRandom.logUniform(random, 20, 1_300);
      records[host] = new RailRecords(1_000 + random.nextInt(4_000), length, START_NS, intervalNs);
    }
    return new RailWorld(plans, records, events, seed);
  }
}
