import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Plots of RT beside other transports, drawn from the tables of a results page. Measures nothing.
 *
 * <pre>
 *   java loadgen/scripts/Compared.java docs/results/2026-11-24-comparison.md docs/figures
 * </pre>
 *
 * Writes {@code compare-push.svg} and {@code compare-echo.svg} into the directory. Exit status 2:
 * wrong arguments; 1: a row or a figure is not in the page.
 */
public class Compared {
  static final Map<String, String> COLOURS =
      new TreeMap<>(
          Map.of(
              "rt", "#0a58ca",
              "rt:busy", "#0a58ca",
              "tcp", "#d9480f",
              "aeron", "#2b8a3e",
              "aeron:invoker", "#2b8a3e",
              "udp", "#868e96",
              "udp:gso", "#495057"));

  static final List<String> PUSHES = List.of("rt", "tcp", "aeron", "udp", "udp:gso");
  static final int WIDTH = 430;
  static final int HEIGHT = 270;
  static final int BOTTOM = 220;
  static final int TOP = 62;

  /** One transport's latencies in a row of the table of echoes, in microseconds. */
  record Latency(String group, String transport, String p50, String p99) {}

  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      System.err.println("usage: java loadgen/scripts/Compared.java PAGE DIRECTORY");
      System.exit(2);
    }
    Path page = Path.of(args[0]);
    List<List<String>> rows =
        Files.readAllLines(page).stream()
            .filter(line -> line.startsWith("| "))
            .map(line -> Stream.of(line.substring(1).split("\\|")).map(String::strip).toList())
            .toList();
    String source = page.getFileName().toString().replace(".md", "");
    Path directory = Files.createDirectories(Path.of(args[1]));
    Files.writeString(directory.resolve("compare-push.svg"), pushes(rows, source));
    Files.writeString(directory.resolve("compare-echo.svg"), echoes(rows, source));
  }

  /** The cells of the row that begins with {@code name}. */
  static List<String> row(List<List<String>> rows, String name) {
    return rows.stream()
        .filter(cells -> cells.get(0).equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no row: " + name));
  }

  /** Bars from zero up: messages of 64 bytes on a scale of their own, the others in MB/s. */
  static String pushes(List<List<String>> rows, String source) {
    List<String> names = List.of("64 B, M/s", "1 KiB, MB/s", "16 KiB, MB/s", "1 MiB, MB/s");
    double most = names.subList(1, 4).stream().mapToDouble(name -> most(row(rows, name))).max().orElseThrow();
    StringBuilder marks = new StringBuilder();
    double x = 14;
    for (String name : names) {
      List<String> cells = row(rows, name);
      double scale = name.equals(names.get(0)) ? most(cells) : most;
      double from = x;
      for (String transport : PUSHES) {
        String figure = cells.get(1 + PUSHES.indexOf(transport));
        if (!figure.equals("–")) {
          double y = BOTTOM - (BOTTOM - TOP - 32) * number(figure) / scale;
          marks.append(
              String.format(
                  Locale.ROOT,
                  "<rect x='%.1f' y='%.1f' width='16' height='%.1f' fill='%s'/>",
                  x, y, BOTTOM - y, COLOURS.get(transport)));
          marks.append(
              String.format(
                  Locale.ROOT,
                  "<text transform='translate(%.1f %.1f) rotate(-90)'>%s</text>",
                  x + 12, y - 4, figure));
          x += 18;
        }
      }
      marks.append(text((from + x) / 2, BOTTOM + 15, name));
      x += 24;
    }
    marks.append(line(8, BOTTOM, WIDTH - 8, BOTTOM));
    return svg("Pushes of one connection, datagrams of 1,408 bytes: more is better", source, legend(PUSHES), marks);
  }

  /** A line for each transport from its p50 up to its p99, on a logarithmic scale. */
  static String echoes(List<List<String>> rows, String source) {
    List<Latency> latencies = new ArrayList<>();
    add(latencies, "one in flight", row(rows, "closed loop, one in flight"), "udp");
    add(latencies, "never sleeping", row(rows, "the same, loops that never sleep"), "aeron:invoker");
    add(latencies, "10,000/s", row(rows, "open loop, 10,000/s"), "aeron");
    add(latencies, "50,000/s", row(rows, "open loop, 50,000/s"), "aeron");
    StringBuilder marks = new StringBuilder();
    for (int decade = 10; decade <= 10_000; decade *= 10) {
      marks.append(line(38, height(decade), WIDTH - 4, height(decade)));
      marks.append(text(18, height(decade) + 3, String.format(Locale.ROOT, "%,d", decade)));
    }
    double x = 58;
    double from = x;
    for (int i = 0; i < latencies.size(); i++) {
      Latency latency = latencies.get(i);
      double low = height(number(latency.p50));
      double high = height(number(latency.p99));
      marks.append(
          String.format(
              Locale.ROOT,
              "<path d='M%.1f %.1fV%.1f' stroke='%s' stroke-width='5' stroke-linecap='round'/>",
              x, low, high, COLOURS.get(latency.transport)));
      marks.append(text(x, low + 14, latency.p50)).append(text(x, high - 6, latency.p99));
      boolean isLast = i + 1 == latencies.size() || !latencies.get(i + 1).group.equals(latency.group);
      if (isLast) {
        marks.append(text((from + x) / 2, BOTTOM + 22, latency.group));
      }
      x += isLast ? 46 : 31;
      from = isLast ? x : from;
    }
    return svg(
        "Echoes of 64 bytes, µs from p50 (below) to p99 (above): less is better",
        source,
        legend(List.of("rt", "tcp", "aeron", "udp")),
        marks);
  }

  static void add(List<Latency> latencies, String group, List<String> cells, String other) {
    List<String> transports = List.of(other.equals("aeron:invoker") ? "rt:busy" : "rt", "tcp", other);
    for (int i = 0; i < transports.size(); i++) {
      Matcher figures = Pattern.compile("([0-9.,]+) / [0-9.,]+ / ([0-9.,]+)").matcher(cells.get(1 + i));
      if (figures.find()) {
        latencies.add(new Latency(group, transports.get(i), figures.group(1), figures.group(2)));
      } else if (!cells.get(1 + i).isEmpty()) {
        throw new IllegalStateException("no latencies: " + cells.get(1 + i));
      }
    }
  }

  /** From 10 µs at the bottom to 10 ms at the top. */
  static double height(double micros) {
    return BOTTOM - 4 - (BOTTOM - 4 - TOP) * (Math.log10(micros) - 1) / 3;
  }

  static double most(List<String> cells) {
    return cells.subList(1, 1 + PUSHES.size()).stream()
        .filter(figure -> !figure.equals("–"))
        .mapToDouble(Compared::number)
        .max()
        .orElseThrow();
  }

  static double number(String figure) {
    return Double.parseDouble(figure.replace(",", ""));
  }

  static String legend(List<String> transports) {
    StringBuilder legend = new StringBuilder();
    double x = 12;
    for (String transport : transports) {
      legend.append(
          String.format(
              Locale.ROOT,
              "<rect x='%.1f' y='28' width='9' height='9' fill='%s'/><text x='%.1f' y='36'>%s</text>",
              x, COLOURS.get(transport), x + 13, transport));
      x += 72;
    }
    return legend.toString();
  }

  static String line(double x, double y, double toX, double toY) {
    return String.format(
        Locale.ROOT, "<path d='M%.1f %.1fL%.1f %.1f' stroke='#ced4da'/>", x, y, toX, toY);
  }

  static String text(double x, double y, String text) {
    return String.format(
        Locale.ROOT, "<text x='%.1f' y='%.1f' text-anchor='middle'>%s</text>", x, y, text);
  }

  static String svg(String title, String source, String legend, CharSequence marks) {
    return String.format(
            Locale.ROOT,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%1$d' height='%2$d' viewBox='0 0 %1$d %2$d' font-family='sans-serif' font-size='9'>"
                + "<rect width='%1$d' height='%2$d' fill='white'/>"
                + "<text x='12' y='16' font-size='11'>%3$s</text>",
            WIDTH, HEIGHT, title)
        + legend
        + marks
        + "<text x='12' y='"
        + (HEIGHT - 8)
        + "' fill='#868e96'>loopback, two processors, medians; docs/results/"
        + source
        + ".md</text></svg>\n";
  }
}
