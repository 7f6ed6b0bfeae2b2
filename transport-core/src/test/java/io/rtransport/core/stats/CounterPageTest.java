package io.rtransport.core.stats;

import io.rtransport.core.text.PrintedTable;
import io.rtransport.core.text.PrintedTable.Column;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/reference/counters.md has each counter, with its sentence. */
class CounterPageTest {
  @Test
  void shouldPrintEveryCounter() throws IOException {
    String table =
        PrintedTable.of(
            "counter",
            List.of(CounterId.values()),
            counter -> "`" + counter + "`",
            List.of(new Column<>("what it counts", CounterId::sentence)));
    PrintedTable.check(getClass(), "reference/counters.md", "counters", table);
  }
}
