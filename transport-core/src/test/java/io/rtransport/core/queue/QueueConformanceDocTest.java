package io.rtransport.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * docs/reference/queue-conformance.md has each sentence of the document in its order, names tests
 * that are there, and counts right.
 */
class QueueConformanceDocTest {
  /** Lines of the document that say what is done, and their number of sentences. */
  private static final int[][] SENTENCES = {{16, 5}, {25, 2}, {27, 5}, {29, 7}, {31, 4}};

  /** The sentence of line 31 that does two things has two rows. */
  private static final String HALVED = "31.3";

  private static final int OPEN_POINTS = 12;
  private static final String AS_WRITTEN = "as written";
  private static final String OTHERWISE = "otherwise";
  private static final Set<String> STATES = Set.of(AS_WRITTEN, OTHERWISE, "not ours");
  private static final Pattern TEST = Pattern.compile("`(\\w+)#(\\w+)`");
  private static final String DEPARTURE = "](departures.md#interrupt-timers-and-summary-bytes)";

  private final Path root = Path.of("").toAbsolutePath().getParent();
  private final List<String> lines =
      Files.readAllLines(root.resolve("docs/reference/queue-conformance.md"));

  QueueConformanceDocTest() throws IOException {}

  /** Returns the cells of the rows of the table whose first heading is {@code first}. */
  private List<String[]> tableOf(String first, int columns) {
    List<String[]> rows = new ArrayList<>();
    boolean isInside = false;
    for (String line : lines) {
      if (line.startsWith("| " + first + " |")) {
        isInside = true;
      } else if (!line.startsWith("|")) {
        isInside = false;
      } else if (isInside && !line.startsWith("|---")) {
        String[] cells = line.substring(2, line.length() - 2).split(" \\| ", -1);
        assertThat(cells).as(line).hasSize(columns).doesNotContain("");
        rows.add(cells);
      }
    }
    return rows;
  }

  @Test
  void shouldHaveEachSentenceInItsOrder() {
    List<String> expected = new ArrayList<>();
    for (int[] line : SENTENCES) {
      for (int sentence = 1; sentence <= line[1]; sentence++) {
        String number = line[0] + "." + sentence;
        if (number.equals(HALVED)) {
          expected.add(number + " first half");
          expected.add(number + " second half");
        } else {
          expected.add(number);
        }
      }
    }
    assertThat(tableOf("sentence", 4)).extracting(cells -> cells[0]).isEqualTo(expected);
    assertThat(lines.get(2)).contains(" " + (expected.size() - 1) + " sentences say what is done");
  }

  @Test
  void shouldGiveEachSentenceAStateAndWhatBelongsToIt() {
    for (String[] cells : tableOf("sentence", 4)) {
      assertThat(STATES).as(cells[0]).contains(cells[2]);
      boolean hasTest = TEST.matcher(cells[3]).find();
      boolean isBuilt = cells[2].equals(AS_WRITTEN) || cells[2].equals(OTHERWISE);
      assertThat(hasTest).as("%s: a test", cells[0]).isEqualTo(isBuilt);
      assertThat(cells[3].contains(DEPARTURE))
          .as("%s: its departure", cells[0])
          .isEqualTo(cells[2].equals(OTHERWISE));
    }
  }

  @Test
  void shouldCountTheSentencesOfEachState() {
    Map<String, Integer> counted = new HashMap<>();
    tableOf("sentence", 4).forEach(cells -> counted.merge(cells[2], 1, Integer::sum));
    Map<String, Integer> told = new HashMap<>();
    tableOf("state", 3).forEach(cells -> told.put(cells[0], Integer.valueOf(cells[1])));
    assertThat(told).isEqualTo(counted);
  }

  @Test
  void shouldDecideEachOpenPointByATest() {
    List<String[]> rows = tableOf("no.", 4);
    assertThat(rows).hasSize(OPEN_POINTS);
    for (int i = 0; i < OPEN_POINTS; i++) {
      assertThat(rows.get(i)[0]).isEqualTo("O" + (i + 1));
      assertThat(TEST.matcher(rows.get(i)[3]).find()).as(rows.get(i)[0]).isTrue();
    }
  }

  @Test
  void shouldNameTestsThatAreThere() throws IOException {
    Path tests = Path.of("src/test/java/io/rtransport/core/queue");
    Set<String> missing = new TreeSet<>();
    int names = 0;
    for (String line : lines) {
      Matcher test = TEST.matcher(line);
      while (test.find()) {
        names++;
        Path file = tests.resolve(test.group(1) + ".java");
        if (!Files.exists(file)
            || !Files.readString(file).contains("void " + test.group(2) + "(")) {
          missing.add(test.group());
        }
      }
    }
    assertThat(names).isGreaterThan(30);
    assertThat(missing).isEmpty();
  }
}
