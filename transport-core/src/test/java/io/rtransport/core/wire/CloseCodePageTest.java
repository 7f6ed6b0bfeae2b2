package io.rtransport.core.wire;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.text.PrintedTable;
import io.rtransport.core.text.PrintedTable.Column;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/reference/errors.md has each close code, with its number and its sentence. */
class CloseCodePageTest {
  @Test
  void shouldPrintEveryCode() throws IOException {
    String table =
        PrintedTable.of(
            "code",
            List.of(CloseCode.values()),
            code -> "`" + code + "`",
            List.of(
                new Column<>("number", code -> String.valueOf(code.code())),
                new Column<>("what it means", CloseCode::sentence)));
    PrintedTable.check(getClass(), "reference/errors.md", "codes", table);
  }
}
