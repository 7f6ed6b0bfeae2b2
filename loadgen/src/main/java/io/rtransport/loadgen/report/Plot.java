package io.rtransport.loadgen.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A plot as one SVG element: no script, no external parts. */
final class Plot {
  private static final String[] COLOURS = {
    "#0b5fa5", "#c8453a", "#2a8050", "#8250a8", "#b06a00", "#555555", "#00808a", "#a03070"
  };
  private static final int WIDTH = 800;
  private static final int HEIGHT = 330;
  private static final int LEFT = 70;
  private static final int RIGHT = 36;
  private static final int TOP = 34;
  private static final int BOTTOM = 70;
  private static final int LEGEND_WIDTH = 150;

  private final StringBuilder svg = new StringBuilder();
  private final Axis x;
  private final Axis y;
  private final List<String> names = new ArrayList<>();
  private int marks;

  /**
   * Begins a plot.
   *
   * @param x null for bars
   */
  Plot(String title, String xLabel, Axis x, String yLabel, Axis y) {
    this.x = x;
    this.y = y;
    add(
        "<svg viewBox=\"0 0 %d %d\" role=\"img\" font-size=\"12\" fill=\"#222222\"><title>%s</title>",
        WIDTH, HEIGHT, escaped(title));
    text(LEFT, 20, "start", title, "font-weight=\"bold\" font-size=\"14\"");
    for (Axis.Tick tick : y.ticks()) {
      double at = yAt(tick.value());
      line(LEFT, at, WIDTH - RIGHT, at, "#dddddd");
      text(LEFT - 6, at + 4, "end", tick.label(), "");
    }
    if (x != null) {
      for (Axis.Tick tick : x.ticks()) {
        double at = xAt(tick.value());
        line(at, TOP, at, HEIGHT - BOTTOM, "#eeeeee");
        text(at, HEIGHT - BOTTOM + 16, "middle", tick.label(), "");
      }
    }
    line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "#222222");
    text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - BOTTOM + 34, "middle", xLabel, "");
    text(WIDTH - RIGHT, 20, "end", yLabel, "");
  }

  /**
   * Draws a line through {@code points} (x, y). A point that is not a number, or cannot be on a
   * logarithmic axis, breaks it.
   */
  void line(String name, List<double[]> points, boolean isDashed) {
    String colour = colour(name);
    StringBuilder path = new StringBuilder();
    boolean isBroken = true;
    for (double[] point : points) {
      if (Double.isNaN(point[1]) || (y.isLog() && point[1] <= 0)) {
        isBroken = true;
        continue;
      }
      path.append(format("%s%.1f %.1f ", isBroken ? "M" : "L", xAt(point[0]), yAt(point[1])));
      if (points.size() <= 60) {
        add(
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>",
            xAt(point[0]), yAt(point[1]), colour);
      }
      isBroken = false;
    }
    add(
        "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s/>",
        path.toString().strip(), colour, isDashed ? " stroke-dasharray=\"5 4\"" : "");
  }

  /** Draws a vertical line at {@code value}, with its label beside it at one of four heights. */
  void mark(double value, String label, String colour) {
    double at = Math.min(Math.max(xAt(value), LEFT), WIDTH - RIGHT);
    boolean isLate = at > (LEFT + WIDTH - RIGHT) / 2.0;
    double down = TOP + 12 + marks++ % 4 * 14.0;
    line(at, TOP, at, HEIGHT - BOTTOM, colour);
    text(
        isLate ? at - 4 : at + 4,
        down,
        isLate ? "end" : "start",
        label,
        "font-size=\"11\" style=\"fill:" + colour + "\"");
  }

  /** Draws bars, group next to group: {@code values[group][name]}, with their values above. */
  void bars(List<String> groups, List<String> series, double[][] values) {
    double groupWidth = (double) (WIDTH - LEFT - RIGHT) / groups.size();
    double barWidth = Math.min(60, groupWidth * 0.8 / series.size());
    for (int g = 0; g < groups.size(); g++) {
      double from = LEFT + g * groupWidth + (groupWidth - barWidth * series.size()) / 2;
      for (int s = 0; s < series.size(); s++) {
        double at = from + s * barWidth;
        double top = yAt(values[g][s]);
        add(
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
            at, top, barWidth - 3, HEIGHT - BOTTOM - top, colour(series.get(s)));
        text(
            at + barWidth / 2,
            top - 3,
            "middle",
            format("%,.0f", values[g][s]),
            "font-size=\"10\"");
      }
      text(LEFT + (g + 0.5) * groupWidth, HEIGHT - BOTTOM + 16, "middle", groups.get(g), "");
    }
  }

  /** Returns the element, with its legend. */
  String finish() {
    for (int i = 0; i < names.size(); i++) {
      double at = LEFT + i % 4 * (double) LEGEND_WIDTH;
      double down = HEIGHT - 18 + i / 4 * 14.0;
      add(
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>",
          at, down - 9, colour(names.get(i)));
      text(at + 15, down, "start", names.get(i), "");
    }
    return svg + "</svg>\n";
  }

  private String colour(String name) {
    if (!names.contains(name)) {
      names.add(name);
    }
    return COLOURS[names.indexOf(name) % COLOURS.length];
  }

  private double xAt(double value) {
    return LEFT + x.share(value) * (WIDTH - LEFT - RIGHT);
  }

  private double yAt(double value) {
    return HEIGHT - BOTTOM - y.share(value) * (HEIGHT - TOP - BOTTOM);
  }

  private void line(double x1, double y1, double x2, double y2, String colour) {
    add(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>",
        x1, y1, x2, y2, colour);
  }

  private void text(double atX, double atY, String anchor, String text, String style) {
    add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>%s</text>",
        atX, atY, anchor, style, escaped(text));
  }

  private void add(String form, Object... values) {
    svg.append(format(form, values)).append('\n');
  }

  /** Formats with a decimal point on every machine. */
  static String format(String form, Object... values) {
    return String.format(Locale.ROOT, form, values);
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
