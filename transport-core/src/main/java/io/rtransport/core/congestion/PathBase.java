package io.rtransport.core.congestion;

/**
 * The round trip of a path without queue: the least that was seen. A flow that never lets its queue
 * run empty would take that for the path after a while and aim ever higher, so once nothing about
 * as short was seen for {@value #PERIOD_NS} ns the path is <b>drained</b>: no more than {@value
 * #DRAIN_PACKETS} packets are in flight until answers to packets sent so have come, and the least
 * of those is the new base (BBR's ProbeRTT; Cardwell et al., "BBR: Congestion-Based Congestion
 * Control", 2016). What one of several flows makes shorter the others see, and count their period
 * from there, so that they come to drain a queue of their own making together, as BBR's do; nobody
 * has watched many of ours for minutes (docs/known-issues.md).
 */
final class PathBase {
  /** How long a base holds without being seen again, ns. */
  static final long PERIOD_NS = 10_000_000_000L;

  /**
   * The first of them, ns, or {@link #FIRST_ROUND_TRIPS}: who comes late measures the queue of
   * those before him, and is to know better soon. A first drain only shortens the base, for beside
   * a flow that fills the queue it shows that queue.
   */
  static final long FIRST_PERIOD_NS = 1_000_000_000L;

  static final int FIRST_ROUND_TRIPS = 32;

  /**
   * A sixteenth more than the base is the base still: a path is hardly ever as short again to the
   * nanosecond.
   */
  static final int SEEN_SHARE = 16;

  /** Packets in flight while the path is drained: BBR's. */
  static final int DRAIN_PACKETS = 4;

  /** Answers that say how long the drained path is, unless two round trips have passed before. */
  static final int DRAIN_SAMPLES = 4;

  private long leastNs;
  private long liftedNs;
  private long seenNs;
  private boolean wasDrained;

  // The drain: whether there is one, since when there is next to nothing in flight, and what was
  // measured since then.
  private boolean isDraining;
  private boolean isDrained;
  private long drainedNs;
  private long drainLeastNs;
  private int drainSamples;

  /** The round trip without queue, ns; 0 without a sample. */
  long ns() {
    return Math.max(leastNs, liftedNs);
  }

  /** Whether no more than {@link #DRAIN_PACKETS} are to be in flight. */
  boolean isDraining() {
    return isDraining;
  }

  /** Something was sent, and so much is in flight with it. */
  void onSent(long flightBytes, double packetBytes, long nowNs) {
    if (isDraining && !isDrained && flightBytes <= DRAIN_PACKETS * packetBytes) {
      isDrained = true;
      drainedNs = nowNs;
    }
  }

  /** The answer to what was sent at {@code sentAtNs}. */
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
   * The path is longer for other reasons than a queue of ours: this counts until a shorter round
   * trip is seen.
   */
  void lift(long rttNs) {
    liftedNs = rttNs;
  }

  /** Nothing was in flight for long: there is no queue of ours to be drained. */
  void onIdle(long nowNs) {
    isDraining = false;
    seenNs = nowNs;
  }

  /** It is another path from now on. */
  void restart() {
    leastNs = 0;
    liftedNs = 0;
    isDraining = false;
    wasDrained = false;
  }
}
