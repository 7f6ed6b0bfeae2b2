package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real runs, short ones, of what RT is measured beside: every message arrives once, whole and in
 * order.
 */
class PeerRunTest extends ShortRuns {
  private JsonNode carry(String transport, String op, String sizes, double loss) throws Exception {
    final Set<Path> before = aeronDirectories();
    JsonNode report =
        run(
            0,
            "load --transport %s --op %s --sizes %s --connections 2 --mtu 1408 --rate 20 --warmup 0s --duration 500ms --loss %s"
                .formatted(transport, op, sizes, loss));
    assertKeys(report);
    assertNothingWrong(report);
    assertDue(report, 10);
    assertThat(report.get("mtu").asInt()).isEqualTo(1_408);
    if (loss > 0) {
      JsonNode counts = report.get("impairment").get("counts");
      assertThat(counts.get("dropped").asLong()).isPositive();
    }
    assertThat(aeronDirectories()).as("left behind").isSubsetOf(before);
    return report;
  }

  @ParameterizedTest
  @CsvSource({"aeron, echo, '64,20k'", "quic, pull, '16,20k'", "kcp, push, '64,20k'"})
  void shouldLoseNothingWhereTheProxyLoses(String transport, String op, String sizes)
      throws Exception {
    carry(transport, op, sizes, 0.05);
  }

  @Test
  void shouldCarryMessagesBeyondWhatAeronTakesAtOnceByAnInvokedDriver() throws Exception {
    assertThat(carry("aeron:invoker", "pull", "16,3m", 0).get("gso").asBoolean()).isFalse();
  }

  @Tag("proof")
  @ParameterizedTest
  @CsvSource({
    "aeron, push, '64,3m'",
    "aeron, pull, '16,20k'",
    "aeron:invoker, push, '64,20k'",
    "aeron:invoker, echo, '64,20k'",
    "quic, push, '64,1m'",
    "quic, echo, '64,20k'",
    "kcp, pull, '16,1m'",
    "kcp, echo, '64,20k'",
  })
  void shouldCarryEveryOperation(String transport, String op, String sizes) throws Exception {
    carry(transport, op, sizes, 0);
    carry(transport, op, sizes, 0.02);
  }

  /** Of any process, for the server is another one. */
  private static Set<Path> aeronDirectories() throws IOException {
    Path memory = Path.of("/dev/shm");
    Path home = Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
    try (Stream<Path> files = Files.list(home)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("rt-load-aeron-"))
          .collect(Collectors.toSet());
    }
  }
}
