package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.AdpTimeline;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.adp.DecMode;
import io.rtransport.core.adp.RoceAcclRegister;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionConfig.Congestion;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Comparison of a register with the wire of strict connections, and of connections that do not
 * adapt.
 *
 * <ol>
 *   <li>One packet at a time. As many of its transmissions are lost as a drawn string of timeouts
 *       and progress says. Every gap must be the value that {@link AdpTimeline} has there,
 *       including the first gap of the connection.
 *   <li>A stream over a network that loses, duplicates and reorders, across the wrap of the PSN. A
 *       packet is resent only when an acknowledgement arrives, or at an expiry.
 * </ol>
 */
final class StrictAdpScenario {
  private static final int REGISTERS = 40;
  private static final int PUSHES_A_REGISTER = 8;
  private static final int TIMEOUTS_IN_ROW_MAX = 12;
  private static final int FLIGHTS = 100;
  private static final int PUSHES_A_FLIGHT = 5;
  private static final long WIRE_NS = 1_000;
  private static final long SECOND_NS = 1_000_000_000L;

  private static final AdpProfile STREAM_PROFILE =
      AdpProfile.builder()
          .timeBaseMicros(4)
          .retxTotalTimeout(24)
          .initLowBound(10)
          .initRangeSize(2)
          .range(10, 4, 2, DecMode.DIV_2, 0)
          .build();

  private final ScenarioNet net;
  private final NumberedHeaderFlyweight header = new NumberedHeaderFlyweight();

  private StrictAdpScenario(ScenarioNet net) {
    this.net = net;
  }

  static String run(long seed) {
    RandomGenerator random = SimRandom.fork(seed, "registers");
    int gaps = 0;
    for (int i = 0; i < REGISTERS; i++) {
      RoceAcclRegister register = register(random);
      AdpParameters parameters = register.parameters(parameters(random, register.isAdaptive()));
      String events = events(random);
      ScenarioNet net = new ScenarioNet(seed + i, WIRE_NS);
      List<Long> seen = new StrictAdpScenario(net).gaps(register, parameters, events);
      checkTimeline(register.activeProfile(), parameters, events, seen);
      gaps += seen.size();
    }
    String stream = "";
    for (boolean isAdaptive : new boolean[] {true, false}) {
      ScenarioNet net = new ScenarioNet(seed, WIRE_NS);
      stream += new StrictAdpScenario(net).stream(isAdaptive);
    }
    return String.format("%,d gaps of %d registers as they say%s", gaps, REGISTERS, stream);
  }

  /**
   * Returns a register with a profile of any shape whose values end within seconds, set as a driver
   * would set it.
   */
  private static RoceAcclRegister register(RandomGenerator random) {
    int ranges = 1 + random.nextInt(AdpProfile.RANGE_COUNT_MAX);
    AdpProfile.Builder profile =
        AdpProfile.builder()
            .timeBaseMicros(4 << random.nextInt(3))
            .retxTotalTimeout(60)
            .initLowBound(1 + random.nextInt(12))
            .initRangeSize(1 + random.nextInt(4))
            .startRangeIndex(random.nextInt(ranges));
    int low = 1 + random.nextInt(8);
    for (int i = 0; i < ranges; i++) {
      DecMode decMode = DecMode.ofCode(random.nextInt(3));
      int previous = i == 0 ? 0 : random.nextInt(i);
      profile.range(low, random.nextInt(5), 1 + random.nextInt(3), decMode, previous);
      low += 1 + random.nextInt(3);
    }
    RoceAcclRegister register = new RoceAcclRegister(BuiltInProfiles.DEFAULT);
    boolean isAdaptive = random.nextInt(5) > 0;
    register.set(RoceAcclRegister.encode(profile.build(), 1 + random.nextInt(7), isAdaptive));
    return register;
  }

  private static AdpParameters parameters(RandomGenerator random, boolean isAdaptive) {
    int cap = isAdaptive && random.nextBoolean() ? 0 : 3 + random.nextInt(12);
    boolean isStrict = isAdaptive || random.nextBoolean();
    return AdpParameters.DEFAULT.withAckTimeout(cap).withStrictProfile(isStrict);
  }

  /** Draws rows of timeouts, each ended by progress. */
  private static String events(RandomGenerator random) {
    StringBuilder events = new StringBuilder();
    for (int i = 0; i < PUSHES_A_REGISTER; i++) {
      events.append("T".repeat(random.nextInt(TIMEOUTS_IN_ROW_MAX + 1))).append('P');
    }
    return events.insert(0, 'T').toString();
  }

  private boolean isNumbered(Datagram datagram) {
    return PacketType.isNumbered(datagram.bytes.get(1) & 0x1F);
  }

  /** Loses transmissions as the events say. Returns the gaps after each lost transmission. */
  private List<Long> gaps(RoceAcclRegister register, AdpParameters parameters, String events) {
    ScenarioNet.Host left = net.host();
    ScenarioNet.Host right = net.host();
    left.config =
        ConnectionConfig.builder()
            .adpProfile(register.activeProfile())
            .adpParameters(parameters)
            .idleTimeoutNs(3_600 * SECOND_NS)
            .build();
    right.config = ConnectionConfig.builder().idleTimeoutNs(3_600 * SECOND_NS).build();
    ScenarioPeer peer = left.connect(right);
    bound(net.run(() -> peer.isEstablished, SECOND_NS), "no connection");
    net.runFor(SECOND_NS);
    List<Long> gaps = new ArrayList<>();
    int[] at = {0};
    long[] lostNs = {-1};
    net.fate =
        datagram -> {
          if (!left.hasSent(datagram) || !isNumbered(datagram)) {
            return new long[] {WIRE_NS};
          }
          if (lostNs[0] >= 0) {
            gaps.add(net.nowNs - lostNs[0]);
          }
          boolean isLost = events.charAt(at[0]++) == 'T';
          lostNs[0] = isLost ? net.nowNs : -1;
          return isLost ? ScenarioNet.LOST : new long[] {WIRE_NS};
        };
    for (int push = 1; at[0] < events.length(); push++) {
      int expected = push;
      peer.push(100);
      bound(net.run(() -> peer.completed == expected, 1_000 * SECOND_NS), "push %d", push);
      net.runFor(SECOND_NS); // meanwhile its completion is acknowledged
    }
    bound(left.count(CounterId.RETRANSMITS_PROBE) == 0, "a strict path has probed");
    return gaps;
  }

  private static void checkTimeline(
      AdpProfile profile, AdpParameters parameters, String events, List<Long> seen) {
    List<List<Long>> expected = new ArrayList<>();
    for (int first = profile.initLowBound(); first <= profile.initHighBound(); first++) {
      List<AdpTimeline.Step> steps =
          AdpTimeline.drive(profile, parameters, first, events, 0).steps();
      List<Long> values = new ArrayList<>();
      for (int i = 0; i < events.length(); i++) {
        if (events.charAt(i) == 'T') {
          values.add(steps.get(i).timeoutNs());
        }
      }
      expected.add(values);
    }
    bound(expected.contains(seen), "%s: gaps %s, said are %s", events, seen, expected);
  }

  /** Runs a stream in which every resend must have a reason. */
  private String stream(boolean isAdaptive) {
    ScenarioNet.Host left = net.host();
    ScenarioNet.Host right = net.host();
    ConnectionConfig.Builder config =
        ConnectionConfig.builder()
            .adpProfile(STREAM_PROFILE)
            .adpParameters(
                AdpParameters.DEFAULT
                    .withAckTimeout(11)
                    .withStrictProfile(isAdaptive)
                    .withAdaptive(isAdaptive))
            .congestion(Congestion.AIMD)
            .initialNumbers(new InitialNumbers(-20, -20, -20, -20, 0xFFFFF0));
    left.config = config.build();
    right.config = config.build();
    ScenarioPeer peer = left.connect(right);
    bound(net.run(() -> peer.isEstablished, SECOND_NS), "no connection");
    Map<Long, Long> sentNs = new HashMap<>();
    Set<Long> arrivalsNs = new HashSet<>();
    long leastNs = isAdaptive ? 4_000L << 10 : 4_096L << 11;
    long[] resentNs = {-1};
    RandomGenerator random = net.random();
    net.fate =
        datagram -> {
          if (left.hasSent(datagram) && isNumbered(datagram)) {
            header.wrap(datagram.bytes, 0);
            long number =
                ((long) (datagram.bytes.get(1) & 0x1F) << 32) | (header.psn() & 0xFFFFFFFFL);
            Long beforeNs = sentNs.put(number, net.nowNs);
            boolean isFirstNow = beforeNs != null && resentNs[0] != net.nowNs;
            if (isFirstNow) {
              resentNs[0] = net.nowNs;
              bound(
                  arrivalsNs.contains(net.nowNs) || net.nowNs - beforeNs >= leastNs,
                  "packet %d is resent after %,d ns, and nothing had arrived",
                  header.psn(),
                  net.nowNs - beforeNs);
            }
          }
          int copies = random.nextInt(100) < 5 ? 0 : random.nextInt(100) < 3 ? 2 : 1;
          long[] delaysNs = new long[copies];
          for (int i = 0; i < copies; i++) {
            delaysNs[i] = 50_000 + (random.nextInt(10) == 0 ? random.nextLong(100_000) : 0);
            if (right.hasSent(datagram)) {
              arrivalsNs.add(net.nowNs + delaysNs[i]);
            }
          }
          return delaysNs;
        };
    for (int i = 0; i < FLIGHTS; i++) { // no acknowledgement follows a flight's end
      for (int push = 0; push < PUSHES_A_FLIGHT; push++) {
        peer.push(random.nextInt(6_000));
      }
      net.run(peer::isDone, 300 * SECOND_NS);
    }
    peer.requireAllCompleted();
    long early = left.count(CounterId.RETRANSMITS_EARLY);
    long timeouts = left.count(CounterId.RETRANSMITS_TIMEOUT);
    bound(left.count(CounterId.RETRANSMITS_PROBE) == 0, "a strict path has probed");
    bound(early > 0 && timeouts > 0, "%d early, %d by timeout: one is not tried", early, timeouts);
    net.fate = datagram -> new long[] {50_000};
    net.closeAll(List.of(peer));
    String kind = isAdaptive ? "strict" : "fixed";
    return String.format("; %s: %,d early, %,d by timeout, no probe", kind, early, timeouts);
  }
}
