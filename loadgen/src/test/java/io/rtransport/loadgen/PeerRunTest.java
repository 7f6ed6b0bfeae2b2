package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real runs, short ones, of what RT is measured beside: every message arrives once, whole and in order. */
class PeerRunTest extends ShortRuns {
  @ParameterizedTest
  @CsvSource({
    // Within a frame of Aeron, in several, and beyond what it takes at once.
    "aeron, echo, '64,20k', 2",
    "aeron:invoker, pull, '16,3m', 2",
    "aeron:invoker, push, '64,20k', 1",
    "quic, pull, '16,20k', 2",
  })
  void shouldCarryMessagesOfEveryLengthWithNothingWrong(
      String transport, String op, String sizes, int connections) throws Exception {
    JsonNode report =
        run(
            0,
            "load --transport %s --op %s --sizes %s --connections %d --mtu 1408 --rate 20 --warmup 0s --duration 500ms"
                .formatted(transport, op, sizes, connections));
    assertKeys(report);
    assertNothingWrong(report);
    assertDue(report, 10);
    assertThat(report.get("mtu").asInt()).isEqualTo(1_408);
  }

  @ParameterizedTest
  @CsvSource({"aeron", "quic"})
  void shouldLoseNothingWhereTheProxyLoses(String transport) throws Exception {
    JsonNode report =
        run(
            0,
            "load --transport %s --rate 500 --mtu 1408 --warmup 0s --duration 500ms --loss 0.05"
                .formatted(transport));
    assertNothingWrong(report);
    assertDue(report, 250);
    assertThat(report.get("impairment").get("counts").get("dropped").asLong()).isPositive();
  }

  @Test
  void shouldLeaveNoFileOfAeronBehind() throws Exception {
    run(0, "load --transport aeron --op idle --warmup 0s --duration 100ms");
    assertThat(aeronDirectories()).isEmpty();
  }

  private static List<Path> aeronDirectories() throws IOException {
    Path memory = Path.of("/dev/shm");
    Path home = Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
    try (Stream<Path> files = Files.list(home)) {
      String ours = "rt-load-aeron-" + ProcessHandle.current().pid() + "-";
      return files.filter(file -> file.getFileName().toString().startsWith(ours)).toList();
    }
  }
}
