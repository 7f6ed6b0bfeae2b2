package io.rtransport.simulator;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * What one direction of the network does to datagrams, drawn once a world. Probabilities are a
 * datagram's, 0..1.
 *
 * @param loss of a datagram
 * @param reorder of being held back by up to {@code reorderNs}
 * @param reorderNs the longest time a datagram is held back, ns
 * @param duplicate of arriving twice
 * @param corrupt of arriving damaged
 * @param delayNs one way, ns
 * @param jitterNs added to the delay at most, ns, never overtaking
 * @param bytesPerMilli rate of the direction, bytes a millisecond
 * @param outage a datagram's probability to start an outage
 * @param outageNs its length at most, ns
 * @param backlogNs how much unsent data the sender's socket buffer holds, in ns of the wire's rate
 * @param wakeNs a host reads this long after the first datagram of a read arrived at most, ns: what
 *     gathers bursts
 * @param burstMax datagrams handed to a host as one burst at most, 1..64
 * @param pause a read's probability to be followed by a pause of the host
 * @param pauseNs its length at most, ns
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

  /** The plan of a direction whose one-way delay is {@code delayNs}. */
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

  /** A faultless direction: order kept, nothing lost, 1 GB/s. */
  static FaultPlan clean(long delayNs) {
    return new FaultPlan(
        0, 0, 0, 0, 0, delayNs, 0, 1_000_000, 0, 0, Long.MAX_VALUE / 4, 0, 64, 0, 0);
  }

  /** This plan with at least 10 % loss, 10 % reordering, 3 % duplicates and 3 % damage. */
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

  /** This plan with a socket buffer that is never full. */
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

  /** None with {@code noneShare}, else log-uniform between 0.1 % and {@code max}. */
  private static double level(RandomGenerator random, double noneShare, double max) {
    double share = random.nextDouble();
    double exponent = random.nextDouble();
    return share < noneShare ? 0 : 0.001 * Math.pow(max / 0.001, exponent);
  }

  /** This plan with the fault of one kind taken away. */
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

  /** The kinds of fault this plan holds. */
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
