package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.congestion.Aimd;
import io.rtransport.core.congestion.CongestionControl;
import io.rtransport.core.congestion.FixedWindow;
import io.rtransport.core.congestion.SwiftWindow;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.CommonParameters;
import io.rtransport.core.parameter.DirectionParameters;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.core.stats.CounterId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The window sublayer by itself against the faulty network, as of a pair: every record arrives
 * once, nothing is acknowledged that did not arrive.
 */
class WindowSimulationTest {
  private static final long SEEDS = Long.getLong("rt.sim.windowSeeds", 100);

  @Test
  void shouldHandUpEveryRecordOnceWhateverTheNetworkDoes() {
    SimTotals totals = new SimTotals();
    List<String> failures = new ArrayList<>();
    for (long seed = 1; seed <= SEEDS; seed++) {
      try {
        run(WorldPlan.of(seed, WorldPlan.Scenario.DEFAULT), totals);
      } catch (RuntimeException | AssertionError e) {
        StackTraceElement[] stack = e.getStackTrace();
        failures.add("seed " + seed + ": " + e + " at " + stack[0] + " " + stack[1]);
      }
    }
    assertThat(failures).isEmpty();
    assertThat(totals.worlds).isEqualTo(SEEDS);
    assertThat(totals.early).isPositive();
    assertThat(totals.probe).isPositive();
    assertThat(totals.timeout).isPositive();
    assertThat(totals.spurious).isPositive();
    assertThat(totals.wrapsRequestPsn).isPositive();
    assertThat(totals.wrapsDataPsn).isPositive();
  }

  private static void run(WorldPlan plan, SimTotals totals) {
    WireObserver observer = new WireObserver(null, totals, new SimTrace(null), null);
    NumberedRecords[] records = new NumberedRecords[2];
    for (int i = 0; i < 2; i++) {
      observer.known(i, plan.firstRequestPsns[i], plan.firstDataPsns[i]);
      records[i] = new NumberedRecords(SimRandom.fork(plan.seed, "records " + i));
    }
    FaultPlan[][] rail = {plan.faults};
    RailWorld world = new RailWorld(rail, records, List.of(), setting(plan), null, plan.seed);
    world.observe(observer);
    world.run();
    for (int i = 0; i < 2; i++) {
      long early = world.count(i, CounterId.RETRANSMITS_EARLY);
      long probe = world.count(i, CounterId.RETRANSMITS_PROBE);
      long timeout = world.count(i, CounterId.RETRANSMITS_TIMEOUT);
      assertThat(observer.resent(i)).as("resent by host %d", i).isEqualTo(early + probe + timeout);
      totals.early += early;
      totals.probe += probe;
      totals.timeout += timeout;
      totals.spurious += world.count(i, CounterId.RETRANSMITS_SPURIOUS);
    }
    totals.worlds++;
  }

  private static WindowSetting setting(WorldPlan plan) {
    return new WindowSetting(
        new AgreedParameters[] {agreed(plan, 0), agreed(plan, 1)},
        SimProfiles.named(plan.profile),
        () -> congestion(plan),
        plan.firstSequences,
        plan.storeBytes,
        false,
        RailHealthConfig.usual());
  }

  private static CongestionControl congestion(WorldPlan plan) {
    return switch (plan.congestion) {
      case FIXED -> new FixedWindow(1L << 30);
      case SWIFT ->
          new SwiftWindow(plan.datagramSize, Aimd.DEFAULT_MAXIMUM_BYTES, SwiftWindow.TARGET_NS_MIN);
      case AIMD -> new Aimd(plan.datagramSize);
    };
  }

  private static AgreedParameters agreed(WorldPlan plan, int host) {
    CommonParameters both =
        new CommonParameters(
            true,
            plan.datagramSize,
            plan.outstandingMax,
            plan.solicitThreshold,
            plan.headerLengthMax,
            plan.idleTimeoutNs,
            WindowSetting.TOTAL_NS);
    int peer = 1 - host;
    return new AgreedParameters(
        both, way(plan, peer), way(plan, host), numbers(plan, host), numbers(plan, peer));
  }

  private static DirectionParameters way(WorldPlan plan, int host) {
    return new DirectionParameters(
        plan.requestWindows[host],
        plan.dataWindows[host],
        plan.datagramSizeMax,
        plan.initialCreditBytes,
        Workload.LENGTH_MAX,
        plan.ackDelayMicros * 1_000L,
        0);
  }

  private static InitialNumbers numbers(WorldPlan plan, int host) {
    return new InitialNumbers(
        plan.firstRequestPsns[host],
        plan.firstDataPsns[host],
        plan.firstRsns[host],
        plan.firstSsns[host]);
  }
}
