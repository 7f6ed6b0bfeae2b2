package io.rtransport.demo;

import io.rtransport.core.adp.AdpTimeline;
import io.rtransport.core.adp.AdpTimeline.Step;
import java.util.List;
import java.util.Locale;

/** Draws a timeline: time without progress to the right, the armed value upwards in powers of two, a colour a range. */
final class AdpSvg {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 420;
  private static final int LEFT = 90;
  private static final int TOP = 50;
  private static final int PLOT_WIDTH = WIDTH - LEFT - 30;
  private static final int PLOT_HEIGHT = HEIGHT - TOP - 60;
  private static final String[] COLOURS = {"#888888", "#1f77b4", "#2ca02c", "#ff7f0e", "#d62728"};

  private final StringBuilder svg = new StringBuilder();
  private final double spanNs;
  private final double lowLog;
  private final double highLog;

  private AdpSvg(List<Step> steps) {
    double span = 0;
    double low = Double.MAX_VALUE;
    double high = -Double.MAX_VALUE;
    for (Step step : steps) {
      if (step.timeoutNs() > 0) {
        span += step.timeoutNs();
        low = Math.min(low, log(step.timeoutNs()));
        high = Math.max(high, log(step.timeoutNs()));
      }
    }
    spanNs = Math.max(1, span);
    lowLog = Math.floor(low);
    highLog = Math.max(lowLog + 1, Math.ceil(high));
  }

  /** The drawing as one SVG document. */
  static String draw(String name, AdpTimeline timeline) {
    List<Step> steps = timeline.steps();
    AdpSvg drawing = new AdpSvg(steps);
    drawing.frame(name, timeline);
    drawing.values(steps);
    return drawing.svg.append("</svg>\n").toString();
  }

  private void frame(String name, AdpTimeline timeline) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">%n",
        WIDTH, HEIGHT);
    add("<rect width=\"%d\" height=\"%d\" fill=\"white\"/>%n", WIDTH, HEIGHT);
    add(
        "<text x=\"%d\" y=\"28\" font-size=\"16\">ADP profile %s: total %s, %s</text>%n",
        LEFT, escaped(name), AdpTables.time(timeline.totalNs()), timeline.end());
    int step = (int) Math.ceil((highLog - lowLog) / 10);
    for (double log = lowLog; log <= highLog; log += step) {
      double y = y(log);
      add(
          "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>%n",
          LEFT, y, LEFT + PLOT_WIDTH, y);
      add(
          "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n",
          LEFT - 6, y + 4, AdpTables.time(Math.round(Math.pow(2, log) * 1_000)));
    }
    for (int i = 0; i <= 5; i++) {
      double ns = spanNs * i / 5;
      add(
          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n",
          x(ns), TOP + PLOT_HEIGHT + 18, AdpTables.time(Math.round(ns)));
    }
    add(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">sum of the armed values</text>%n",
        LEFT + PLOT_WIDTH / 2, HEIGHT - 16);
  }

  private void values(List<Step> steps) {
    double atNs = 0;
    for (Step step : steps) {
      if (step.timeoutNs() <= 0) {
        continue;
      }
      double y = y(log(step.timeoutNs()));
      double endNs = atNs + step.timeoutNs();
      add(
          "<line x1=\"%.2f\" y1=\"%.1f\" x2=\"%.2f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"3\"/>%n",
          x(atNs), y, x(endNs), y, COLOURS[step.rangeIndex() + 1]);
      if (step.event() == AdpTimeline.Event.PROGRESS) {
        add("<circle cx=\"%.2f\" cy=\"%.1f\" r=\"4\" fill=\"#2ca02c\"/>%n", x(atNs), y);
      }
      atNs = endNs;
    }
  }

  private static double log(long ns) {
    return Math.log(ns / 1e3) / Math.log(2);
  }

  private double x(double ns) {
    return LEFT + PLOT_WIDTH * ns / spanNs;
  }

  private double y(double log) {
    return TOP + PLOT_HEIGHT * (highLog - log) / (highLog - lowLog);
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
