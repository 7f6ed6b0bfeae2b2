package io.rtransport.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The table in docs/guide/channels.md is the one that the contract tests assert. {@code
 * -Drt.tables=write} writes it anew.
 */
class DifferencesDocTest {
  private static final Path PAGE = Path.of("..", "docs", "guide", "channels.md");
  private static final String BEGIN = "<!-- DifferencesDocTest writes this -->\n";
  private static final String END = "<!-- end -->\n";

  @Test
  void shouldShowEveryDifferenceThatTheContractTestsAssert() throws Exception {
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END, begin);
    assertThat(begin).as("the table's place").isGreaterThan(BEGIN.length());
    if ("write".equals(System.getProperty("rt.tables"))) {
      page = page.substring(0, begin) + Difference.table() + page.substring(end);
      Files.writeString(PAGE, page);
      end = page.indexOf(END, begin);
    }
    assertThat(page.substring(begin, end)).isEqualTo(Difference.table());
  }
}
