package io.rtransport.netty.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.node.MessageStatus;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two routers, one killed in mid-message: the other takes over, nothing is executed twice. */
@Timeout(60)
class CrashedRouterTest {
  private static final int LARGE_EACH = 25;
  private static final int LARGE_BYTES = 1 << 20;

  /** Counts how often each message was executed. */
  private static final class Counter implements NodeTarget {
    final Map<Integer, Integer> executions = new ConcurrentHashMap<>();

    @Override
    public void onPut(NodePut put) {
      executions.merge(ByteBuffer.wrap(put.payload()).getInt(), 1, Integer::sum);
      put.acknowledge();
    }
  }

  private final List<CompletableFuture<MessageStatus>> ends = new ArrayList<>();
  private final Semaphore room = new Semaphore(200);

  private static Process start(String name, int port, int counterPort) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            RouterNode.class.getName(),
            name,
            Integer.toString(port),
            Integer.toString(counterPort))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static int portOf(Process process) throws Exception {
    return Integer.parseInt(process.inputReader(UTF_8).readLine());
  }

  private void send(RtNode node, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      assertThat(room.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
      byte[] payload = new byte[i % LARGE_EACH == LARGE_EACH - 1 ? LARGE_BYTES : 4];
      ByteBuffer.wrap(payload).putInt(ends.size());
      ends.add(
          node.putAcknowledged("counter", payload, new byte[0])
              .handle(
                  (nothing, failure) -> {
                    room.release();
                    return failure == null ? MessageStatus.COMPLETED : statusOf(failure);
                  }));
    }
  }

  private static MessageStatus statusOf(Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return ((NodeException) cause).status();
  }

  @Test
  void shouldTakeTheOtherRouterAndExecuteNothingTwice() throws Exception {
    Counter counter = new Counter();
    InetSocketAddress any = new InetSocketAddress("127.0.0.1", 0);
    List<Process> routers = new ArrayList<>();
    try (RtNode target = RtNode.open(NodeConfig.named("counter").listen(any).target(counter))) {
      int counterPort = target.addresses().get(0).getPort();
      routers.add(start("r1", 0, counterPort));
      routers.add(start("r2", 0, counterPort));
      int port1 = portOf(routers.get(0));
      int port2 = portOf(routers.get(1));
      NodeConfig config =
          NodeConfig.named("alpha")
              .peerOn("counter", "far")
              .peer("r1", new InetSocketAddress("127.0.0.1", port1))
              .peer("r2", new InetSocketAddress("127.0.0.1", port2))
              .route("far", "r1", 1, 0)
              .route("far", "r2", 1, 1);
      try (RtNode node = RtNode.open(config)) {
        send(node, 500);
        int underWay = (int) ends.stream().filter(end -> !end.isDone()).count();
        routers.get(0).destroyForcibly().waitFor(); // kill -9
        send(node, 300); // all of them are fewer than the 1,024 that may pass the oldest one
        Map<MessageStatus, Integer> statuses = new EnumMap<>(MessageStatus.class);
        for (int i = 0; i < ends.size(); i++) {
          MessageStatus status = ends.get(i).get(30, TimeUnit.SECONDS);
          statuses.merge(status, 1, Integer::sum);
          int times = counter.executions.getOrDefault(i, 0);
          assertThat(times)
              .as("message %d, which ended with %s", i, status)
              .isEqualTo(status == MessageStatus.COMPLETED ? 1 : 0);
        }
        System.out.println("under way at the kill: " + underWay + "; " + statuses);
        assertThat(underWay).isPositive();
        assertThat(statuses).as("the other router led there").hasSize(1);
        assertThat(statuses.get(MessageStatus.COMPLETED)).isEqualTo(800);
      }
    } finally {
      for (Process router : routers) {
        router.destroyForcibly().waitFor();
      }
    }
  }
}
