package io.rtransport.demo;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.AdpRange;
import io.rtransport.core.adp.AdpTimeline;
import io.rtransport.core.adp.AdpTimeline.Event;
import io.rtransport.core.adp.AdpTimeline.Step;
import io.rtransport.demo.SvgPage.Anchor;
import java.util.List;

/**
 * Drawing of a timeline. The x axis is the time since the packet was sent, the y axis the armed
 * value, both logarithmic. A step is one armed value, the dot at its end is the resend, and a
 * colour is a range. A second panel, if there is one, shows the way back: the value after each
 * acknowledgement.
 */
final class AdpSvg {
  private static final int WIDTH = 960;
  private static final int LEFT = 90;
  private static final int TOP = 76;
  private static final int PLOT_HEIGHT = 330;
  private static final int BOTTOM = TOP + PLOT_HEIGHT;
  private static final int PLOT_RIGHT = WIDTH - 40;
  private static final int PANEL_WIDTH = 180;
  private static final int PANEL_GAP = 40;
  private static final int LEGEND_TOP = BOTTOM + 62;
  private static final int LEGEND_LINE = 18;
  private static final int EXPONENT_TICKS_MAX = 12;
  private static final String GRID = "#e4e4e4";
  private static final String GREY = "#666666";
  private static final String RED = "#c00000";
  private static final String[] COLOURS = {"#777777", "#1f77b4", "#2ca02c", "#e07b00", "#8e44ad"};

  private final AdpProfile profile;
  private final AdpParameters parameters;
  private final AdpTimeline timeline;
  private final List<Step> wayBack;
  private final SvgPage page;
  private final LogAxis x;
  private final LogAxis y;
  private final int plotRight;
  private final double sumNs;
  private final int lowExponent;
  private final int highExponent;

  private AdpSvg(
      String name,
      AdpProfile profile,
      AdpParameters parameters,
      AdpTimeline timeline,
      List<Step> wayBack) {
    this.profile = profile;
    this.parameters = parameters;
    this.timeline = timeline;
    this.wayBack = wayBack;
    double sum = 0;
    double low = Double.MAX_VALUE;
    double high = 0;
    for (List<Step> steps : List.of(timeline.steps(), wayBack)) {
      for (Step step : steps) {
        if (step.timeoutNs() > 0) {
          sum += steps == wayBack ? 0 : step.timeoutNs();
          low = Math.min(low, step.timeoutNs());
          high = Math.max(high, step.timeoutNs());
        }
      }
    }
    sumNs = sum;
    lowExponent = (int) Math.floor(exponent(low) + 1e-9);
    highExponent = Math.max(lowExponent + 1, (int) Math.ceil(exponent(high) - 1e-9));
    plotRight = wayBack.isEmpty() ? PLOT_RIGHT : PLOT_RIGHT - PANEL_WIDTH - PANEL_GAP;
    x = new LogAxis(firstNs() / 2.0, Math.max(sumNs, firstNs()) * 1.15, LEFT, plotRight);
    y = new LogAxis(baseTimes(lowExponent), baseTimes(highExponent), BOTTOM, TOP);
    String title = "ADP profile " + name;
    page = new SvgPage(WIDTH, LEGEND_TOP + LEGEND_LINE * legendLines(), title, description());
    page.text(LEFT, 30, Anchor.START, 18, "#222222", title);
    page.text(LEFT, 50, Anchor.START, 12, GREY, description());
  }

  /**
   * Returns the drawing as one SVG document.
   *
   * @param wayBack the result of {@link AdpTimeline#wayBack}, or empty: no second panel
   */
  static String draw(
      String name,
      AdpProfile profile,
      AdpParameters parameters,
      AdpTimeline timeline,
      List<Step> wayBack) {
    AdpSvg drawing = new AdpSvg(name, profile, parameters, timeline, wayBack);
    drawing.grid();
    drawing.marks();
    drawing.steps();
    drawing.wayBackPanel();
    drawing.legend();
    return drawing.page.finish();
  }

  private double firstNs() {
    return timeline.steps().get(0).timeoutNs();
  }

  private double exponent(double ns) {
    return Math.log(ns / (profile.timeBaseMicros() * 1e3)) / Math.log(2);
  }

  private double baseTimes(int exponent) {
    return profile.timeBaseMicros() * 1e3 * Math.pow(2, exponent);
  }

  private String description() {
    String end = "gives up after " + AdpTables.time(timeline.totalNs()) + " without progress";
    if (!parameters.adaptive()) {
      return end + " · always " + AdpTables.time(parameters.ackTimeoutNs()) + " · no adaptation";
    }
    return end
        + " · first exponent "
        + timeline.steps().get(0).exponent()
        + " of "
        + profile.initLowBound()
        + ".."
        + profile.initHighBound()
        + " · ack_timeout "
        + (parameters.ackTimeout() == 0
            ? "0: no cap"
            : parameters.ackTimeout() + ": at most " + AdpTables.time(parameters.ackTimeoutNs()))
        + (parameters.strictProfile() ? " · strict" : " · above a floor");
  }

  private void grid() {
    int every = (highExponent - lowExponent + EXPONENT_TICKS_MAX - 1) / EXPONENT_TICKS_MAX;
    for (int e = lowExponent; e <= highExponent; e += every) {
      double at = y.at(baseTimes(e));
      page.line(LEFT, at, PLOT_RIGHT, at, GRID, "");
      page.text(LEFT - 8, at + 4, Anchor.END, 12, GREY, AdpTables.time(Math.round(baseTimes(e))));
    }
    page.text(LEFT - 8, TOP - 12, Anchor.END, 12, GREY, "armed value");
    page.text(LEFT, BOTTOM + 18, Anchor.START, 12, GREY, "sent");
    for (double decade = 1e3; decade < 1e19; decade *= 10) {
      for (int digit = 1; digit < 10; digit++) {
        timeTick(decade * digit, digit == 1);
      }
    }
    page.text(
        (LEFT + plotRight) / 2.0, BOTTOM + 40, Anchor.MIDDLE, 12, GREY, "time since it was sent");
  }

  private void timeTick(double ns, boolean isDecade) {
    if (!x.contains(ns)) {
      return;
    }
    double at = x.at(ns);
    page.line(at, isDecade ? TOP : BOTTOM, at, BOTTOM + (isDecade ? 6 : 3), GRID, "");
    if (isDecade && at > LEFT + 40) {
      page.text(at, BOTTOM + 18, Anchor.MIDDLE, 12, GREY, roundTime(ns));
    }
  }

  /** Returns a time such as 1 us, 10 ms, 100 s: ticks need no fraction. */
  private static String roundTime(double ns) {
    String[] units = {"us", "ms", "s"};
    double value = ns / 1e3;
    int unit = 0;
    while (value >= 999.5 && unit < units.length - 1) {
      value /= 1e3;
      unit++;
    }
    return Math.round(value) + " " + units[unit];
  }

  /** Draws the total and the cap if they are inside the drawing. */
  private void marks() {
    boolean isOneRun = timeline.steps().stream().noneMatch(s -> s.event() == Event.PROGRESS);
    if (isOneRun && x.contains(timeline.totalNs())) {
      double at = x.at(timeline.totalNs());
      page.line(at, TOP, at, BOTTOM, RED, "4 3");
      page.text(at - 6, BOTTOM - 8, Anchor.END, 12, RED, "gives up");
    }
    boolean isCapped =
        timeline.steps().stream().anyMatch(s -> s.timeoutNs() == parameters.ackTimeoutNs());
    if (isCapped && parameters.ackTimeout() > 0) {
      double at = y.at(parameters.ackTimeoutNs());
      page.line(LEFT, at, plotRight, at, RED, "1 3");
      page.text(LEFT + 6, at - 5, Anchor.START, 12, RED, "ack_timeout");
    }
  }

  private void steps() {
    StringBuilder[] runs = new StringBuilder[COLOURS.length];
    StringBuilder rises = new StringBuilder();
    for (int i = 0; i < runs.length; i++) {
      runs[i] = new StringBuilder();
    }
    Dots dots = new Dots();
    double atNs = 0;
    double lastY = Double.NaN;
    int lastColour = -1;
    for (Step step : timeline.steps()) {
      double fromX = x.at(atNs);
      if (step.timeoutNs() <= 0) {
        page.dot(fromX, lastY, 5, RED); // the end
        continue;
      }
      double height = y.at(step.timeoutNs());
      int colour = step.rangeIndex() + 1;
      if (lastColour < 0 || height != lastY || colour != lastColour) {
        if (lastColour >= 0) {
          runs[lastColour].append(SvgPage.format("H%.1f", fromX));
          rises.append(SvgPage.format("M%.1f %.1fV%.1f", fromX, lastY, height));
        }
        runs[colour].append(SvgPage.format("M%.1f %.1f", fromX, height));
      }
      if (step.event() == Event.PROGRESS) {
        page.text(fromX, height - 8, Anchor.MIDDLE, 12, GREY, "P");
      }
      atNs += step.timeoutNs();
      dots.add(x.at(atNs), height, colour);
      lastY = height;
      lastColour = colour;
    }
    runs[lastColour].append(SvgPage.format("H%.1f", x.at(atNs)));
    page.path(rises, "#bbbbbb", 1);
    for (int i = 0; i < runs.length; i++) {
      page.path(runs[i], COLOURS[i], 2.5);
    }
    dots.draw();
  }

  /**
   * Dots at the ends of steps. Dots at the same place are drawn once, so thousands of timeouts
   * become only as many as are visible.
   */
  private final class Dots {
    private final StringBuilder[] byColour = new StringBuilder[COLOURS.length];
    private double lastX;
    private double lastY;

    void add(double atX, double atY, int colour) {
      if (Math.abs(atX - lastX) < 1 && atY == lastY) {
        return;
      }
      lastX = atX;
      lastY = atY;
      if (byColour[colour] == null) {
        byColour[colour] = new StringBuilder();
      }
      byColour[colour].append(SvgPage.format("M%.1f %.1fv6", atX, atY - 3));
    }

    void draw() {
      for (int i = 0; i < byColour.length; i++) {
        if (byColour[i] != null) {
          page.path(byColour[i], COLOURS[i], 2);
        }
      }
    }
  }

  private void wayBackPanel() {
    if (wayBack.isEmpty()) {
      return;
    }
    double left = plotRight + PANEL_GAP;
    double gap = PANEL_WIDTH / (double) Math.max(1, wayBack.size() - 1);
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < wayBack.size(); i++) {
      char command = i == 0 ? 'M' : 'L';
      line.append(command)
          .append(SvgPage.format("%.1f %.1f", left + i * gap, y.at(wayBack.get(i).timeoutNs())));
    }
    page.path(line, "#bbbbbb", 1);
    for (int i = 0; i < wayBack.size(); i++) {
      Step step = wayBack.get(i);
      page.dot(left + i * gap, y.at(step.timeoutNs()), 3.5, COLOURS[step.rangeIndex() + 1]);
    }
    page.text(left, BOTTOM + 18, Anchor.MIDDLE, 12, GREY, "0");
    page.text(
        left + gap * (wayBack.size() - 1),
        BOTTOM + 18,
        Anchor.MIDDLE,
        12,
        GREY,
        wayBack.size() == 1 ? "" : Integer.toString(wayBack.size() - 1));
    page.text(left + PANEL_WIDTH / 2.0, BOTTOM + 40, Anchor.MIDDLE, 12, GREY, "ACKs with progress");
  }

  private int legendLines() {
    return parameters.adaptive() ? profile.rangeCount() + 1 : 1;
  }

  private void legend() {
    legendLine(
        0,
        parameters.adaptive()
            ? "first value, armed once, before any range"
            : "no adaptation: ack_timeout always (roce_adp_retrans_en = 0)");
    for (int i = 0; i < legendLines() - 1; i++) {
      AdpRange range = profile.range(i);
      legendLine(
          i + 1,
          "range "
              + i
              + ": exponents "
              + range.lowBound()
              + ".."
              + range.top()
              + ", "
              + AdpTables.time(profile.timeNs(range.lowBound()))
              + " to "
              + AdpTables.time(profile.timeNs(range.top()))
              + ", each armed "
              + range.retryNum()
              + " x, down by "
              + range.decMode()
              + (i == 0 ? ", then it stays" : ", then to range " + range.prevRangeIndex()));
    }
  }

  private void legendLine(int line, String text) {
    double at = LEGEND_TOP + LEGEND_LINE * line;
    page.box(LEFT, at - 10, 22, 10, COLOURS[line]);
    page.text(LEFT + 30, at, Anchor.START, 12, "#222222", text);
  }
}
