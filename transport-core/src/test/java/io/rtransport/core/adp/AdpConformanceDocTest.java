package io.rtransport.core.adp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * docs/reference/adp-conformance.md lists the conformance tests, each under the sentence that it
 * cites: no row without a test, no test without a row.
 */
class AdpConformanceDocTest {
  private static final Pattern CITED =
      Pattern.compile("@DisplayName\\(\\s*\"([^\"]+)\"\\)\\s+void (\\w+)\\(");

  /** {@code | sentence | in short | `Class#test` | remark |}. */
  private static final Pattern ROW =
      Pattern.compile("^\\| ([^|]+) \\| ([^|]+) \\| `(\\w+#\\w+)` \\|.*\\|$");

  private final Path root = Path.of("").toAbsolutePath().getParent();

  @Test
  void shouldListEveryConformanceTestUnderTheSentenceItCites() throws IOException {
    List<String> tests = new ArrayList<>();
    for (String name :
        new String[] {
          "transport-core/src/test/java/io/rtransport/core/adp/AdpFlowTest",
          "simulator/src/test/java/io/rtransport/core/connection/AdpFlowConnectionTest"
        }) {
      Path file = root.resolve(name + ".java");
      Matcher cited = CITED.matcher(Files.readString(file));
      while (cited.find()) {
        tests.add(cited.group(1) + " | " + name.replaceFirst(".*/", "") + "#" + cited.group(2));
      }
    }
    List<String> rows = new ArrayList<>();
    for (String line : Files.readAllLines(root.resolve("docs/reference/adp-conformance.md"))) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        rows.add(row.group(1) + ": " + row.group(2) + " | " + row.group(3));
      }
    }
    assertThat(tests).hasSizeGreaterThan(25).doesNotHaveDuplicates();
    assertThat(rows).containsExactlyInAnyOrderElementsOf(tests);
  }
}
