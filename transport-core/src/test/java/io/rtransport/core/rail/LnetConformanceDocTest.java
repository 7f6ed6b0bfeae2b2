package io.rtransport.core.rail;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * docs/reference/lnet-conformance.md names tests and scenarios that are there, each row has a state
 * and what belongs to it, and the numbers at its top are right.
 */
class LnetConformanceDocTest {
  private static final int RULES = 193;
  private static final int CONTRADICTIONS = 38;

  private static final String AS_WRITTEN = "as written";
  private static final String OTHERWISE = "otherwise";
  private static final String NOT_OURS = "not ours";
  private static final Set<String> STATES = Set.of(AS_WRITTEN, OTHERWISE, NOT_OURS);

  private static final Pattern TEST = Pattern.compile("`(\\w+)#(\\w+)`");

  /** Behind a test, in brackets, stand the names of the rows of its table that show it. */
  private static final Pattern TABLE_ROWS =
      Pattern.compile("`(\\w+)#\\w+` \\(((?:\"[^\"]+\"(?:, )?)+)\\)");

  private static final Pattern QUOTED = Pattern.compile("\"([^\"]+)\"");
  private static final Pattern SCENARIO = Pattern.compile("scenario `([^`]+)`");
  private static final Pattern LINK = Pattern.compile("\\[[^]]+]\\([^)]+\\)");

  /** A constant of NamedScenario, at the beginning of a line. */
  private static final Pattern CONSTANT = Pattern.compile("(?m)^  ([A-Z][A-Z0-9_]*)\\(");

  private record Row(String sentence, String state, String last) {
    boolean names(Pattern what) {
      return what.matcher(last).find();
    }
  }

  private final Path root = Path.of("").toAbsolutePath().getParent();
  private final List<String> lines =
      Files.readAllLines(root.resolve("docs/reference/lnet-conformance.md"));

  LnetConformanceDocTest() throws IOException {}

  private List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (String[] cells : tablesOf("sentence", 4)) {
      rows.add(new Row(cells[0], cells[2], cells[3]));
    }
    return rows;
  }

  /** Returns the cells of the rows of all tables whose first heading is {@code first}. */
  private List<String[]> tablesOf(String first, int columns) {
    List<String[]> rows = new ArrayList<>();
    boolean isInside = false;
    for (String line : lines) {
      if (line.startsWith("| " + first + " |")) {
        isInside = true;
      } else if (!line.startsWith("|")) {
        isInside = false;
      } else if (isInside && !line.startsWith("|---")) {
        assertThat(line).startsWith("| ").endsWith(" |");
        String[] cells = line.substring(2, line.length() - 2).split(" \\| ", -1);
        assertThat(cells).as(line).hasSize(columns).doesNotContain("");
        rows.add(cells);
      }
    }
    return rows;
  }

  @Test
  void shouldGiveEachRuleAStateAndWhatBelongsToIt() {
    List<Row> rows = rows();
    assertThat(rows).hasSize(RULES);
    assertThat(rows).extracting(Row::sentence).doesNotHaveDuplicates();
    for (Row row : rows) {
      assertThat(STATES).as(row.sentence).contains(row.state);
      boolean hasProof = row.names(TEST) || row.names(SCENARIO);
      switch (row.state) {
        case AS_WRITTEN -> assertThat(hasProof).as("%s: a test", row.sentence).isTrue();
        case OTHERWISE ->
            assertThat(hasProof || row.names(LINK)).as("%s: a test", row.sentence).isTrue();
        default -> assertThat(hasProof).as("%s: nothing to show", row.sentence).isFalse();
      }
    }
  }

  @Test
  void shouldCountTheRowsOfEachState() {
    Map<String, Integer> counted = new HashMap<>();
    rows().forEach(row -> counted.merge(row.state, 1, Integer::sum));
    Map<String, Integer> told = new HashMap<>();
    for (String[] cells : tablesOf("state", 3)) {
      told.put(cells[0], Integer.valueOf(cells[1]));
    }
    assertThat(told).isEqualTo(counted);
    assertThat(lines.get(2)).contains(" " + RULES + " rules");
  }

  @Test
  void shouldNameTestsThatAreThere() throws IOException {
    Map<String, List<Path>> files = testFiles();
    Set<String> missing = new TreeSet<>();
    int names = 0;
    for (String line : lines) {
      Matcher test = TEST.matcher(line);
      while (test.find()) {
        names++;
        List<Path> found = files.getOrDefault(test.group(1), List.of());
        // A test returns nothing; a factory of tests returns a collection of them.
        Pattern method = Pattern.compile("(void|>) " + test.group(2) + "\\(");
        boolean isThere = false;
        for (Path file : found) {
          isThere |= method.matcher(Files.readString(file)).find();
        }
        if (!isThere) {
          missing.add(test.group());
        }
      }
    }
    assertThat(names).isGreaterThan(50);
    assertThat(missing).isEmpty();
  }

  @Test
  void shouldNameRowsOfTablesThatAreThere() throws IOException {
    Map<String, List<Path>> files = testFiles();
    Set<String> missing = new TreeSet<>();
    int names = 0;
    for (String line : lines) {
      Matcher rows = TABLE_ROWS.matcher(line);
      while (rows.find()) {
        StringBuilder source = new StringBuilder();
        for (Path file : files.getOrDefault(rows.group(1), List.of())) {
          source.append(Files.readString(file));
        }
        Matcher row = QUOTED.matcher(rows.group(2));
        while (row.find()) {
          names++;
          if (source.indexOf(row.group(1)) < 0) {
            missing.add(row.group(1));
          }
        }
      }
    }
    assertThat(names).isGreaterThan(5);
    assertThat(missing).isEmpty();
  }

  private Map<String, List<Path>> testFiles() throws IOException {
    Map<String, List<Path>> files = new HashMap<>();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path tests : modules.map(module -> module.resolve("src/test/java")).toList()) {
        if (Files.isDirectory(tests)) {
          try (Stream<Path> sources = Files.walk(tests)) {
            sources.forEach(
                file -> {
                  String name = file.getFileName().toString();
                  if (name.endsWith(".java")) {
                    files
                        .computeIfAbsent(name.replace(".java", ""), any -> new ArrayList<>())
                        .add(file);
                  }
                });
          }
        }
      }
    }
    return files;
  }

  @Test
  void shouldNameScenariosThatAreThere() throws IOException {
    String source =
        Files.readString(
            root.resolve("simulator/src/main/java/io/rtransport/simulator/NamedScenario.java"));
    Set<String> there = new TreeSet<>();
    Matcher constant = CONSTANT.matcher(source);
    while (constant.find()) {
      there.add(constant.group(1).toLowerCase(Locale.ROOT).replace('_', '-'));
    }
    assertThat(there).contains("rail-lost", "loss-ladder", "rails-in-use");
    Set<String> named = new TreeSet<>();
    for (String line : lines) {
      Matcher scenario = SCENARIO.matcher(line);
      while (scenario.find()) {
        named.add(scenario.group(1));
      }
    }
    assertThat(named).hasSizeGreaterThan(5);
    assertThat(there).containsAll(named);
  }

  @Test
  void shouldDecideEachContradiction() {
    List<String> numbers = new ArrayList<>();
    for (String[] cells : tablesOf("no.", 4)) {
      numbers.add(cells[0]);
    }
    List<String> all = new ArrayList<>();
    for (int i = 1; i <= CONTRADICTIONS; i++) {
      all.add("C" + i);
    }
    assertThat(numbers).isEqualTo(all);
  }
}
