package io.rtransport.simulator;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Faults of one direction of the network, drawn once for each world. Probabilities are for one
 * datagram, 0..1.
 *
 * @param loss probability that a datagram is lost
 * @param reorder probability that it is delayed by up to {@code reorderNs}
 * @param reorderNs longest such delay of a datagram, ns
 * @param duplicate probability that it arrives twice
 * @param corrupt probability that it arrives damaged
 * @param delayNs one way, ns
 * @param jitterNs most that is added to the delay, ns, never overtaking
 * @param bytesPerMilli rate of the direction, bytes a millisecond
 * @param outage a datagram's probability to start an outage
 * @param outageNs longest outage, ns
 * @param backlogNs unsent data that the sender's socket buffer holds, in ns of the wire's rate
 * @param wakeNs longest time from the first datagram of a read to the read itself, ns. It gathers
 *     bursts
 * @param burstMax most datagrams given to a host as one burst, 1..64
 * @param pause a read's probability to be followed by a pause of the host
 * @param pauseNs longest pause, ns
 */
public record FaultPlan(
    double loss,
    double reorder,
    long reorderNs,
    double duplicate,
    double corrupt,
    long delayNs,
    long jitterNs,
    long bytesPerMilli,
    double outage,
    long outageNs,
    long backlogNs,
    long wakeNs,
    int burstMax,
    double pause,
    long pauseNs) {

  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;

  /** Draws the plan of a direction whose one-way delay is {@code delayNs}. */
  static FaultPlan draw(RandomGenerator random, long delayNs) {
    double loss = level(random, 0.2, 0.15);
    double reorder = level(random, 0.3, 0.10);
    long reorderNs = SimRandom.logUniform(random, 10 * MICRO, 4 * delayNs + MILLI);
    double duplicate = level(random, 0.3, 0.05);
    double corrupt = level(random, 0.3, 0.03);
    long jitterNs = random.nextBoolean() ? 0 : SimRandom.logUniform(random, MICRO, delayNs);
    long bytesPerMilli = SimRandom.logUniform(random, 5_000, 1_250_000); // 40 Mb/s .. 10 Gb/s
    double outage = random.nextInt(4) == 0 ? 0.0005 : 0;
    long outageNs = SimRandom.logUniform(random, MILLI, 60 * MILLI);
    boolean isRoomy = random.nextInt(3) != 0;
    long backlogDrawnNs = SimRandom.logUniform(random, 50 * MICRO, 20 * MILLI);
    long backlogNs = isRoomy ? Long.MAX_VALUE / 4 : backlogDrawnNs;
    long wakeNs = random.nextInt(3) == 0 ? 0 : SimRandom.logUniform(random, MICRO, 200 * MICRO);
    int burstMax = 1 + random.nextInt(64);
    double pause = random.nextInt(4) == 0 ? 0.002 : 0;
    long pauseNs = SimRandom.logUniform(random, MILLI, 30 * MILLI);
    return new FaultPlan(
        loss,
        reorder,
        reorderNs,
        duplicate,
        corrupt,
        delayNs,
        jitterNs,
        bytesPerMilli,
        outage,
        outageNs,
        backlogNs,
        wakeNs,
        burstMax,
        pause,
        pauseNs);
  }

  /** Returns a direction without faults: order kept, nothing lost, 1 GB/s. */
  static FaultPlan clean(long delayNs) {
    return new FaultPlan(
        0, 0, 0, 0, 0, delayNs, 0, 1_000_000, 0, 0, Long.MAX_VALUE / 4, 0, 64, 0, 0);
  }

  /** Returns this plan with at least 10 % loss, 10 % reordering, 3 % duplicates and 3 % damage. */
  FaultPlan harsher() {
    return new FaultPlan(
        Math.max(loss, 0.10),
        Math.max(reorder, 0.10),
        reorderNs,
        Math.max(duplicate, 0.03),
        Math.max(corrupt, 0.03),
        delayNs,
        jitterNs,
        bytesPerMilli,
        outage,
        outageNs,
        backlogNs,
        wakeNs,
        burstMax,
        pause,
        pauseNs);
  }

  /** Returns this plan with a socket buffer that is never full. */
  FaultPlan roomy() {
    return new FaultPlan(
        loss,
        reorder,
        reorderNs,
        duplicate,
        corrupt,
        delayNs,
        jitterNs,
        bytesPerMilli,
        outage,
        outageNs,
        Long.MAX_VALUE / 4,
        wakeNs,
        burstMax,
        pause,
        pauseNs);
  }

  /** Draws 0 with probability {@code noneShare}, else log-uniform between 0.1 % and {@code max}. */
  private static double level(RandomGenerator random, double noneShare, double max) {
    double share = random.nextDouble();
    double exponent = random.nextDouble();
    return share < noneShare ? 0 : 0.001 * Math.pow(max / 0.001, exponent);
  }

  /** Returns this plan without the faults of one kind. */
  FaultPlan without(FaultKind kind) {
    return new FaultPlan(
        kind == FaultKind.LOSS ? 0 : loss,
        kind == FaultKind.REORDER ? 0 : reorder,
        reorderNs,
        kind == FaultKind.DUPLICATE ? 0 : duplicate,
        kind == FaultKind.CORRUPT ? 0 : corrupt,
        delayNs,
        kind == FaultKind.JITTER ? 0 : jitterNs,
        bytesPerMilli,
        kind == FaultKind.OUTAGE ? 0 : outage,
        outageNs,
        backlogNs,
        wakeNs,
        burstMax,
        kind == FaultKind.PAUSE ? 0 : pause,
        pauseNs);
  }

  /** Returns the kinds of fault in this plan. */
  Set<FaultKind> kinds() {
    Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
    for (FaultKind kind : FaultKind.values()) {
      if (!without(kind).equals(this)) {
        kinds.add(kind);
      }
    }
    return kinds;
  }
}
