package io.rtransport.core.stats;

import io.rtransport.core.text.PrintedTable;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** docs/reference/counters.md has each counter, with its sentence. */
class CounterPageTest {
  @Test
  void shouldPrintEveryCounter() throws IOException {
    List<Function<CounterId, String>> columns = List.of(CounterId::sentence);
    String table =
        PrintedTable.of(
            "counter",
            List.of(CounterId.values()),
            counter -> "`" + counter + "`",
            columns,
            column -> "what it counts",
            (counter, column) -> column.apply(counter));
    PrintedTable.check(getClass(), "reference/counters.md", "counters", table);
  }
}
