package io.rtransport.loadgen.report;

import io.rtransport.loadgen.report.HtmlReport.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Plots of a page. A plot without data says so in a sentence. */
final class CoursePlots {
  private static final List<String> KINDS = List.of("early", "probe", "timeout", "moved");
  private static final String KILLED = "#c8453a";
  private static final String RESTORED = "#2a8050";
  private static final int SLOT_MILLIS = 100;
  private static final String SPURIOUS = "of them not needed";

  private CoursePlots() {}

  static String percentiles(List<Entry> entries) {
    double min = Double.MAX_VALUE;
    double max = 0;
    double highest = 0;
    for (Entry entry : entries) {
      for (Map<String, Object> point : list(entry, "percentiles")) {
        min = Math.min(min, HtmlReport.number(point, "micros"));
        max = Math.max(max, HtmlReport.number(point, "micros"));
        highest = Math.max(highest, HtmlReport.number(point, "percentile"));
      }
    }
    if (max == 0) {
      return nothing("No latencies were measured.");
    }
    Plot plot =
        new Plot(
            "Latency by percentile",
            "share of messages that were at most so late",
            Axis.percentiles(highest),
            "µs",
            Axis.log(min, max));
    for (Entry entry : entries) {
      List<double[]> points = new ArrayList<>();
      for (Map<String, Object> point : list(entry, "percentiles")) {
        points.add(
            new double[] {
              Axis.ofPercentile(HtmlReport.number(point, "percentile")),
              HtmlReport.number(point, "micros")
            });
      }
      plot.line(entry.transport(), points, false);
    }
    return plot.finish();
  }

  static String latency(List<Entry> entries) {
    double min = Double.MAX_VALUE;
    double max = 0;
    int seconds = 0;
    for (Entry entry : entries) {
      List<Map<String, Object>> intervals = list(entry, "intervals");
      seconds = Math.max(seconds, intervals.size());
      for (Map<String, Object> interval : intervals) {
        double p50 = HtmlReport.number(interval, "p50");
        if (!Double.isNaN(p50)) {
          min = Math.min(min, p50);
          max = Math.max(max, HtmlReport.number(interval, "p99"));
        }
      }
    }
    if (max == 0) {
      return nothing("No latencies were measured over time.");
    }
    Plot plot =
        new Plot(
            "Latency over time (line: p50, dashed: p99 of each second)",
            "second",
            Axis.linear(Math.max(1, seconds)),
            "µs",
            Axis.log(min, max));
    for (Entry entry : entries) {
      plot.line(entry.transport(), course(entry, "p50"), false);
      plot.line(entry.transport(), course(entry, "p99"), true);
    }
    return plot.finish();
  }

  /** Returns a plot for each run in which a rail was killed, or nothing. */
  static String kills(List<Entry> entries) {
    StringBuilder plots = new StringBuilder();
    for (Entry entry : entries) {
      if (!list(entry, "railEvents").isEmpty()) {
        plots.append(kills(entry));
      }
    }
    return plots.toString();
  }

  private static String kills(Entry entry) {
    double min = Double.MAX_VALUE;
    double max = 0;
    List<double[]> middles = new ArrayList<>();
    List<double[]> longest = new ArrayList<>();
    for (Map<String, Object> slot : list(entry, "latencyCourse")) {
      double second = (HtmlReport.number(slot, "millis") + SLOT_MILLIS / 2.0) / 1_000;
      middles.add(new double[] {second, HtmlReport.number(slot, "p50")});
      longest.add(new double[] {second, HtmlReport.number(slot, "max")});
      if (slot.get("p50") != null) {
        min = Math.min(min, HtmlReport.number(slot, "p50"));
        max = Math.max(max, HtmlReport.number(slot, "max"));
      }
    }
    if (max == 0) {
      return nothing("No latencies were measured around the kills of rails.");
    }
    Plot plot =
        new Plot(
            "Latency of " + entry.transport() + " while rails were killed and restored",
            "second in which a message was due",
            Axis.linear(Math.max(0.1, HtmlReport.number(entry.round(), "durationSeconds"))),
            "µs",
            Axis.log(min, max));
    plot.line("p50 of each 100 ms", middles, false);
    plot.line("max of each 100 ms", longest, true);
    for (Map<String, Object> event : list(entry, "railEvents")) {
      plot.mark(
          HtmlReport.number(event, "atSeconds"),
          event.get("kind") + " " + event.get("rail"),
          "restore".equals(event.get("kind")) ? RESTORED : KILLED);
    }
    return plot.finish();
  }

  static String throughput(List<Entry> entries) {
    double max = 0;
    int seconds = 0;
    for (Entry entry : entries) {
      for (double[] point : rates(entry)) {
        max = Math.max(max, point[1]);
        seconds++;
      }
    }
    if (seconds == 0) {
      return nothing("No throughput was measured over time.");
    }
    seconds = entries.stream().mapToInt(e -> list(e, "intervals").size()).max().orElse(1);
    Plot plot =
        new Plot(
            "Throughput over time",
            "second",
            Axis.linear(Math.max(1, seconds)),
            "messages/s",
            Axis.linear(max));
    for (Entry entry : entries) {
      plot.line(entry.transport(), rates(entry), false);
    }
    return plot.finish();
  }

  static String retransmissions(List<Entry> entries) {
    List<String> groups = new ArrayList<>();
    List<double[]> rows = new ArrayList<>();
    double max = 0;
    for (Entry entry : entries) {
      double[] row = new double[KINDS.size() + 1];
      for (int i = 0; i < KINDS.size(); i++) {
        row[i] = HtmlReport.number(entry.round(), "retransmits." + KINDS.get(i));
      }
      row[KINDS.size()] = HtmlReport.number(entry.round(), "spuriousRetransmits");
      if (!Double.isNaN(row[0])) {
        groups.add(entry.transport());
        rows.add(row);
        for (double value : row) {
          max = Math.max(max, value);
        }
      }
    }
    if (groups.isEmpty()) {
      return nothing("None of these transports counts its retransmissions.");
    }
    List<String> series = new ArrayList<>(KINDS);
    series.add(SPURIOUS);
    Plot plot =
        new Plot(
            "Retransmitted packets by reason (both sides, warm-up included)",
            "",
            null,
            "packets",
            Axis.linear(max));
    plot.bars(groups, series, rows.toArray(double[][]::new));
    return plot.finish();
  }

  /** Returns a field of each second, at its middle. */
  private static List<double[]> course(Entry entry, String field) {
    List<double[]> points = new ArrayList<>();
    for (Map<String, Object> interval : list(entry, "intervals")) {
      points.add(
          new double[] {
            HtmlReport.number(interval, "second") + 0.5, HtmlReport.number(interval, field)
          });
    }
    return points;
  }

  /** Returns messages a second. The last second may be cut short. */
  private static List<double[]> rates(Entry entry) {
    double duration = HtmlReport.number(entry.round(), "durationSeconds");
    List<double[]> points = new ArrayList<>();
    for (double[] point : course(entry, "messages")) {
      double length = Math.min(1, duration - (point[0] - 0.5));
      if (length > 0.05) {
        points.add(new double[] {point[0], point[1] / length});
      }
    }
    return points;
  }

  private static List<Map<String, Object>> list(Entry entry, String key) {
    List<Map<String, Object>> list = new ArrayList<>();
    if (entry.round().get(key) instanceof List<?> values) {
      values.forEach(value -> list.add(Comparison.object(value)));
    }
    return list;
  }

  private static String nothing(String sentence) {
    return "<p>" + sentence + "</p>\n";
  }
}
