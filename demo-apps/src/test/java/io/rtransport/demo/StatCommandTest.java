package io.rtransport.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rtransport.command.CommandFailure;
import io.rtransport.command.Interruption;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.core.rail.HealthParameter;
import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.demo.stat.NodeState;
import io.rtransport.demo.stat.RailShares;
import io.rtransport.demo.stat.StateTables;
import io.rtransport.netty.control.ControlSocket;
import io.rtransport.netty.node.RtNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code rt stat}: what it prints, and what it says where it cannot. */
@Timeout(60)
class StatCommandTest {
  private final RailHealthConfig knobs = RtNode.railHealth().config();

  @TempDir private Path directory;

  @AfterEach
  void setBack() {
    RtNode.railHealth().config(knobs);
  }

  private String path() {
    return directory.resolve("rt.sock").toString();
  }

  private ControlSocket open() throws IOException {
    return ControlSocket.open(Path.of(path()), new NodeRegister());
  }

  private static String rail(int port, long sent, long received) {
    return String.format(
        "{\"local\":\"127.0.0.1\",\"peer\":\"127.0.0.1:%d\",\"number\":1,\"bytesSent\":%d,\"bytesReceived\":%d}",
        port, sent, received);
  }

  private static NodeState reading(long firstBytes, long secondBytes) {
    return reading(firstBytes, secondBytes, 0);
  }

  private static NodeState reading(long firstBytes, long secondBytes, int closed) {
    return NodeState.parse(
        "{\"pid\":1,\"counters\":{\"PATHS_CLOSED\":"
            + closed
            + "},\"rails\":["
            + rail(1, firstBytes, 0)
            + ","
            + rail(2, 0, secondBytes)
            + "],\"total\":{\"pathsOpen\":2,\"bytesSent\":"
            + firstBytes
            + ",\"bytesReceived\":"
            + secondBytes
            + "}}");
  }

  @Test
  void shouldShowANodeWithoutConnections() throws IOException {
    Path json = directory.resolve("stat.json");
    try (ControlSocket socket = open()) {
      CommandRun run = CommandRun.of("stat", path(), "--json", json.toString());
      assertThat(run.err()).isEmpty();
      assertThat(run.status()).isZero();
      assertThat(run.out())
          .startsWith("node " + ProcessHandle.current().pid() + ": ")
          .contains("memory: granted 0 B of 64.0 MiB");
    }
    JsonNode state = CommandRun.json(json);
    assertThat(state.get("pid").asLong()).isEqualTo(ProcessHandle.current().pid());
    assertThat(state.get("rails").isArray()).isTrue();
    assertThat(state.get("knobs")).hasSize(HealthParameter.values().length);
  }

  @Test
  void shouldSetKnobsAllOrNone() throws IOException {
    try (ControlSocket socket = open()) {
      CommandRun run =
          CommandRun.of(
              "stat", path(), "--set", "health-sensitivity=300", "--set", "recovery-increment=50");
      assertThat(run.status()).isZero();
      assertThat(run.out())
          .contains("knobs that are not the default: health-sensitivity=300 recovery-increment=50");
      assertThat(RtNode.railHealth().config().get(HealthParameter.HEALTH_SENSITIVITY))
          .isEqualTo(300);
      CommandRun refused =
          CommandRun.of(
              "stat", path(), "--set", "health-sensitivity=1", "--set", "loss-charged-percent=50");
      assertThat(refused.status()).isEqualTo(2);
      assertThat(refused.out()).isEmpty();
      assertThat(refused.err())
          .containsExactly("rt stat: loss-charged-percent=50, valid: 1..25 (loss-avoided-percent)");
      assertThat(RtNode.railHealth().config().get(HealthParameter.HEALTH_SENSITIVITY))
          .isEqualTo(300);
    }
  }

  @Test
  void shouldWriteALineOfJsonForEachState() throws IOException {
    Path json = directory.resolve("last.json");
    try (ControlSocket socket = open()) {
      CommandRun run =
          CommandRun.of(
              "stat", path(), "--watch", "200ms", "--count", "3", "--json", json.toString());
      assertThat(run.status()).isZero();
      List<String> lines = run.out().lines().toList();
      assertThat(lines).hasSize(3);
      JsonNode first = new ObjectMapper().readTree(lines.get(0));
      JsonNode last = new ObjectMapper().readTree(lines.get(2));
      assertThat(first.get("intervalSeconds").isNull()).isTrue();
      assertThat(last.get("intervalSeconds").asDouble()).isGreaterThan(0.19);
      assertThat(CommandRun.json(json)).isEqualTo(last);
    }
  }

  @Test
  void shouldEndAWatchWhenItIsInterruptedAndWhenTheNodeGoes() throws IOException {
    try (ControlSocket socket = open()) {
      Interruption interruption = new Interruption();
      interruption.request();
      CommandRun run = CommandRun.of(interruption, "stat", path(), "--watch");
      assertThat(run.status()).isZero();
      assertThat(run.out()).hasLineCount(1);
    }
    CommandRun gone = CommandRun.of("stat", path(), "--watch");
    assertThat(gone.status()).isEqualTo(1);
    assertThat(gone.err()).hasSize(1);
    assertThat(gone.err().get(0)).startsWith("rt stat: no node answers at " + path() + ": ");
  }

  @Test
  void shouldWriteWhatAWatchSawWhenTheNodeGoesMeanwhile() throws Exception {
    Path json = directory.resolve("last.json");
    for (String[] more : new String[][] {{}, {"--json", json.toString()}}) {
      try (ServerSocketChannel node = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
        node.bind(UnixDomainSocketAddress.of(path()));
        String state = Files.readString(Path.of("src/test/resources/node-state.json"));
        String line = "ok " + state.replace('\n', ' ') + "\n";
        CompletableFuture<Void> served = CompletableFuture.runAsync(() -> serveOnce(node, line));
        List<String> arguments = new ArrayList<>(List.of("stat", path(), "--watch", "200ms"));
        arguments.addAll(List.of(more));
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        served.join();
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).hasLineCount(1);
        assertThat(run.err()).hasSize(1);
        assertThat(run.err().get(0))
            .startsWith("rt stat: no node answers at " + path() + ": ")
            .endsWith(
                more.length == 0
                    ? "; 1 state was seen"
                    : "; 1 state was seen, the last is in the file of --json");
        if (more.length > 0) {
          assertThat(CommandRun.json(json)).isEqualTo(new ObjectMapper().readTree(run.out()));
        }
      } finally {
        Files.delete(Path.of(path()));
      }
    }
  }

  private static void serveOnce(ServerSocketChannel server, String answer) {
    serve(server, answer);
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldSayInOneLineWhatIsNoNode() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "x");
    for (String path : new String[] {directory.resolve("none").toString(), file.toString()}) {
      CommandRun run = CommandRun.of("stat", path);
      assertThat(run.status()).isEqualTo(1);
      assertThat(run.err()).hasSize(1);
      assertThat(run.err().get(0)).contains("no node answers at " + path);
    }
    String[] answers = {
      "hello\n", "ok \n", "ok 5\n", "ok {}\n", "ok {\"rails\":5}\n", "x".repeat(9)
    };
    for (String answer : answers) {
      try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
        Path path = directory.resolve("other");
        server.bind(UnixDomainSocketAddress.of(path));
        CompletableFuture<Void> served = CompletableFuture.runAsync(() -> serve(server, answer));
        CommandRun run = CommandRun.of("stat", path.toString());
        served.join();
        assertThat(run.status()).as(answer).isEqualTo(1);
        assertThat(run.err()).as(answer).hasSize(1);
        assertThat(run.err().get(0)).as(answer).doesNotContain("unexpected");
        Files.delete(path);
      }
    }
  }

  private static void serve(ServerSocketChannel server, String answer) {
    try (SocketChannel socket = server.accept();
        InputStream in = Channels.newInputStream(socket)) {
      while (in.read() != '\n') {}
      socket.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldTakeSharesFromTheTrafficBetweenTwoReadings() {
    RailShares course = new RailShares();
    NodeState first = course.next(reading(1_000, 0), 0);
    assertThat(first.decimalOrNull("intervalSeconds")).isNull();
    NodeState second = course.next(reading(1_300, 900), 2_000_000_000L);
    assertThat(second.decimalOrNull("intervalSeconds")).isEqualTo(2);
    assertThat(second.list("rails").get(0).decimalOrNull("share")).isEqualTo(0.25);
    assertThat(second.list("rails").get(1).decimalOrNull("share")).isEqualTo(0.75);
    NodeState still = course.next(reading(1_300, 900), 3_000_000_000L);
    assertThat(still.list("rails").get(0).decimalOrNull("share")).isNull();
    NodeState fewer = course.next(reading(100, 1_900), 4_000_000_000L);
    assertThat(fewer.list("rails").get(0).decimalOrNull("share")).as("a path has closed").isNull();
    NodeState another = course.next(reading(200, 2_000, 1), 5_000_000_000L);
    assertThat(another.list("rails").get(1).decimalOrNull("share")).as("one came too").isNull();
    NodeState then = course.next(reading(300, 2_300, 1), 6_000_000_000L);
    assertThat(then.list("rails").get(1).decimalOrNull("share")).isEqualTo(0.75);
  }

  @Test
  void shouldPrintWhatItIsToldWithoutControlCharacters() throws IOException {
    String json =
        Files.readString(Path.of("src/test/resources/node-state.json"))
            .replace("beta", "\\u001b[2J");
    StringWriter out = new StringWriter();
    StateTables.print(NodeState.parse(json), new PrintWriter(out, true));
    assertThat(out.toString().lines())
        .containsExactlyElementsOf(
            Files.readAllLines(Path.of("src/test/resources/node-state.txt")));
  }

  @Test
  void shouldNameTheKeyThatAnotherVersionLacks() {
    assertThatThrownBy(() -> NodeState.parse("{\"a\":\"x\"}").number("a"))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("the node answers as another version does: no a");
    assertThatThrownBy(() -> NodeState.parse("{}").decimalOrNull("a"))
        .isInstanceOf(CommandFailure.class);
  }
}
