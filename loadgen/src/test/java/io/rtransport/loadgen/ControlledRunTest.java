package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rtransport.netty.control.ControlClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A run that tells its state while it runs. */
@Timeout(300)
class ControlledRunTest extends ShortRuns {
  private JsonNode state(Path socket) throws Exception {
    return new ObjectMapper().readTree(ControlClient.stat(socket));
  }

  private static boolean isCarryingMuch(JsonNode state) {
    boolean isHealthy = true;
    for (JsonNode ni : state.get("interfaces")) {
      isHealthy &= ni.get("health").asInt() == 1_000;
    }
    return isHealthy
        && state.get("rails").size() == 2
        && state.get("rails").get(1).get("bytesSent").asLong() > 1 << 20;
  }

  /** Returns a state of a run in which both rails carry much; null: it ended without one. */
  private JsonNode stateOfARun(String duration) throws Exception {
    Path socket = directory.resolve("rt.sock");
    String arguments = "load --rails 2 --op push --size 1k --warmup 500ms --control " + socket;
    CompletableFuture<JsonNode> run =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return run(0, arguments + " --duration " + duration);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    AtomicReference<JsonNode> seen = new AtomicReference<>();
    await()
        .atMost(Duration.ofSeconds(100))
        .ignoreExceptions() // before the socket is there
        .until(
            () -> {
              if (run.isDone()) {
                return true;
              }
              JsonNode state = state(socket);
              if (isCarryingMuch(state)) {
                seen.set(state);
              }
              return seen.get() != null;
            });
    assertNothingWrong(run.join());
    assertThat(socket).doesNotExist();
    return seen.get();
  }

  @Test
  void shouldTellTheRailsOfItsClient() throws Exception {
    JsonNode state = stateOfARun("2s");
    for (int i = 0; i < 2 && state == null; i++) {
      state = stateOfARun("20s"); // 2 s are little on a busy machine
    }
    assertThat(state).as("a state while both rails carry much").isNotNull();
    assertThat(state.get("connectionCount").asInt()).isEqualTo(1);
  }
}
