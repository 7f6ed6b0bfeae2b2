package io.rtransport.loadgen.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Function;

/**
 * Reports as one page for people: a table and plots, with no external parts and no script.
 * Stateless.
 */
public final class HtmlReport {
  /**
   * Data of one transport on the page.
   *
   * @param summary the report whose figures are in the table
   * @param round the report whose course is plotted: the same, or one of several rounds
   */
  public record Entry(String transport, Map<String, Object> summary, Map<String, Object> round) {}

  private static final String STYLE =
      "body{font-family:sans-serif;color:#222222;background:#ffffff;max-width:60em;margin:2em auto;padding:0 1em}"
          + "table{border-collapse:collapse}th,td{padding:.3em .8em;text-align:right;border-bottom:1px solid #dddddd}"
          + "th:first-child,td:first-child{text-align:left}svg{width:100%;height:auto;margin:1em 0}"
          + "p{line-height:1.4}";

  private static final String[][] COLUMNS = {
    {"messages/s", "messagesPerSecond", "%,.0f"},
    {"MB/s", "megabytesPerSecond", "%,.1f"},
    {"p50 µs", "latencyMicros.p50", "%,.1f"},
    {"p90 µs", "latencyMicros.p90", "%,.1f"},
    {"p99 µs", "latencyMicros.p99", "%,.1f"},
    {"p99.9 µs", "latencyMicros.p999", "%,.1f"},
    {"max µs", "latencyMicros.max", "%,.1f"},
    {"lost", "lost", "%,.0f"},
  };

  private HtmlReport() {}

  /** Returns the page of one run. */
  public static String run(Map<String, Object> report) {
    String transport = String.valueOf(report.get("transport"));
    return page("rt load", "", List.of(new Entry(transport, report, report)));
  }

  /**
   * Returns the page of several transports over rounds. The table shows medians. The plots show,
   * for each transport, the round of median throughput.
   */
  public static String comparison(
      Map<String, Object> comparison, Map<String, List<Map<String, Object>>> reports) {
    List<Entry> entries = new ArrayList<>();
    int rounds = 0;
    for (Object result : (List<?>) comparison.get("results")) {
      Map<String, Object> map = Comparison.object(result);
      String transport = String.valueOf(map.get("transport"));
      List<Map<String, Object>> own = new ArrayList<>(reports.get(transport));
      rounds = Math.max(rounds, own.size());
      own.sort(
          (a, b) -> Double.compare(number(a, "messagesPerSecond"), number(b, "messagesPerSecond")));
      entries.add(
          new Entry(transport, Comparison.object(map.get("median")), own.get(own.size() / 2)));
    }
    String note =
        "The table has medians of "
            + rounds
            + (rounds == 1 ? " round" : " rounds")
            + "; plotted is each transport's round of median throughput.";
    return page("rt compare", note, entries);
  }

  private static String page(String title, String note, List<Entry> entries) {
    StringBuilder html = new StringBuilder();
    html.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>");
    html.append("<meta name=\"viewport\" content=\"width=device-width\"/>");
    html.append("<title>").append(title).append("</title><style>").append(STYLE);
    html.append("</style></head><body>\n<h1>").append(title).append("</h1>\n");
    html.append("<p>").append(Plot.escaped(setting(entries.get(0).round()))).append("</p>\n");
    if (!note.isEmpty()) {
      html.append("<p>").append(Plot.escaped(note)).append("</p>\n");
    }
    html.append(table(entries));
    Map<String, Map<String, Object>> summaries = new LinkedHashMap<>();
    entries.forEach(entry -> summaries.put(entry.transport(), entry.summary()));
    html.append(QueuePlots.byDelay(summaries));
    html.append(CoursePlots.percentiles(entries));
    html.append(CoursePlots.latency(entries));
    html.append(CoursePlots.kills(entries));
    html.append(CoursePlots.throughput(entries));
    html.append(CoursePlots.retransmissions(entries));
    return html.append("</body></html>\n").toString();
  }

  private static String setting(Map<String, Object> report) {
    StringJoiner text = new StringJoiner(" · ");
    text.add("op " + report.get("op"));
    text.add(
        (report.get("sizeBytes") == null ? "mixed sizes" : report.get("sizeBytes") + " bytes"));
    text.add(report.get("connections") + " connection(s)");
    text.add(
        report.get("ratePerSecond") == null
            ? "closed loop"
            : number(report, "ratePerSecond") == 0
                ? "as fast as back-pressure allows"
                : Plot.format("%,.0f messages/s open loop", number(report, "ratePerSecond")));
    text.add(Plot.format("%.1f s measured", number(report, "durationSeconds")));
    text.add("io " + report.get("io"));
    if (at(report, "impairment.by") != null) {
      text.add(
          Plot.format(
              "network impaired by the %s: loss %s, delay %s, jitter %.0f µs,"
                  + " reorder %s, duplicate %s, corrupt %s",
              at(report, "impairment.by"),
              alike(at(report, "impairment.loss"), value -> value.toString()),
              alike(
                  at(report, "impairment.delayMicros"),
                  value -> Plot.format("%.0f µs", ((Number) value).doubleValue())),
              number(report, "impairment.jitterMicros"),
              at(report, "impairment.reorder"),
              at(report, "impairment.duplicate"),
              at(report, "impairment.corrupt")));
    }
    if (report.get("rails") instanceof List<?> rails && rails.size() > 1) {
      text.add(rails.size() + " rails");
    }
    text.add("seed " + report.get("seed"));
    text.add("Java " + report.get("java"));
    text.add(at(report, "host.cores") + " cores, " + at(report, "host.kernel"));
    return text.toString();
  }

  /** Returns a value of all rails, which is null where they differ. */
  private static String alike(Object value, Function<Object, String> text) {
    return value == null ? "by rail" : text.apply(value);
  }

  private static String table(List<Entry> entries) {
    StringBuilder html = new StringBuilder("<table><tr><th>transport</th>");
    for (String[] column : COLUMNS) {
      html.append("<th>").append(column[0]).append("</th>");
    }
    html.append("</tr>\n");
    for (Entry entry : entries) {
      html.append("<tr><td>").append(Plot.escaped(entry.transport())).append("</td>");
      for (String[] column : COLUMNS) {
        double value = number(entry.summary(), column[1]);
        html.append("<td>")
            .append(Double.isNaN(value) ? "–" : Plot.format(column[2], value))
            .append("</td>");
      }
      html.append("</tr>\n");
    }
    return html.append("</table>\n").toString();
  }

  /** Returns the value at a path of keys, or null. */
  static Object at(Map<String, Object> report, String path) {
    Object value = report;
    for (String key : path.split("\\.")) {
      value = value instanceof Map<?, ?> map ? map.get(key) : null;
    }
    return value;
  }

  /** Returns the number at a path of keys, or NaN. */
  static double number(Map<String, Object> report, String path) {
    return at(report, path) instanceof Number n ? n.doubleValue() : Double.NaN;
  }
}
