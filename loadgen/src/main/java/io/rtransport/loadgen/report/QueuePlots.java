package io.rtransport.loadgen.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Plots of RT's queues by the delay of their consumers: how often these were woken, and how late
 * messages completed. There are none unless several delays were measured. Stateless.
 */
final class QueuePlots {
  private static final double MILLION = 1e6;

  /**
   * A run, or the median of several.
   *
   * @param name the transport, without its delay
   * @param clientWakeUps of the client's consumer, for a million completed messages
   * @param serverWakeUps of the server's consumer, likewise
   */
  record Point(
      String name,
      double delayMicros,
      double clientWakeUps,
      double serverWakeUps,
      double p99Micros) {
    /** Returns the point of a report; null where it has no queues, or nothing completed. */
    static Point of(String label, Map<String, Object> report) {
      double delay = number(report, "queue.delayMicros");
      double completed = number(report, "completed");
      if (Double.isNaN(delay) || !(completed > 0)) {
        return null;
      }
      double each = MILLION / completed;
      return new Point(
          label.replaceFirst("@.*", ""),
          delay,
          number(report, "queue.wakeUps.client") * each,
          number(report, "queue.wakeUps.server") * each,
          number(report, "latencyMicros.p99"));
    }
  }

  private QueuePlots() {}

  /** Returns the plots of some reports, by their labels. */
  static String byDelay(Map<String, Map<String, Object>> reports) {
    List<Point> points = new ArrayList<>();
    reports.forEach(
        (label, report) -> {
          Point point = Point.of(label, report);
          if (point != null) {
            points.add(point);
          }
        });
    points.sort(Comparator.comparingDouble(Point::delayMicros));
    List<Double> delays =
        new ArrayList<>(new TreeSet<>(points.stream().map(Point::delayMicros).toList()));
    return delays.size() < 2 ? "" : wakeUps(points, delays) + latency(points, delays);
  }

  private static String wakeUps(List<Point> points, List<Double> delays) {
    Map<String, List<double[]>> lines = new LinkedHashMap<>();
    for (Point point : points) {
      double at = delays.indexOf(point.delayMicros);
      add(lines, point.name + " client", at, point.clientWakeUps);
      add(lines, point.name + " server", at, point.serverWakeUps);
    }
    return plot("Wake-ups of the consumers for a million completions", "wake-ups", delays, lines);
  }

  private static String latency(List<Point> points, List<Double> delays) {
    Map<String, List<double[]>> lines = new LinkedHashMap<>();
    for (Point point : points) {
      add(lines, point.name, delays.indexOf(point.delayMicros), point.p99Micros);
    }
    return plot("p99 of the latency by the delay", "µs", delays, lines);
  }

  private static void add(Map<String, List<double[]>> lines, String name, double x, double y) {
    lines.computeIfAbsent(name, line -> new ArrayList<>()).add(new double[] {x, y});
  }

  private static String plot(
      String title, String unit, List<Double> delays, Map<String, List<double[]>> lines) {
    double[] values =
        lines.values().stream()
            .flatMap(List::stream)
            .mapToDouble(point -> point[1])
            .filter(value -> !Double.isNaN(value))
            .sorted()
            .toArray();
    if (values.length == 0) {
      return "";
    }
    double max = values[values.length - 1];
    Axis y = values[0] > 0 ? Axis.log(values[0], max) : Axis.linear(max);
    Plot plot = new Plot(title, "delay, µs", Axis.steps(delays), unit, y);
    lines.forEach((name, points) -> plot.line(name, points, false));
    return plot.finish();
  }

  private static double number(Map<String, Object> report, String path) {
    return Comparison.at(report, path) instanceof Number n ? n.doubleValue() : Double.NaN;
  }
}
