package io.rtransport.loadgen.rig;

import io.rtransport.loadgen.workload.LatencyRecorder;
import io.rtransport.loadgen.workload.LatencyRecorder.Interval;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Warm-up of a run that ends when both sides have reached their speed ({@link SteadyState}). */
final class WarmUp {
  private final LoadClient client;
  private final ControlLink link;
  private final CompilerTime compilers = new CompilerTime();
  private final SteadyState steady;
  private int seconds;
  private long lookedNs;

  /**
   * Begins the warm-up.
   *
   * @param startNs when it begins
   */
  WarmUp(LoadOptions options, LoadClient client, ControlLink link, long startNs) throws Exception {
    this.client = client;
    this.link = link;
    steady = new SteadyState(options.ratePerSecond() > 0);
    lookedNs = startNs;
    link.ask("compilers", null);
  }

  /** Evaluates the finished seconds. To be called about once a second. */
  void look() throws Exception {
    long nowNs = System.nanoTime();
    long compilersNs = compilers.sinceLastNs();
    compilersNs += ((Number) link.ask("compilers", null).get("sinceLastNs")).longValue();
    double share = compilersNs / (double) Math.max(1, nowNs - lookedNs);
    lookedNs = nowNs;
    List<List<Interval>> parts = client.warmUpSeconds();
    int over = parts.stream().mapToInt(List::size).min().orElse(0);
    for (; seconds < over; seconds++) {
      int second = seconds;
      steady.add(merged(parts.stream().map(part -> part.get(second)).toList(), share));
    }
  }

  private static SteadyState.Second merged(List<Interval> parts, double share) {
    Histogram latencies = LatencyRecorder.histogram();
    parts.forEach(part -> latencies.add(part.latencies()));
    long messages = parts.stream().mapToLong(Interval::messages).sum();
    return new SteadyState.Second(
        messages, latencies.getValueAtPercentile(50), latencies.getValueAtPercentile(99), share);
  }

  boolean isSteady() {
    return steady.isReached();
  }
}
