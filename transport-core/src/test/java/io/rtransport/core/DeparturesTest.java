package io.rtransport.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * docs/reference/departures.md promises a test and a canary for each departure: those it names
 * exist, and no row that is built goes without.
 */
class DeparturesTest {
  private static final Pattern TEST = Pattern.compile("`(\\w+)#(\\w+)`");
  private static final Pattern CLASS = Pattern.compile("`([A-Z]\\w+)`");
  private static final int TEST_COLUMN = 5;

  private final Path root = Path.of("").toAbsolutePath().getParent();

  @Test
  void shouldNameOnlyTestsThatExist() throws IOException {
    Matcher named = TEST.matcher(Files.readString(root.resolve("docs/reference/departures.md")));
    int count = 0;
    while (named.find()) {
      count++;
      Path file = source("src/test/java", named.group(1));
      assertThat(file).as("test class %s", named.group(1)).isNotNull();
      assertThat(Files.readString(file)).contains("void " + named.group(2) + "(");
    }
    assertThat(count).isGreaterThan(10);
  }

  @Test
  void shouldNameAClassATestAndACanaryInEveryRowThatIsBuilt() throws IOException {
    int rows = 0;
    for (String row : builtRows()) {
      String[] cells = row.split("\\|");
      assertThat(cells).as(row).hasSizeGreaterThan(TEST_COLUMN);
      assertThat(TEST.matcher(cells[TEST_COLUMN]).find()).as(row).isTrue();
      assertThat(cells[TEST_COLUMN]).as(row).contains(", canary `");
      Matcher named = CLASS.matcher(cells[TEST_COLUMN - 1]);
      assertThat(named.find()).as(row).isTrue();
      do {
        assertThat(source("src/main/java", named.group(1))).as(named.group(1)).isNotNull();
      } while (named.find());
      rows++;
    }
    assertThat(rows).isGreaterThanOrEqualTo(44);
  }

  /** Rows of tables that have a column for the test, without their two head lines. */
  private List<String> builtRows() throws IOException {
    List<String> rows = new ArrayList<>();
    boolean isBuilt = false;
    for (String line : Files.readAllLines(root.resolve("docs/reference/departures.md"))) {
      if (line.startsWith("#")) {
        isBuilt = !line.endsWith("later");
      } else if (isBuilt
          && line.startsWith("|")
          && !line.startsWith("|-")
          && !line.startsWith("| it says")) {
        rows.add(line);
      }
    }
    return rows;
  }

  private Path source(String folder, String className) throws IOException {
    for (String module :
        new String[] {"transport-core", "simulator", "transport-netty", "demo-apps"}) {
      Path sources = root.resolve(module).resolve(folder);
      if (Files.isDirectory(sources)) {
        try (Stream<Path> files = Files.walk(sources)) {
          Path found = files.filter(f -> f.endsWith(className + ".java")).findFirst().orElse(null);
          if (found != null) {
            return found;
          }
        }
      }
    }
    return null;
  }
}
