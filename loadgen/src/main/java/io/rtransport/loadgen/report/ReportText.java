package io.rtransport.loadgen.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Report as text for a terminal. */
public final class ReportText {
  private ReportText() {}

  /** Returns one run, in a few lines. */
  public static String run(Map<String, Object> report) {
    StringBuilder text = new StringBuilder();
    line(
        text,
        "%s %s, %s bytes, %s connection(s), %s, measured %.1f s after %.1f s of warm-up%s",
        report.get("transport"),
        report.get("op"),
        sizes(report),
        report.get("connections"),
        report.get("io"),
        number(report, "durationSeconds"),
        number(report, "warmupSeconds"),
        Boolean.FALSE.equals(report.get("warmupSteady")) ? ", which found no steady rate" : "");
    line(
        text,
        "  %,.0f messages/s, %,.1f MB/s; sent %,.0f, completed %,.0f",
        number(report, "messagesPerSecond"),
        number(report, "megabytesPerSecond"),
        number(report, "sent"),
        number(report, "completed"));
    line(
        text,
        "  latency us: min %s, p50 %s, p90 %s, p99 %s, p99.9 %s, max %s",
        value(report, "latencyMicros.min"),
        value(report, "latencyMicros.p50"),
        value(report, "latencyMicros.p90"),
        value(report, "latencyMicros.p99"),
        value(report, "latencyMicros.p999"),
        value(report, "latencyMicros.max"));
    line(
        text,
        "  lost %s (never sent %s), duplicated %s, corrupted %s, out of order %s, failed %s",
        report.get("lost"),
        report.get("neverSent"),
        report.get("duplicated"),
        report.get("corrupted"),
        report.get("outOfOrder"),
        report.get("failed"));
    line(
        text,
        "  client / server: cpu s %s / %s, wake-ups %s / %s, socket calls %s / %s,"
            + " allocated bytes a message %s / %s, pipeline events a message %s / %s",
        value(report, "cpuSeconds.client"),
        value(report, "cpuSeconds.server"),
        value(report, "wakeups.client"),
        value(report, "wakeups.server"),
        value(report, "socketCalls.client"),
        value(report, "socketCalls.server"),
        value(report, "allocatedBytesPerMessage.client"),
        value(report, "allocatedBytesPerMessage.server"),
        value(report, "pipelineEventsPerMessage.client"),
        value(report, "pipelineEventsPerMessage.server"));
    Double delayMicros = number(report, "queue.delayMicros");
    if (Comparison.at(report, "queue") != null) {
      line(
          text,
          "  queues, client / server: consumer woken %s / %s, interrupts due %s / %s, suppressed %s / %s,"
              + " posts refused %s / %s; delay %s",
          value(report, "queue.wakeUps.client"),
          value(report, "queue.wakeUps.server"),
          value(report, "queue.interruptsDue.client"),
          value(report, "queue.interruptsDue.server"),
          value(report, "queue.suppressed.client"),
          value(report, "queue.suppressed.server"),
          value(report, "queue.refused.client"),
          value(report, "queue.refused.server"),
          delayMicros == null ? "by itself" : value(report, "queue.delayMicros") + " us");
    }
    if (number(report, "impairment.proxyDatagramsPerSecondMax") != null) {
      line(
          text,
          "  proxy: carries at most %,.0f datagrams/s one way; of %s it dropped %s, queue-dropped %s,"
              + " duplicated %s, corrupted %s, reordered %s",
          number(report, "impairment.proxyDatagramsPerSecondMax"),
          value(report, "impairment.counts.datagrams"),
          value(report, "impairment.counts.dropped"),
          value(report, "impairment.counts.queueDropped"),
          value(report, "impairment.counts.duplicated"),
          value(report, "impairment.counts.corrupted"),
          value(report, "impairment.counts.reordered"));
    }
    rails(text, report);
    if (number(report, "retransmits.early") != null) {
      line(
          text,
          "  resent: early %s, probe %s, timeout %s, moved %s; spurious %s",
          value(report, "retransmits.early"),
          value(report, "retransmits.probe"),
          value(report, "retransmits.timeout"),
          value(report, "retransmits.moved"),
          value(report, "spuriousRetransmits"));
    }
    if (number(report, "limitedBy.window") != null) {
      line(
          text,
          "  sender held back, share of time: window %s, congestion %s, credit %s, grant %s, store %s, application %s",
          value(report, "limitedBy.window"),
          value(report, "limitedBy.congestion"),
          value(report, "limitedBy.credit"),
          value(report, "limitedBy.grant"),
          value(report, "limitedBy.store"),
          value(report, "limitedBy.application"));
    }
    return text.toString();
  }

  /** Writes a line for each rail, if there are several or any was killed. */
  private static void rails(StringBuilder text, Map<String, Object> report) {
    if (!(report.get("rails") instanceof List<?> rails)
        || !(report.get("railEvents") instanceof List<?> events)
        || rails.size() == 1 && events.isEmpty()) {
      return;
    }
    for (int i = 0; i < rails.size(); i++) {
      Map<String, Object> rail = Comparison.object(rails.get(i));
      Map<String, Object> proxy = Comparison.object(((List<?>) report.get("railProxies")).get(i));
      StringBuilder killed = new StringBuilder();
      for (Object event : events) {
        Map<String, Object> happened = Comparison.object(event);
        if (number(happened, "rail") == i) {
          double seconds = number(happened, "atSeconds");
          killed.append(
              String.format(Locale.ROOT, "; %s at %.3f s", happened.get("kind"), seconds));
        }
      }
      line(
          text,
          "  rail %d, %s: share %s, health %s; out / back: forwarded %s / %s, dropped by impairment %s / %s,"
              + " by queue %s / %s, in the dark %s / %s%s",
          i,
          rail.get("nid"),
          value(rail, "share"),
          value(rail, "health"),
          value(proxy, "out.forwarded"),
          value(proxy, "back.forwarded"),
          value(proxy, "out.droppedImpairment"),
          value(proxy, "back.droppedImpairment"),
          value(proxy, "out.droppedQueue"),
          value(proxy, "back.droppedQueue"),
          value(proxy, "out.droppedDark"),
          value(proxy, "back.droppedDark"),
          killed);
    }
  }

  /** Returns the medians of several transports as a table, with ratios below. */
  public static String comparison(Map<String, Object> comparison) {
    List<String[]> rows = new ArrayList<>();
    rows.add(
        new String[] {
          "transport",
          "messages/s",
          "MB/s",
          "p50 us",
          "p90 us",
          "p99 us",
          "p99.9 us",
          "lost",
          "dup",
          "corrupt",
          "order",
          "cpu s",
          "calls/msg",
          "alloc/msg"
        });
    for (Object result : (List<?>) comparison.get("results")) {
      Map<String, Object> median = Comparison.object(((Map<?, ?>) result).get("median"));
      rows.add(
          new String[] {
            String.valueOf(((Map<?, ?>) result).get("transport")),
            value(median, "messagesPerSecond"),
            value(median, "megabytesPerSecond"),
            value(median, "latencyMicros.p50"),
            value(median, "latencyMicros.p90"),
            value(median, "latencyMicros.p99"),
            value(median, "latencyMicros.p999"),
            value(median, "lost"),
            value(median, "duplicated"),
            value(median, "corrupted"),
            value(median, "outOfOrder"),
            both(median, "cpuSeconds"),
            callsAMessage(median),
            both(median, "allocatedBytesPerMessage")
          });
    }
    StringBuilder text = new StringBuilder(table(rows));
    rows.clear();
    rows.add(new String[] {"ratio", "messages/s", "MB/s", "p50", "p90", "p99", "p99.9"});
    for (Map.Entry<?, ?> ratio : ((Map<?, ?>) comparison.get("ratios")).entrySet()) {
      Map<String, Object> of = Comparison.object(ratio.getValue());
      List<String> row = new ArrayList<>(List.of(ratio.getKey().toString()));
      of.values().forEach(v -> row.add(v == null ? "-" : String.format(Locale.ROOT, "%.2f", v)));
      rows.add(row.toArray(String[]::new));
    }
    return text.append('\n').append(table(rows)).toString();
  }

  private static String table(List<String[]> rows) {
    int columns = rows.get(0).length;
    int[] widths = new int[columns];
    for (String[] row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      for (int i = 0; i < columns; i++) {
        text.append(i == 0 ? "" : "  ");
        String pad = " ".repeat(widths[i] - row[i].length());
        text.append(i == 0 ? row[i] + pad : pad + row[i]);
      }
      text.append('\n');
    }
    return text.toString();
  }

  private static String both(Map<String, Object> report, String key) {
    return value(report, key + ".client") + "/" + value(report, key + ".server");
  }

  private static String callsAMessage(Map<String, Object> report) {
    Double messages = number(report, "messages");
    StringBuilder text = new StringBuilder();
    for (String side : List.of("client", "server")) {
      Double calls = number(report, "socketCalls." + side);
      text.append(text.isEmpty() ? "" : "/");
      text.append(
          calls == null || messages == null || messages == 0
              ? "-"
              : String.format(Locale.ROOT, "%.2g", calls / messages));
    }
    return text.toString();
  }

  private static String sizes(Map<String, Object> report) {
    Object size = report.get("sizeBytes");
    return size == null ? "mixed" : size.toString();
  }

  private static String value(Map<String, Object> report, String path) {
    Double number = number(report, path);
    if (number == null) {
      return "-";
    }
    boolean isWhole = number == Math.rint(number) || number >= 1_000;
    return String.format(Locale.ROOT, isWhole ? "%,.0f" : "%,.2f", number);
  }

  private static Double number(Map<String, Object> report, String path) {
    Object value = report;
    for (String key : path.split("\\.")) {
      value = value instanceof Map<?, ?> map ? map.get(key) : null;
    }
    return value instanceof Number n ? n.doubleValue() : null;
  }

  private static void line(StringBuilder text, String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}
