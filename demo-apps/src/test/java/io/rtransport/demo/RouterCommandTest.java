package io.rtransport.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.rtransport.command.Interruption;
import io.rtransport.netty.control.ControlSocket;
import io.rtransport.netty.node.NodeConfig;
import io.rtransport.netty.node.NodePut;
import io.rtransport.netty.node.NodeTarget;
import io.rtransport.netty.node.RtNode;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code rt router} between two nodes. */
@Timeout(60)
class RouterCommandTest {
  @TempDir Path directory;

  /** Below those that Linux gives to sockets of others meanwhile. */
  private static int freePort() throws Exception {
    for (int port = 20_000 + (int) (ProcessHandle.current().pid() * 61 % 12_000); ; port++) {
      try (DatagramSocket socket = new DatagramSocket(port, InetAddress.getByName("127.0.0.1"))) {
        return socket.getLocalPort();
      } catch (BindException e) {
        // somebody's; the next one, then
      }
    }
  }

  @Test
  void shouldForwardUntilItIsAskedToEndAndSayWhatItDid() throws Exception {
    Path json = directory.resolve("result.json");
    String control = directory.resolve("rt.sock").toString();
    Interruption interruption = new Interruption();
    int port = freePort();
    NodeTarget taker =
        new NodeTarget() {
          @Override
          public void onPut(NodePut put) {
            put.acknowledge();
          }
        };
    InetSocketAddress any = new InetSocketAddress("127.0.0.1", 0);
    CompletableFuture<CommandRun> router;
    try (RtNode beta = RtNode.open(NodeConfig.named("beta").listen(any).target(taker))) {
      String peer = "beta=127.0.0.1:" + beta.addresses().get(0).getPort();
      String listen = "127.0.0.1:" + port + "@net0,127.0.0.1:0@net1";
      String[] line = {
        "router",
        "--listen",
        listen,
        "--origins",
        "alpha",
        "--peer",
        peer,
        "--peer",
        "gamma=127.0.0.1:9",
        "--name",
        "seen",
        "--control",
        control,
        "--json",
        json.toString()
      };
      router = CompletableFuture.supplyAsync(() -> CommandRun.of(interruption, line));
      NodeConfig config =
          NodeConfig.named("alpha")
              .peer("seen", new InetSocketAddress("127.0.0.1", port))
              .peerOn("beta", "net1")
              .route("net1", "seen", 1, 0);
      try (RtNode alpha = RtNode.open(config)) {
        alpha.putAcknowledged("beta", new byte[100_000], new byte[0]).get(20, TimeUnit.SECONDS);
        checkState(control);
      }
      interruption.request();
      CommandRun run = router.get(20, TimeUnit.SECONDS);
      assertThat(run.err()).isEmpty();
      assertThat(run.status()).isZero();
      assertThat(run.out()).startsWith("listening on 127.0.0.1:" + port + "@net0,127.0.0.1:");
      assertThat(run.out()).contains("0 of strangers");
    }
    try (ControlSocket after = ControlSocket.open(Path.of(control))) {
      assertThat(CommandRun.of("stat", control).out()).doesNotContain("seen");
    }
    JsonNode result = CommandRun.json(json);
    assertThat(result.get("forwarded").asLong()).isGreaterThanOrEqualTo(3); // two HELLO and a PUT
    assertThat(result.get("heldBytesMax").asLong()).isPositive();
    assertThat(result.get("addresses")).hasSize(2);
  }

  /** Checks what {@code rt stat} says of the router while it runs. */
  private void checkState(String control) throws Exception {
    Path json = directory.resolve("stat.json");
    CommandRun run = CommandRun.of("stat", control, "--json", json.toString());
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .containsPattern("\nseen +[1-9]\\d* +0 +0 +0 +0 +0 B +.*KiB +1 of 2 +gamma\\R");
    assertThat(run.out()).containsPattern("\nalpha +beta +1 +0 +1 +0 +0 +0 +0 .*ms .*ms +-\\R");
    JsonNode state = CommandRun.json(json);
    JsonNode alpha = state.get("nodes").get(0);
    assertThat(state.get("nodeCount").asInt()).isEqualTo(3); // the router and the target, too
    assertThat(alpha.get("name").asText()).isEqualTo("alpha");
    assertThat(alpha.get("peerCount").asInt()).isEqualTo(2);
    JsonNode beta = alpha.get("peers").get(0); // the one with messages
    assertThat(beta.get("name").asText()).isEqualTo("beta");
    assertThat(beta.get("messages").asInt()).isOne();
    assertThat(beta.get("completed").asInt()).isOne();
    assertThat(beta.get("attempts").asInt()).isOne();
    for (String of : List.of("attempt", "completed")) {
      long longest = beta.get(of + "MaxMicros").asLong();
      assertThat(longest).isPositive();
      for (String time : List.of("Micros", "P50Micros", "P99Micros")) {
        assertThat(beta.get(of + time).asLong()).as("of one message").isEqualTo(longest);
      }
    }
    assertThat(state.get("routerCount").asInt()).isEqualTo(1);
    JsonNode router = state.get("routers").get(0);
    assertThat(router.get("forwarded").asLong()).isGreaterThanOrEqualTo(3); // two HELLO and a PUT
    assertThat(router.get("heldBytes").asLong()).isZero();
    assertThat(router.get("heldBytesMax").asLong()).isBetween(1L, 100_000L);
    assertThat(router.get("hops")).hasSize(2);
    assertThat(router.get("hops").get(0).get("destination").asText()).isEqualTo("gamma");
    assertThat(router.get("hops").get(1).get("up").asBoolean()).isTrue();
  }
}
