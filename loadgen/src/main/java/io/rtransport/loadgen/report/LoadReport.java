package io.rtransport.loadgen.report;

import io.rtransport.loadgen.impair.Impairment;
import io.rtransport.loadgen.rig.LoadClient;
import io.rtransport.loadgen.rig.LoadOptions;
import io.rtransport.loadgen.rig.RunOutcome;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.LatencyCourse;
import io.rtransport.loadgen.workload.LatencyRecorder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * Turns a run's outcome into the report, whose keys are a contract ({@code docs}). Every key is
 * always present, null where it does not apply.
 */
public final class LoadReport {
  private static final double SECOND_NS = 1e9;
  private static final double MICRO_NS = 1e3;
  private static final double MEGABYTE = 1e6;
  private static final double STEP = Math.sqrt(2);

  private static final List<String> BOUNDS =
      List.of("window", "congestion", "credit", "grant", "store", "application");

  private final RunOutcome outcome;
  private final LoadOptions options;
  private final Histogram latencies = LatencyRecorder.histogram();
  private final Map<String, Object> json = new LinkedHashMap<>();

  /** Creates the report of a run that has ended. */
  public LoadReport(RunOutcome outcome) {
    this.outcome = outcome;
    this.options = outcome.options();
    for (LoadClient.Part part : outcome.parts()) {
      latencies.add(part.recorder().total());
    }
    fill();
  }

  /** Returns the report. */
  public Map<String, Object> json() {
    return json;
  }

  /** Returns all latencies, nanoseconds. */
  public Histogram latencies() {
    return latencies;
  }

  private void fill() {
    long messages = sum(part -> part.recorder().messages());
    double seconds = outcome.measuredNs() / SECOND_NS;
    double perSecond = seconds == 0 ? 0 : messages / seconds;
    json.put("transport", options.transport());
    json.put("api", options.settings().queue() == null ? "channel" : "queue");
    json.put("io", options.settings().io().text());
    json.put("busyPoll", options.settings().busyPoll());
    json.put("pollMicros", options.settings().pollNs() / 1_000.0);
    json.put("flushWindowMicros", options.settings().flushWindowMicros());
    json.put("sharedPort", options.settings().sharedPort());
    json.put("op", lower(options.settings().op()));
    json.put("sizeBytes", options.sizesBytes().length == 1 ? options.sizesBytes()[0] : null);
    json.put("sizesBytes", options.sizesBytes());
    json.put("mtu", detail("mtu"));
    json.put("gso", detail("gso"));
    json.put("connections", options.connections());
    json.put(
        "inFlightBytes",
        Math.round(sum(part -> part.driver().inFlightPeak()) * options.sizeBytesMean()));
    json.put(
        "ratePerSecond",
        options.ratePerSecond() == LoadOptions.CLOSED ? null : options.ratePerSecond());
    json.put("seed", options.seed());
    json.put("warmupSeconds", outcome.warmupNs() / SECOND_NS);
    json.put("warmupSteady", outcome.isSteady());
    json.put("durationSeconds", seconds);
    json.put("messages", messages);
    json.put("messagesPerSecond", perSecond);
    json.put(
        "messagesBySecond",
        messagesBySecond(
            outcome.parts().stream().map(LoadClient.Part::recorder).toList(),
            outcome.measuredNs()));
    json.put("megabytesPerSecond", perSecond * options.sizeBytesMean() / MEGABYTE);
    json.put("latencyMicros", latencyMicros());
    json.put("percentiles", percentiles());
    putGaps();
    putAccount();
    putTransport();
    putCosts(messages);
    json.put("queue", QueueReport.of(outcome));
    json.put("counters", counters());
    json.put("rails", RailReport.rails(outcome));
    json.put("railProxies", RailReport.proxies(outcome));
    json.put("railEvents", RailReport.events(outcome));
    json.put("railCourse", RailReport.course(outcome));
    json.put("intervals", intervals());
    json.put("latencyCourse", options.rails().isKilled() ? latencyCourse() : null);
    json.put("impairment", impairment());
    json.put("java", System.getProperty("java.version"));
    Map<String, Object> host = new LinkedHashMap<>();
    host.put("cores", Runtime.getRuntime().availableProcessors());
    host.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    json.put("host", host);
  }

  private void putGaps() {
    long receiveNs = max(part -> part.recorder().gapNsMax());
    if (options.settings().op() == Op.PUSH) {
      receiveNs = number(outcome.server(), "receiveGapNsMax");
    }
    Map<String, Object> gaps = new LinkedHashMap<>();
    gaps.put("send", max(part -> part.driver().sendGapNsMax()) / MICRO_NS);
    gaps.put("receive", receiveNs / MICRO_NS);
    json.put("maxGapMicros", gaps);
  }

  /**
   * Compares the sender's counts with the receiver's. The receiver of a push is the server; of an
   * echo or an answer, the client.
   */
  private void putAccount() {
    long sent = sum(part -> part.driver().sentMeasured());
    long failed =
        outcome.parts().stream()
            .flatMap(part -> part.driver().lanes().stream())
            .mapToLong(lane -> lane.failed())
            .sum();
    Map<String, Object> receiver =
        options.settings().op() == Op.PUSH ? outcome.server() : outcome.client();
    long missing = sent - number(receiver, "measuredMessages");
    if ("udp".equals(options.transport()) || "udp:gso".equals(options.transport())) {
      // Raw UDP counts datagrams. The missing part of longer messages is counted in bytes.
      long missingBytes =
          sum(part -> part.driver().sentMeasuredBytes()) - number(receiver, "measuredBytes");
      missing = (long) Math.ceil(Math.max(0, missingBytes) / options.sizeBytesMean());
    }
    json.put("sent", sent);
    json.put("completed", sum(part -> part.driver().completedMeasured()));
    json.put("failed", failed);
    json.put("lost", Math.max(0, missing) + sum(part -> part.driver().neverSent()));
    json.put("neverSent", sum(part -> part.driver().neverSent()));
    json.put("duplicated", bothSides("duplicated"));
    json.put("corrupted", bothSides("corrupted"));
    json.put("outOfOrder", bothSides("outOfOrder"));
  }

  private void putTransport() {
    Map<String, Object> retransmits = new LinkedHashMap<>();
    for (String kind : new String[] {"early", "probe", "timeout", "moved"}) {
      retransmits.put(kind, detailOfBoth("retransmits." + kind));
    }
    json.put("retransmits", retransmits);
    json.put("spuriousRetransmits", detailOfBoth("spuriousRetransmits"));
    json.put("limitedBy", limitedBy());
    json.put("datagramsSent", bothSides("datagramsSent"));
    json.put("datagramsReceived", bothSides("datagramsReceived"));
  }

  /**
   * Returns the shares of the sender's time, from the start of the measured time to the end of the
   * drain. Null for transports that do not tell them.
   */
  private Map<String, Object> limitedBy() {
    Map<String, Object> sender =
        options.settings().op() == Op.PULL ? outcome.server() : outcome.client();
    if (!(sender.get("details") instanceof Map<?, ?> details)
        || !(details.get("limited.elapsed") instanceof Number elapsedNs)) {
      return null;
    }
    Map<String, Object> shares = new LinkedHashMap<>();
    for (String bound : BOUNDS) {
      double ns = ((Number) details.get("limited." + bound)).doubleValue();
      shares.put(bound, Math.round(1000 * ns / Math.max(1, elapsedNs.longValue())) / 1000.0);
    }
    return shares;
  }

  private void putCosts(long messages) {
    json.put("socketCalls", pair("socketCalls"));
    json.put("cpuSeconds", pair("cpuSeconds"));
    json.put("countersLateSeconds", pair("countersLateSeconds"));
    json.put("wakeups", pair("wakeups"));
    json.put("pipelineEventsPerMessage", pairPerMessage("pipelineEvents", messages));
    json.put("allocatedBytesPerMessage", pairPerMessage("allocatedBytes", messages));
    json.put("heapUsedBytes", pair("heapUsedBytes"));
    json.put("connectSeconds", outcome.client().get("connectSeconds"));
    json.put("directBytes", pair("directBytes"));
  }

  private Map<String, Object> pair(String key) {
    Map<String, Object> pair = new LinkedHashMap<>();
    pair.put("client", outcome.client().get(key));
    pair.put("server", outcome.server().get(key));
    return pair;
  }

  private Map<String, Object> pairPerMessage(String key, long messages) {
    Map<String, Object> pair = pair(key);
    pair.replaceAll(
        (side, value) ->
            value == null || messages == 0 ? null : ((Number) value).doubleValue() / messages);
    return pair;
  }

  private Map<String, Object> latencyMicros() {
    boolean any = latencies.getTotalCount() > 0;
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("min", any ? latencies.getMinValue() / MICRO_NS : null);
    map.put("p50", any ? percentile(latencies, 50) : null);
    map.put("p90", any ? percentile(latencies, 90) : null);
    map.put("p99", any ? percentile(latencies, 99) : null);
    map.put("p999", any ? percentile(latencies, 99.9) : null);
    map.put("max", any ? latencies.getMaxValue() / MICRO_NS : null);
    map.put("mean", any ? latencies.getMean() / MICRO_NS : null);
    return map;
  }

  /**
   * Returns the distribution at steps whose distance to 100 % shrinks evenly, up to the step of a
   * single message.
   */
  private List<Map<String, Object>> percentiles() {
    List<Map<String, Object>> list = new ArrayList<>();
    for (double rest = 100; rest * latencies.getTotalCount() >= 100; rest /= STEP) {
      Map<String, Object> point = new LinkedHashMap<>();
      point.put("percentile", 100 - rest);
      point.put("micros", percentile(latencies, 100 - rest));
      list.add(point);
    }
    return list;
  }

  private static double percentile(Histogram histogram, double percentile) {
    return histogram.getValueAtPercentile(percentile) / MICRO_NS;
  }

  /**
   * Returns the messages that completed in each whole second of the measured time, in order. A last
   * second that is cut short is left out: its count is no rate.
   *
   * @param recorders one of each event loop
   * @param measuredNs the measured time
   */
  static List<Long> messagesBySecond(List<LatencyRecorder> recorders, long measuredNs) {
    long[] messages = new long[(int) (measuredNs / SECOND_NS)];
    for (LatencyRecorder recorder : recorders) {
      List<LatencyRecorder.Interval> intervals = recorder.intervals();
      for (int second = 0; second < Math.min(messages.length, intervals.size()); second++) {
        messages[second] += intervals.get(second).messages();
      }
    }
    return Arrays.stream(messages).boxed().toList();
  }

  private List<Map<String, Object>> intervals() {
    List<Map<String, Object>> list = new ArrayList<>();
    int seconds =
        outcome.parts().stream()
            .mapToInt(part -> part.recorder().intervals().size())
            .max()
            .orElse(0);
    for (int second = 0; second < seconds; second++) {
      Histogram merged = LatencyRecorder.histogram();
      long messages = 0;
      for (LoadClient.Part part : outcome.parts()) {
        if (second < part.recorder().intervals().size()) {
          LatencyRecorder.Interval interval = part.recorder().intervals().get(second);
          merged.add(interval.latencies());
          messages += interval.messages();
        }
      }
      boolean any = merged.getTotalCount() > 0;
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("second", second);
      map.put("messages", messages);
      map.put("p50", any ? percentile(merged, 50) : null);
      map.put("p99", any ? percentile(merged, 99) : null);
      map.put("max", any ? merged.getMaxValue() / MICRO_NS : null);
      list.add(map);
    }
    return list;
  }

  private List<Map<String, Object>> latencyCourse() {
    List<LatencyCourse> courses =
        outcome.parts().stream().map(part -> part.recorder().course()).toList();
    List<Map<String, Object>> list = new ArrayList<>();
    for (LatencyCourse.Point point : LatencyCourse.merged(courses)) {
      boolean any = point.messages() > 0;
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("millis", list.size() * LatencyCourse.SLOT_NS / 1_000_000);
      map.put("messages", point.messages());
      map.put("p50", any ? point.p50Ns() / MICRO_NS : null);
      map.put("max", any ? point.maxNs() / MICRO_NS : null);
      list.add(map);
    }
    return list;
  }

  private Map<String, Object> impairment() {
    List<Impairment> rails = options.rails().impairments();
    Impairment first = rails.get(0);
    Map<String, Object> map = new LinkedHashMap<>();
    String by = options.impairReceiver() ? "receiver" : "proxy";
    map.put("by", options.rails().isImpaired() ? by : null);
    map.put("loss", alike(Impairment::loss));
    map.put("delayMicros", alike(rail -> rail.delayNs() / MICRO_NS));
    map.put("jitterMicros", first.jitterNs() / MICRO_NS);
    map.put("reorder", first.reorder());
    map.put("duplicate", first.duplicate());
    map.put("corrupt", first.corrupt());
    map.put("bandwidthBitsPerSecond", alike(Impairment::bandwidthBitsPerSecond));
    List<Map<String, Object>> byRail = new ArrayList<>();
    for (Impairment rail : rails) {
      Map<String, Object> own = new LinkedHashMap<>();
      own.put("rail", byRail.size());
      own.put("loss", rail.loss());
      own.put("delayMicros", rail.delayNs() / MICRO_NS);
      own.put("bandwidthBitsPerSecond", rail.bandwidthBitsPerSecond());
      byRail.add(own);
    }
    map.put("rails", byRail);
    map.put(
        "proxyDatagramsPerSecondMax",
        outcome.proxyReady() == null ? null : outcome.proxyReady().get("datagramsPerSecond"));
    map.put("counts", options.impairReceiver() ? receiverCounts() : RailReport.impairment(outcome));
    return map;
  }

  /** Returns what all rails have in common, or null where they differ. */
  private <T> T alike(Function<Impairment, T> field) {
    List<T> values = options.rails().impairments().stream().map(field).distinct().toList();
    return values.size() == 1 ? values.get(0) : null;
  }

  /** Returns the sums of both sides' receiving handlers. */
  private Map<String, Object> receiverCounts() {
    Map<String, Object> sums = new LinkedHashMap<>();
    for (Map<String, Object> side : List.of(outcome.client(), outcome.server())) {
      if (side.get("details") instanceof Map<?, ?> details
          && details.get("impairmentCounts") instanceof Map<?, ?> counts) {
        counts.forEach(
            (key, count) ->
                sums.merge(
                    key.toString(), ((Number) count).longValue(), (a, b) -> (Long) a + (Long) b));
      }
    }
    return sums;
  }

  /** Returns a transport's own counters by name, warm-up included. Only rt has any. */
  private Map<String, Object> counters() {
    Map<String, Object> pair = new LinkedHashMap<>();
    pair.put(
        "client",
        outcome.client().get("details") instanceof Map<?, ?> m ? m.get("counters") : null);
    pair.put(
        "server",
        outcome.server().get("details") instanceof Map<?, ?> m ? m.get("counters") : null);
    return pair;
  }

  private Object detail(String key) {
    return outcome.client().get("details") instanceof Map<?, ?> map ? map.get(key) : null;
  }

  /**
   * Returns the sum of a number that each side counts for its sending. Null if the transport does
   * not count it.
   */
  private Long detailOfBoth(String key) {
    Long sum = null;
    for (Map<String, Object> side : List.of(outcome.client(), outcome.server())) {
      if (side.get("details") instanceof Map<?, ?> map && map.get(key) instanceof Number n) {
        sum = (sum == null ? 0 : sum) + n.longValue();
      }
    }
    return sum;
  }

  private Long bothSides(String key) {
    Object client = outcome.client().get(key);
    Object server = outcome.server().get(key);
    return client == null || server == null
        ? null
        : ((Number) client).longValue() + ((Number) server).longValue();
  }

  private static long number(Map<String, Object> side, String key) {
    return ((Number) side.get(key)).longValue();
  }

  private long sum(ToLongFunction<LoadClient.Part> field) {
    return outcome.parts().stream().mapToLong(field).sum();
  }

  private long max(ToLongFunction<LoadClient.Part> field) {
    return outcome.parts().stream().mapToLong(field).max().orElse(0);
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
