package io.rtransport.netty.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.MessageStatus;
import io.rtransport.core.stats.PeerStats;
import io.rtransport.netty.FreePort;
import java.io.BufferedReader;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A target that is killed again and again while messages come: each is executed once at most. */
@Timeout(120)
class CrashedNodeTest {
  private static final int CRASHES = 4;
  private static final int BETWEEN = 3_000;
  private static final int UNDER_WAY_MAX = 500;

  @TempDir Path directory;
  private final AcknowledgedPuts puts = new AcknowledgedPuts(UNDER_WAY_MAX);

  private Process start(Path file, int port) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            CountingNode.class.getName(),
            file.toString(),
            Integer.toString(port))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static int portOf(Process process) throws Exception {
    BufferedReader said = process.inputReader(UTF_8);
    return Integer.parseInt(said.readLine());
  }

  private void send(RtNode node, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      puts.send(node, Integer.toString(puts.next()).getBytes(UTF_8));
    }
  }

  @Test
  void shouldExecuteNoMessageTwiceAndEveryCompletedOne() throws Exception {
    Path file = directory.resolve("executed");
    int port = FreePort.next().getPort();
    Process target = start(file, port);
    portOf(target);
    try (RtNode node =
        RtNode.open(
            NodeConfig.named("origin").peer("counter", new InetSocketAddress("127.0.0.1", port)))) {
      for (int i = 0; i < CRASHES; i++) {
        send(node, BETWEEN);
        target.destroyForcibly().waitFor(); // kill -9, with hundreds under way
        target = start(file, port);
        portOf(target);
      }
      send(node, BETWEEN);
      Map<Integer, Integer> executions = new HashMap<>();
      Map<MessageStatus, Integer> statuses = new EnumMap<>(MessageStatus.class);
      List<MessageStatus> all = puts.statuses();
      all.forEach(status -> statuses.merge(status, 1, Integer::sum));
      for (String line : Files.readAllLines(file)) {
        executions.merge(Integer.parseInt(line), 1, Integer::sum);
      }
      PeerStats stats = node.peerStats().get("counter");
      System.out.println("ends: " + statuses + ", " + stats);
      assertThat(stats.againAfterLoss()).as("messages were sent again").isPositive();
      for (int i = 0; i < all.size(); i++) {
        int times = executions.getOrDefault(i, 0);
        switch (all.get(i)) {
          case COMPLETED -> assertThat(times).as("message %d", i).isEqualTo(1);
          case NOT_EXECUTED -> assertThat(times).as("message %d", i).isZero();
          default -> assertThat(times).as("message %d", i).isBetween(0, 1);
        }
      }
      assertThat(statuses.get(MessageStatus.COMPLETED)).isGreaterThan(CRASHES * BETWEEN / 2);
      assertThat(statuses.getOrDefault(MessageStatus.FAILED, 0)).isZero();
    } finally {
      target.destroyForcibly().waitFor();
    }
  }
}
