package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rtransport.netty.control.ControlClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A run that tells its state while it runs. */
@Timeout(60)
class ControlledRunTest extends ShortRuns {
  private JsonNode state(Path socket) throws Exception {
    return new ObjectMapper().readTree(ControlClient.stat(socket));
  }

  @Test
  void shouldTellTheRailsOfItsClient() throws Exception {
    Path socket = directory.resolve("rt.sock");
    CompletableFuture<JsonNode> run =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return run(
                    0,
                    "load --rails 2 --op push --size 1k --warmup 500ms --duration 2s --control "
                        + socket);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    JsonNode state =
        await()
            .atMost(Duration.ofSeconds(30))
            .ignoreExceptions() // before the socket is there
            .until(
                () -> state(socket),
                each ->
                    each.get("rails").size() == 2
                        && each.get("rails").get(1).get("bytesSent").asLong() > 1 << 20);
    assertThat(state.get("interfaces").findValuesAsText("health")).containsOnly("1000");
    assertThat(state.get("connectionCount").asInt()).isEqualTo(1);
    assertNothingWrong(run.join());
    assertThat(socket).doesNotExist();
  }
}
