package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpTimer;
import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.congestion.Aimd;
import io.rtransport.core.congestion.CongestionControl;
import io.rtransport.core.congestion.FixedWindow;
import io.rtransport.core.congestion.SwiftWindow;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.CommonParameters;
import io.rtransport.core.parameter.DirectionParameters;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.window.Path;
import io.rtransport.core.window.ProbeBudget;
import io.rtransport.core.window.RetransmissionEngine;
import io.rtransport.core.window.RetransmissionStore;
import io.rtransport.core.window.TurnLateness;
import io.rtransport.core.window.WindowConfig;
import io.rtransport.core.window.WindowSublayer;
import io.rtransport.core.wire.Integrity;
import io.rtransport.core.wire.PacketBurst;
import io.rtransport.core.wire.PacketDoor;
import io.rtransport.core.wire.PacketTools;
import io.rtransport.core.wire.PacketValidator;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * Two window sublayers and the network between them, with nothing above. An error here cannot come
 * from above. Both sides send records that carry only a number, as fast as the windows take them,
 * or in steps. Each record must arrive once.
 */
final class WindowWorld {
  private static final int CID_BASE = 0x1000;
  private static final long BOUND_NS = 600_000_000_000L;
  private static final int STEPS_MAX = 2_000_000;

  private static AgreedParameters agreed(WorldPlan plan, int host, int peer) {
    CommonParameters both =
        new CommonParameters(
            true,
            plan.datagramSize,
            plan.outstandingMax,
            plan.solicitThreshold,
            plan.headerLengthMax,
            plan.idleTimeoutNs,
            BOUND_NS);
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

  private final class Side {
    final int host;
    final Counters counters = new Counters();
    final RetransmissionStore store;
    final WindowSublayer window;
    final PacketDoor door;
    final NumberedRecords records;
    final ContentAddressableMemory cam = new ContentAddressableMemory(1 << 12, 7);
    final ByteBuffer ackBuffer = ByteBuffer.allocateDirect(2_048);
    final PacketBurst out = new PacketBurst();

    Side(int host, WorldPlan plan) {
      this.host = host;
      int peer = 1 - host;
      WindowConfig config =
          new WindowConfig(
              CID_BASE + host, CID_BASE + peer, plan.seed ^ peer, agreed(plan, host, peer));
      RandomGenerator random = SimRandom.fork(plan.seed, "timer " + host);
      AdpTimer adp = new AdpTimer(SimProfiles.named(plan.profile), AdpParameters.DEFAULT, random);
      CongestionControl congestion =
          switch (plan.congestion) {
            case FIXED -> new FixedWindow(1L << 30);
            case SWIFT ->
                new SwiftWindow(
                    plan.datagramSize, Aimd.DEFAULT_MAXIMUM_BYTES, SwiftWindow.TARGET_NS_MIN);
            case AIMD -> new Aimd(plan.datagramSize);
          };
      store = new RetransmissionStore(ByteBuffer.allocateDirect(plan.storeBytes));
      RetransmissionEngine engine = new RetransmissionEngine(cam, store);
      Path[] paths = {
        new Path(
            0,
            adp,
            congestion,
            new TurnLateness(),
            config.ringCapacityMax(),
            plan.firstSequences[host])
      };
      window =
          new WindowSublayer(config, engine, new ProbeBudget(), paths, new PacketTools(), counters);
      door =
          new PacketDoor(
              new PacketValidator(new Integrity()), counters, CID_BASE + host, plan.seed ^ host);
      records = new NumberedRecords(SimRandom.fork(plan.seed, "records " + host));
    }

    void turn() {
      do {
        out.clear();
        window.pollTransmit(out, records, 1, nowNs);
        for (int i = 0; i < out.count(); i++) {
          send(out.buffer(i), out.offset(i), out.length(i));
        }
      } while (out.count() > 0);
      if (window.hasAckDue(nowNs)) {
        int length = window.pollAck(ackBuffer, 0, nowNs);
        send(ackBuffer, 0, length);
      }
      require(window.failure() == null, Invariant.NO_LOSS, "window failed: %s", window.failure());
    }

    private void send(ByteBuffer buffer, int offset, int length) {
      observer.onSent(host, buffer, offset, length, nowNs);
      network.send(links[host], null, null, null, buffer, offset, length, nowNs);
    }

    /** Reads datagrams that have arrived. */
    void read() {
      int count = network.socket(host).read(read, nowNs);
      burst.clear();
      for (int i = 0; i < count; i++) {
        observer.onDelivered(host, read[i].bytes, 0, read[i].length, read[i].isDamaged);
        burst.add(read[i].bytes, 0, read[i].length, 0, PacketBurst.TRANSIENT);
      }
      onBurst();
      for (int i = 0; i < count; i++) {
        network.free(read[i]);
      }
    }

    private void onBurst() {
      door.onBurst(burst, nowNs);
      window.onBurst(burst, nowNs);
      for (int i = 0; i < burst.count(); i++) {
        if (!burst.isDropped(i)) {
          sides[1 - host].records.onArrival(
              view.wrap(burst.buffer(i), burst.offset(i), burst.length(i)), nowNs);
        }
      }
    }
  }

  private final Side[] sides = new Side[2];
  private final WireObserver observer;
  private final SimTotals totals = new SimTotals();
  private final SimNetwork network = new SimNetwork(d -> 1 - d.link.direction, totals);
  private final SimLink[] links = new SimLink[2];
  private final Datagram[] read = new Datagram[PacketBurst.CAPACITY];
  private final WireView view = new WireView();
  private final PacketBurst burst = new PacketBurst();
  private long nowNs = PairHarness.START_NS;

  WindowWorld(WorldPlan plan, Appendable traceOut) {
    totals.count(plan.congestion);
    this.observer = new WireObserver(null, totals, new SimTrace(traceOut), null);
    for (int i = 0; i < 2; i++) {
      links[i] = network.connect(0, i, plan.faults, plan.seed);
      observer.known(i, plan.firstRequestPsns[i], plan.firstDataPsns[i]);
      sides[i] = new Side(i, plan);
    }
  }

  /** Runs until everything sent has arrived and was acknowledged, then closes both sides. */
  SimTotals run() {
    sides[0].turn();
    sides[1].turn();
    int steps = 0;
    while (!isDone()) {
      step();
      require(
          nowNs < BOUND_NS && steps++ < STEPS_MAX,
          Invariant.PROGRESS,
          "at %,d ns, step %d: %s %s",
          nowNs,
          steps,
          sides[0].records,
          sides[1].records);
    }
    for (Side side : sides) {
      count(side);
      side.window.close();
      boolean isEmpty = side.cam.size() == 0 && side.store.freeUnits() == side.store.unitCount();
      require(isEmpty, Invariant.EMPTY_AFTER_CLOSE, "host %d holds something", side.host);
    }
    totals.worlds++;
    return totals;
  }

  private boolean isDone() {
    return sides[0].records.isDone()
        && sides[1].records.isDone()
        && sides[0].window.isAllAcknowledged()
        && sides[1].window.isAllAcknowledged();
  }

  private void count(Side side) {
    long early = side.counters.value(CounterId.RETRANSMITS_EARLY);
    long probe = side.counters.value(CounterId.RETRANSMITS_PROBE);
    long timeout = side.counters.value(CounterId.RETRANSMITS_TIMEOUT);
    totals.early += early;
    totals.probe += probe;
    totals.timeout += timeout;
    totals.spurious += side.counters.value(CounterId.RETRANSMITS_SPURIOUS);
    require(
        observer.resent(side.host) == early + probe + timeout,
        Invariant.COUNTERS,
        "host %d resent %d",
        side.host,
        observer.resent(side.host));
  }

  private void step() {
    long nextNs = network.nextArrivalNs();
    for (int i = 0; i < 2; i++) {
      nextNs = Math.min(nextNs, network.socket(i).nextReadNs());
      nextNs = Math.min(nextNs, deadlineNs(i));
    }
    require(nextNs != Long.MAX_VALUE, Invariant.PROGRESS, "nothing is due: %s", sides[0].records);
    nowNs = Math.max(nowNs, nextNs);
    network.arrive(nowNs);
    for (Side side : sides) {
      if (network.socket(side.host).nextReadNs() <= nowNs) {
        side.read();
        side.turn();
        return;
      }
    }
    for (Side side : sides) {
      if (deadlineNs(side.host) <= nowNs) {
        side.window.onTimeout(nowNs);
        side.turn();
        return;
      }
    }
  }

  private long deadlineNs(int host) {
    return network.socket(host).runsAtNs(sides[host].window.nextDeadlineNs());
  }
}
