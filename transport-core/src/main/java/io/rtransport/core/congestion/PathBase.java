package io.rtransport.core.congestion;

/**
 * Estimate of the round trip of a path without queue: the least that was seen. A flow that never
 * lets its queue run empty would soon take that queue for the path and aim ever higher.
 *
 * <p>So the path is <b>drained</b> when no round trip close to the base was seen for {@value
 * #PERIOD_NS} ns. At most {@value #DRAIN_PACKETS} packets are then in flight, until answers to
 * packets sent in that state have arrived. The least of their round trips is the new base (BBR's
 * ProbeRTT; Cardwell et al., "BBR: Congestion-Based Congestion Control", 2016).
 *
 * <p>When one of several flows shortens the queue, the others see it and count their period from
 * that moment. They then drain a common queue together, as BBR's flows do. This was not observed
 * with many flows over minutes (docs/known-issues.md).
 */
final class PathBase {
  /** Time for which a base is valid without being seen again, ns. */
  static final long PERIOD_NS = 10_000_000_000L;

  /**
   * First such time, ns; longer on a path where {@link #FIRST_ROUND_TRIPS} round trips take longer.
   * A flow that starts late measures the queue of the earlier flows, and must learn better soon. A
   * first drain can only lower the base: next to a flow that fills the queue, it measures that
   * queue.
   */
  static final long FIRST_PERIOD_NS = 1_000_000_000L;

  static final int FIRST_ROUND_TRIPS = 32;

  /**
   * Tolerance: up to one sixteenth above the base counts as the base. A path hardly ever shows the
   * same round trip to the nanosecond.
   */
  static final int SEEN_SHARE = 16;

  /** Packets in flight while the path is drained: BBR's value. */
  static final int DRAIN_PACKETS = 4;

  /** Answers that measure the drained path, unless two round trips pass first. */
  static final int DRAIN_SAMPLES = 4;

  private long leastNs;
  private long liftedNs;
  private long seenNs;
  private boolean wasDrained;

  // The drain: whether there is one, since when almost nothing is in flight, and what was measured
  // since then.
  private boolean isDraining;
  private boolean isDrained;
  private long drainedNs;
  private long drainLeastNs;
  private int drainSamples;

  /** Returns the round trip without queue, ns; 0 without a sample. */
  long ns() {
    return Math.max(leastNs, liftedNs);
  }

  /** Returns whether at most {@link #DRAIN_PACKETS} may be in flight. */
  boolean isDraining() {
    return isDraining;
  }

  /** Counts a send, after which {@code flightBytes} are in flight. */
  void onSent(long flightBytes, double packetBytes, long nowNs) {
    if (isDraining && !isDrained && flightBytes <= DRAIN_PACKETS * packetBytes) {
      isDrained = true;
      drainedNs = nowNs;
    }
  }

  /** Takes the round trip of a packet sent at {@code sentAtNs}. */
  void onSample(long rttNs, long sentAtNs, long nowNs) {
    liftedNs = Math.min(liftedNs, rttNs);
    if (leastNs == 0 || rttNs <= leastNs) {
      found(rttNs, nowNs);
    } else if (isDraining) {
      drain(rttNs, sentAtNs, nowNs);
    } else if (rttNs - leastNs <= leastNs / SEEN_SHARE) {
      seenNs = nowNs;
    } else if (nowNs - seenNs >= periodNs()) {
      isDraining = true;
      isDrained = false;
      drainLeastNs = Long.MAX_VALUE;
      drainSamples = 0;
    }
  }

  private long periodNs() {
    return wasDrained
        ? PERIOD_NS
        : Math.min(PERIOD_NS, Math.max(FIRST_PERIOD_NS, FIRST_ROUND_TRIPS * leastNs));
  }

  private void drain(long rttNs, long sentAtNs, long nowNs) {
    if (!isDrained || sentAtNs - drainedNs < 0) {
      return;
    }
    drainLeastNs = Math.min(drainLeastNs, rttNs);
    drainSamples++;
    if (drainSamples >= DRAIN_SAMPLES || nowNs - drainedNs >= 2 * rttNs) {
      if (wasDrained) {
        found(drainLeastNs, nowNs);
      }
      wasDrained = true;
      isDraining = false;
    }
  }

  private void found(long rttNs, long nowNs) {
    leastNs = rttNs;
    seenNs = nowNs;
    isDraining = false;
  }

  /**
   * Raises the base: the path is longer for another reason than our own queue. Valid until a
   * shorter round trip is seen.
   */
  void lift(long rttNs) {
    liftedNs = rttNs;
  }

  /** Ends a drain: nothing was in flight for long, so there is no queue of ours. */
  void onIdle(long nowNs) {
    isDraining = false;
    seenNs = nowNs;
  }

  /** Forgets everything: the path leads elsewhere from now on. */
  void restart() {
    leastNs = 0;
    liftedNs = 0;
    isDraining = false;
    wasDrained = false;
  }
}
