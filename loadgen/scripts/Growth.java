import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How rt's cost grows: a run of {@code ./rt load} for each value of connections, message size,
 * window or loss, one table and one plot a sweep, in Markdown with the plots beside it as SVG.
 *
 * <pre>
 *   java loadgen/scripts/Growth.java DIRECTORY [SWEEP…] [-- OPTIONS OF RT LOAD]
 * </pre>
 *
 * From the top of the repository, on a machine that does nothing else. A run that failed or lost
 * messages is told as such, and is no point of the plot. 10,000 connections need {@code ulimit -n}
 * above that.
 */
public class Growth {
  /**
   * One thing that grows.
   *
   * @param option that says it, the rest of the run, its values, what is plotted and its key in the
   *     report
   */
  record Sweep(
      String name, String option, String run, List<String> values, String unit, String key) {}

  record Point(String value, String shown, double cost, String row) {}

  static final List<Sweep> SWEEPS =
      List.of(
          new Sweep(
              "connections", "--connections", "--op echo --rate 2000 --size 64",
              List.of("1", "10", "100", "1000", "10000"), "CPU µs a message", "cpu"),
          new Sweep(
              "size", "--size", "--op push --rate 0",
              List.of("16", "64", "256", "1k", "4k", "16k", "64k", "256k", "1m", "4m", "16m", "64m"),
              "MB/s", "megabytesPerSecond"),
          new Sweep(
              "window", "--window", "--op push --rate 0 --size 1k",
              List.of("64", "128", "256", "512", "1024", "2048", "4096", "8192", "16384"),
              "MB/s", "megabytesPerSecond"),
          new Sweep(
              "loss", "--loss", "--op push --rate 0 --size 64k --impair receiver",
              List.of("0", "0.0001", "0.001", "0.01", "0.02", "0.05", "0.1", "0.2", "0.3"),
              "MB/s", "megabytesPerSecond"));

  public static void main(String[] args) throws Exception {
    List<String> own = new ArrayList<>(List.of(args));
    List<String> passed = new ArrayList<>(List.of("--warmup", "2s", "--duration", "3s"));
    int dashes = own.indexOf("--");
    if (dashes >= 0) {
      passed = new ArrayList<>(own.subList(dashes + 1, own.size()));
      own = own.subList(0, dashes);
    }
    List<String> names = own.isEmpty() ? own : own.subList(1, own.size());
    List<String> known = SWEEPS.stream().map(Sweep::name).toList();
    if (own.isEmpty() || !known.containsAll(names)) {
      System.err.println(
          "usage: java loadgen/scripts/Growth.java DIRECTORY [" + String.join("|", known) + "]… [-- OPTIONS OF RT LOAD]");
      System.exit(2);
    }
    Path directory = Files.createDirectories(Path.of(own.get(0)));
    StringBuilder text = new StringBuilder("# Growth\n");
    for (Sweep sweep : SWEEPS) {
      if (names.isEmpty() || names.contains(sweep.name)) {
        List<Point> points = new ArrayList<>();
        for (String value : sweep.values) {
          System.err.println(sweep.name + " " + value);
          points.add(run(sweep, value, passed));
        }
        Files.writeString(directory.resolve(sweep.name + ".svg"), svg(sweep, points));
        text.append("\n## ").append(sweep.name).append("\n\n`./rt load ").append(sweep.run);
        text.append(' ').append(sweep.option).append(" N ").append(String.join(" ", passed));
        text.append("`\n\n![").append(sweep.name).append("](").append(sweep.name).append(".svg)\n\n");
        text.append("| ").append(sweep.name);
        text.append(" | messages/s | MB/s | p50 µs | p99 µs | CPU µs a message, both sides | heap a side, client / server MB |\n|---|---|---|---|---|---|---|\n");
        points.forEach(point -> text.append(point.row).append('\n'));
        Files.writeString(directory.resolve("growth.md"), text);
      }
    }
  }

  static Point run(Sweep sweep, String value, List<String> passed) throws Exception {
    Path json = Files.createTempFile("rt-growth", ".json");
    try {
      List<String> command = new ArrayList<>(List.of("./rt", "load"));
      command.addAll(List.of(sweep.run.split(" ")));
      command.addAll(List.of(sweep.option, value, "--json", json.toString()));
      command.addAll(passed);
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      int status = process.waitFor();
      String report = Files.readString(json);
      if (status != 0 || report.isEmpty()) {
        return new Point(value, "failed", Double.NaN, "| " + value + " | failed | | | | | |");
      }
      double rate = number(report, "messagesPerSecond");
      double cpu =
          (number(report, "cpuSeconds", "client") + number(report, "cpuSeconds", "server"))
              * 1e6
              / Math.max(1, number(report, "messages"));
      double megabytes = number(report, "megabytesPerSecond");
      String row =
          String.format(
              Locale.ROOT,
              "| %s | %,.0f | %,.1f | %,.0f | %,.0f | %,.2f | %.0f / %.0f |",
              value,
              rate,
              megabytes,
              number(report, "latencyMicros", "p50"),
              number(report, "latencyMicros", "p99"),
              cpu,
              number(report, "heapUsedBytes", "client") / 1e6,
              number(report, "heapUsedBytes", "server") / 1e6);
      double cost = sweep.key.equals("cpu") ? cpu : megabytes;
      return new Point(value, String.format(Locale.ROOT, "%,.1f", cost), cost, row);
    } finally {
      Files.delete(json);
    }
  }

  /**
   * The first number under the last of {@code keys} behind the ones before it; not a number where
   * there is none.
   */
  static double number(String report, String... keys) {
    int at = 0;
    for (String key : keys) {
      at = report.indexOf("\"" + key + "\"", at);
      if (at < 0) {
        return Double.NaN;
      }
      at += key.length() + 2;
    }
    Matcher matcher = Pattern.compile("\\s*:\\s*(-?[0-9.eE+-]+)").matcher(report);
    return matcher.region(at, report.length()).lookingAt()
        ? Double.parseDouble(matcher.group(1))
        : Double.NaN;
  }

  /** Values evenly beside each other, costs from zero up: a cliff shows as one. */
  static String svg(Sweep sweep, List<Point> points) throws IOException {
    double max = points.stream().mapToDouble(Point::cost).filter(c -> c == c).max().orElse(1);
    StringBuilder line = new StringBuilder();
    StringBuilder marks = new StringBuilder();
    for (int i = 0; i < points.size(); i++) {
      Point point = points.get(i);
      double x = 60 + i * 620.0 / Math.max(1, points.size() - 1);
      if (point.cost == point.cost) {
        double y = 260 - 220 * point.cost / max;
        line.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
        marks.append(String.format(Locale.ROOT, "<circle cx='%.1f' cy='%.1f' r='3'/>", x, y));
        marks.append(text(x, y - 8, point.shown));
      } else {
        marks.append(text(x, 252, "failed"));
      }
      marks.append(text(x, 280, point.value));
    }
    return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 740 300' font-family='sans-serif' font-size='11'>"
        + "<rect width='740' height='300' fill='white'/><path d='M60 30V260H690' fill='none' stroke='#888'/>"
        + text(120, 20, sweep.unit)
        + text(690, 296, sweep.name)
        + "<polyline fill='none' stroke='#0a58ca' stroke-width='2' points='" + line + "'/>"
        + marks + "</svg>\n";
  }

  static String text(double x, double y, String text) {
    return String.format(
        Locale.ROOT, "<text x='%.1f' y='%.1f' text-anchor='middle'>%s</text>", x, y, text);
  }
}
