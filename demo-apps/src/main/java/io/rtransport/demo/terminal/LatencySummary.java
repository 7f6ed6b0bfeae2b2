package io.rtransport.demo.terminal;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Round-trip times and their statistics. Exact up to a million samples; above that, the order
 * statistics are those of the last million.
 */
public final class LatencySummary {
  private static final int SAMPLES_MAX = 1 << 20;

  private long[] samples = new long[64];
  private long count;
  private long minNs = Long.MAX_VALUE;
  private long maxNs;
  private double sumNs;
  private double sumOfSquares;

  public void add(long ns) {
    int slot = (int) (count % SAMPLES_MAX);
    if (slot == samples.length && samples.length < SAMPLES_MAX) {
      samples = Arrays.copyOf(samples, samples.length * 2);
    }
    samples[slot] = ns;
    count++;
    minNs = Math.min(minNs, ns);
    maxNs = Math.max(maxNs, ns);
    sumNs += ns;
    sumOfSquares += (double) ns * ns;
  }

  public long count() {
    return count;
  }

  /** Returns minimum, percentiles, maximum and mean in microseconds; null without a sample. */
  public Map<String, Object> micros() {
    if (count == 0) {
      return null;
    }
    long[] sorted = Arrays.copyOf(samples, (int) Math.min(count, samples.length));
    Arrays.sort(sorted);
    Map<String, Object> micros = new LinkedHashMap<>();
    micros.put("min", minNs / 1e3);
    micros.put("p50", percentile(sorted, 0.5));
    micros.put("p90", percentile(sorted, 0.9));
    micros.put("p99", percentile(sorted, 0.99));
    micros.put("p999", percentile(sorted, 0.999));
    micros.put("max", maxNs / 1e3);
    micros.put("mean", sumNs / count / 1e3);
    return micros;
  }

  /** Returns the smallest sample that this share of all samples does not exceed. */
  private static double percentile(long[] sorted, double part) {
    int index = (int) Math.ceil(part * sorted.length) - 1;
    return sorted[Math.max(index, 0)] / 1e3;
  }

  /** Returns {@code 0.031/0.044/0.090/0.012 ms}: minimum, mean, maximum, standard deviation. */
  public String asPing() {
    double mean = sumNs / count;
    double deviation = Math.sqrt(Math.max(sumOfSquares / count - mean * mean, 0));
    return String.format(
        Locale.ROOT,
        "%.3f/%.3f/%.3f/%.3f ms",
        minNs / 1e6,
        mean / 1e6,
        maxNs / 1e6,
        deviation / 1e6);
  }
}
