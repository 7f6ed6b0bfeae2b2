package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Connections that are set up and silent, on two event loops a side, in two processes: what each
 * costs. {@code -Drt.connections=N} sets up more; with 10,000 the process needs as many file
 * descriptors.
 */
@Timeout(300)
class IdleConnectionsTest {
  private static final int CONNECTIONS = Integer.getInteger("rt.connections", 1_000);
  private static final int SERVER_HEAP_BYTES_MAX = 4 << 10;

  /**
   * The client lives in the tests' own JVM, whose leak detection and classes are in the figure;
   * alone it is below 5 KiB.
   */
  private static final int CLIENT_HEAP_BYTES_MAX = 7 << 10;

  @TempDir private Path directory;

  private JsonNode idle(int connections, String times) throws Exception {
    Path json = directory.resolve(connections + ".json");
    StringWriter out = new StringWriter();
    CommandLine command = LoadCommand.commandLine();
    command.setOut(new PrintWriter(out, true));
    command.setErr(new PrintWriter(out, true));
    String arguments =
        "load --transport rt --op idle --threads 2 "
            + times
            + " --connections "
            + connections
            + " --json "
            + json;
    assertThat(command.execute(arguments.split(" "))).as(out.toString()).isZero();
    return new ObjectMapper().readTree(json.toFile());
  }

  @Test
  void shouldHoldThousandsThatCostLittleMemoryAndWakeNobody() throws Exception {
    String noWait = "--warmup 0s --duration 500ms"; // of what this gives only the heap counts
    idle(2, noWait); // loads what is needed, the reading of the result included
    JsonNode few = idle(2, noWait); // classes, buffers, what event loops hold
    JsonNode many = idle(CONNECTIONS, "--warmup 2s --duration 4s");
    for (String side : new String[] {"client", "server"}) {
      long grown =
          many.get("heapUsedBytes").get(side).asLong()
              - few.get("heapUsedBytes").get(side).asLong();
      assertThat(grown / CONNECTIONS)
          .as("heap bytes a connection, %s", side)
          .isPositive()
          .isLessThanOrEqualTo(
              side.equals("server") ? SERVER_HEAP_BYTES_MAX : CLIENT_HEAP_BYTES_MAX);
      assertThat(many.get("wakeups").get(side).asLong())
          .as("wake-ups of the event loops in 4 s, %s", side)
          .isLessThan(CONNECTIONS / 10);
    }
    assertThat(many.get("connectSeconds").asDouble())
        .isBetween(0.0, 120.0); // 30 on a quiet machine
    System.out.printf(
        "%,d idle connections: connected in %.1f s; heap of the client %,d, of the server %,d bytes each; wake-ups %s%n",
        CONNECTIONS,
        many.get("connectSeconds").asDouble(),
        (many.get("heapUsedBytes").get("client").asLong()
                - few.get("heapUsedBytes").get("client").asLong())
            / CONNECTIONS,
        (many.get("heapUsedBytes").get("server").asLong()
                - few.get("heapUsedBytes").get("server").asLong())
            / CONNECTIONS,
        many.get("wakeups"));
  }
}
