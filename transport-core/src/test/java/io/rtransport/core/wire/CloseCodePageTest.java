package io.rtransport.core.wire;

import io.rtransport.core.text.PrintedTable;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/reference/errors.md has each close code, with its number and its sentence. */
class CloseCodePageTest {
  private enum Column {
    CODE("number"),
    SENTENCE("what it means");

    private final String title;

    Column(String title) {
      this.title = title;
    }

    String cell(CloseCode code) {
      return this == CODE ? String.valueOf(code.code()) : code.sentence();
    }
  }

  @Test
  void shouldPrintEveryCode() throws IOException {
    String table =
        PrintedTable.of(
            "code",
            List.of(CloseCode.values()),
            code -> "`" + code + "`",
            List.of(Column.values()),
            column -> column.title,
            (code, column) -> column.cell(code));
    PrintedTable.check(getClass(), "reference/errors.md", "codes", table);
  }
}
