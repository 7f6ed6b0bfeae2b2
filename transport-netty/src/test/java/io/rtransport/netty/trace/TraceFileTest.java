package io.rtransport.netty.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A trace file holds nobody up, and says what it left out. */
@Timeout(60)
class TraceFileTest {
  @TempDir Path directory;

  @Test
  void shouldKeepEveryLineInOrder() throws Exception {
    Path file = directory.resolve("trace");
    try (TraceFile trace = new TraceFile(file)) {
      for (int i = 0; i < 1_000; i++) {
        trace.accept("{\"event\":\"" + i + "\"}");
      }
    }
    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSize(1_000);
    assertThat(lines.get(999)).isEqualTo("{\"event\":\"999\"}");
  }

  @Test
  void shouldCountWhatItHasNoPlaceFor() throws Exception {
    Path file = directory.resolve("trace");
    int count = 100_000;
    try (TraceFile trace = new TraceFile(file, 1)) {
      for (int i = 0; i < count; i++) {
        trace.accept("{}");
      }
    }
    List<String> lines = Files.readAllLines(file);
    Map<?, ?> last = (Map<?, ?>) Json.parse(lines.get(lines.size() - 1));
    assertThat(last.get("event")).isEqualTo("omitted");
    long omitted = ((Number) last.get("lines")).longValue();
    assertThat(omitted).isPositive();
    assertThat(lines.size() - 1 + omitted).isEqualTo(count);
  }
}
