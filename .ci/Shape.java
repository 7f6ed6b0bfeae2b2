import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Counts the shape of the code: knots, which are top-level classes that depend on each other in a
 * circle, and cycles of packages, by jdeps on compiled classes; public types; lines. Fails where
 * the largest knot, or all together, are larger than the limit in {@code .ci/shape.limits}. Run by
 * {@code .ci/shape}.
 */
public final class Shape {
  private static final List<String> MODULES =
      List.of(
          "transport-core", "simulator", "transport-netty", "command-line", "loadgen", "demo-apps");
  private static final Pattern EDGE = Pattern.compile("\\s+(\\S+)\\s+->\\s+(\\S+)\\s+\\S+.*");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern PUBLIC_TYPE =
      Pattern.compile(
          "(?m)^\\s*public (?:static |final |abstract |sealed |non-sealed )*"
              + "(?:class|interface|enum|record|@interface) \\w");

  private Shape() {}

  public static void main(String[] args) throws IOException {
    Map<String, Integer> figures = new TreeMap<>();
    for (String module : MODULES) {
      Map<String, Set<String>> classes = dependencies(Path.of(module, "target", "classes", "io"));
      print(module, "class", knots(classes), figures);
      print(module, "package", knots(byPackage(classes)), figures);
      Path main = Path.of(module, "src", "main");
      System.out.printf(
          "%s: %,d classes, %d public types, %,d lines of main, %,d of test%n",
          module,
          classes.size(),
          publicTypes(main),
          lines(main, ".java"),
          lines(Path.of(module, "src", "test"), ".java"));
    }
    System.out.printf("docs: %,d lines%n", lines(Path.of("docs"), ".md"));
    check(figures, limits(Path.of(".ci", "shape.limits")));
  }

  /** What each top-level class depends on, of the same module. */
  private static Map<String, Set<String>> dependencies(Path classes) {
    StringWriter out = new StringWriter();
    ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
    int status =
        jdeps.run(
            new PrintWriter(out), new PrintWriter(System.err), "-v", "--ignore-missing-deps",
            "-filter:none", classes.toString());
    if (status != 0) {
      fail("jdeps " + classes + " failed: " + out);
    }
    Map<String, Set<String>> edges = new TreeMap<>();
    for (String line : out.toString().lines().toList()) {
      Matcher edge = EDGE.matcher(line);
      if (edge.matches()) {
        String from = topLevel(edge.group(1));
        String to = topLevel(edge.group(2));
        Set<String> all = edges.computeIfAbsent(from, name -> new TreeSet<>());
        if (!from.equals(to)) {
          all.add(to);
        }
      }
    }
    if (edges.isEmpty()) {
      fail("no classes in " + classes + ": compile first");
    }
    edges.values().forEach(to -> to.retainAll(edges.keySet()));
    return edges;
  }

  private static String topLevel(String name) {
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  private static Map<String, Set<String>> byPackage(Map<String, Set<String>> classes) {
    Map<String, Set<String>> packages = new TreeMap<>();
    classes.forEach(
        (from, all) -> {
          Set<String> to = packages.computeIfAbsent(packageOf(from), name -> new TreeSet<>());
          all.stream().map(Shape::packageOf).filter(p -> !p.equals(packageOf(from))).forEach(to::add);
        });
    return packages;
  }

  private static String packageOf(String name) {
    return name.substring(0, name.lastIndexOf('.'));
  }

  /** The strongly connected components of more than one node, largest first (Tarjan). */
  private static List<List<String>> knots(Map<String, Set<String>> edges) {
    List<List<String>> knots = new ArrayList<>();
    Tarjan tarjan = new Tarjan(edges, knots);
    edges.keySet().forEach(tarjan::visit);
    knots.sort(Comparator.comparingInt((List<String> knot) -> -knot.size()));
    return knots;
  }

  private static final class Tarjan {
    private final Map<String, Set<String>> edges;
    private final List<List<String>> knots;
    private final Map<String, Integer> indices = new HashMap<>();
    private final Map<String, Integer> lows = new HashMap<>();
    private final ArrayDeque<String> stack = new ArrayDeque<>();

    Tarjan(Map<String, Set<String>> edges, List<List<String>> knots) {
      this.edges = edges;
      this.knots = knots;
    }

    void visit(String node) {
      if (indices.containsKey(node)) {
        return;
      }
      int index = indices.size();
      indices.put(node, index);
      lows.put(node, index);
      stack.push(node);
      for (String next : edges.get(node)) {
        if (!indices.containsKey(next)) {
          visit(next);
          lows.merge(node, lows.get(next), Math::min);
        } else if (stack.contains(next)) {
          lows.merge(node, indices.get(next), Math::min);
        }
      }
      if (lows.get(node) == index) {
        List<String> knot = new ArrayList<>();
        String member;
        do {
          member = stack.pop();
          knot.add(member);
        } while (!member.equals(node));
        if (knot.size() > 1) {
          knots.add(knot);
        }
      }
    }
  }

  private static void print(
      String module, String kind, List<List<String>> knots, Map<String, Integer> figures) {
    int largest = knots.isEmpty() ? 0 : knots.get(0).size();
    int all = knots.stream().mapToInt(List::size).sum();
    figures.put(module + " " + kind + " largest", largest);
    figures.put(module + " " + kind + " all", all);
    System.out.printf("%s: knots of its %s graph: largest %d, all together %d%n", module, kind, largest, all);
    for (List<String> knot : knots) {
      String names =
          knot.stream()
              .map(name -> kind.equals("class") ? name.substring(name.lastIndexOf('.') + 1) : name)
              .sorted()
              .collect(Collectors.joining(" "));
      System.out.printf("  %d: %s%n", knot.size(), names);
    }
  }

  /** Public types, of those packages only that module-info exports to all where there is one. */
  private static long publicTypes(Path under) throws IOException {
    Path info = under.resolve("java/module-info.java");
    String module = Files.exists(info) ? Files.readString(info) : null;
    long sum = 0;
    for (Path file : files(under, ".java")) {
      String source = Files.readString(file);
      Matcher in = PACKAGE.matcher(source);
      if (module == null || in.find() && module.contains("exports " + in.group(1) + ";")) {
        sum += PUBLIC_TYPE.matcher(source).results().count();
      }
    }
    return sum;
  }

  private static long lines(Path under, String suffix) throws IOException {
    long sum = 0;
    for (Path file : files(under, suffix)) {
      sum += Files.readString(file).lines().count();
    }
    return sum;
  }

  private static List<Path> files(Path under, String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(under)) {
      return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    }
  }

  /** A line: module, kind, how large the largest knot may be, and all together. */
  private static Map<String, Integer> limits(Path file) throws IOException {
    Map<String, Integer> limits = new TreeMap<>();
    for (String line : Files.readAllLines(file)) {
      if (!line.isBlank() && !line.startsWith("#")) {
        String[] parts = line.trim().split("\\s+");
        limits.put(parts[0] + " " + parts[1] + " largest", Integer.parseInt(parts[2]));
        limits.put(parts[0] + " " + parts[1] + " all", Integer.parseInt(parts[3]));
      }
    }
    return limits;
  }

  private static void check(Map<String, Integer> figures, Map<String, Integer> limits) {
    if (!figures.keySet().equals(limits.keySet())) {
      fail("shape.limits names " + limits.keySet() + ", counted were " + figures.keySet());
    }
    figures.forEach(
        (what, size) -> {
          int limit = limits.get(what);
          if (size > limit) {
            fail("knots have grown: " + what + " " + size + ", the limit is " + limit);
          }
          if (size < limit) {
            System.out.printf("%s: lower the limit from %d to %d%n", what, limit, size);
          }
        });
  }

  private static void fail(String text) {
    System.err.println("shape: " + text);
    System.exit(1);
  }
}
