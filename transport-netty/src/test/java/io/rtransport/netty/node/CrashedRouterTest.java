package io.rtransport.netty.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.MessageStatus;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two routers, one killed or stopped in mid-message: the other takes over soon, nothing is executed
 * twice.
 */
@Timeout(240)
class CrashedRouterTest {
  private static final int BEFORE = 500;
  private static final int LARGE_EACH = 25;
  private static final int LARGE_BYTES = 1 << 20;

  /** Counts how often each message was executed. */
  private static final class Counter implements NodeTarget {
    final Map<Integer, Integer> executions = new ConcurrentHashMap<>();

    /** Done when a message of each length, sent after the deed, was executed. */
    final CountDownLatch small = new CountDownLatch(1);

    final CountDownLatch large = new CountDownLatch(1);

    @Override
    public void onPut(NodePut put) {
      int number = ByteBuffer.wrap(put.payload()).getInt();
      executions.merge(number, 1, Integer::sum);
      if (number >= BEFORE) {
        (put.payload().length == LARGE_BYTES ? large : small).countDown();
      }
      put.acknowledge();
    }
  }

  private final AcknowledgedPuts puts = new AcknowledgedPuts(200);

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

  /** Sends a signal to a process, and waits until it was sent. */
  private static void signal(String name, Process process) throws Exception {
    String pid = Long.toString(process.pid());
    assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor()).isZero();
  }

  private void send(RtNode node, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      byte[] payload = new byte[i % LARGE_EACH == LARGE_EACH - 1 ? LARGE_BYTES : 4];
      ByteBuffer.wrap(payload).putInt(puts.next());
      puts.send(node, payload);
    }
  }

  @Test
  void shouldTakeTheOtherRouterAndExecuteNothingTwice() throws Exception {
    CloseReason ended = run(router -> router.destroyForcibly().waitFor(), router -> {});
    if (ended != null) {
      assertThat(ended.code()).as("nobody listens").isEqualTo(CloseCode.UNREACHABLE.code());
    }
  }

  /** After about 1.3 s, as UnreachableTest holds; the connection would live for 4.2 s. */
  @Test
  void shouldLeaveAStoppedRouterBeforeItsConnectionEnds() throws Exception {
    CloseReason ended =
        run(
            router -> signal("STOP", router),
            router -> signal("CONT", router)); // what it kept comes late, and is known already
    assertThat(ended).isNull();
  }

  private interface Deed {
    void to(Process router) throws Exception;
  }

  /** Returns why the connection to the router had ended when it was left; null: it lived. */
  private CloseReason run(Deed deed, Deed after) throws Exception {
    Counter counter = new Counter();
    LeftConnections left = new LeftConnections();
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
        left.of(node, "counter");
        send(node, BEFORE);
        int underWay = puts.underWay();
        int goodbyes = left.all().size();
        boolean isFirst = left.used().remoteAddress().getPort() == port1;
        Process router = routers.get(isFirst ? 0 : 1); // the second one if the machine stood still
        deed.to(router);
        final long deedNs = System.nanoTime();
        send(node, 300); // all of them are fewer than the 1,024 that may pass the oldest one
        assertThat(counter.small.await(60, TimeUnit.SECONDS)).isTrue();
        long smallNs = System.nanoTime() - deedNs;
        assertThat(counter.large.await(60, TimeUnit.SECONDS)).isTrue();
        long largeNs = System.nanoTime() - deedNs;
        after.to(router);
        Map<MessageStatus, Integer> statuses = new EnumMap<>(MessageStatus.class);
        List<MessageStatus> all = puts.statuses();
        for (int i = 0; i < all.size(); i++) {
          MessageStatus status = all.get(i);
          statuses.merge(status, 1, Integer::sum);
          int times = counter.executions.getOrDefault(i, 0);
          assertThat(times)
              .as("message %d, which ended with %s", i, status)
              .isEqualTo(status == MessageStatus.COMPLETED ? 1 : 0);
        }
        System.out.println(
            "under way: %d; %s; pauses: small %d ms, large %d ms; left: %s"
                .formatted(
                    underWay, statuses, smallNs / 1_000_000, largeNs / 1_000_000, left.all()));
        assertThat(underWay).isPositive();
        assertThat(statuses).as("the other router led there").hasSize(1);
        assertThat(statuses.get(MessageStatus.COMPLETED)).isEqualTo(800);
        return left.all().get(goodbyes).reason();
      }
    } finally {
      for (Process each : routers) {
        each.destroyForcibly().waitFor();
      }
    }
  }
}
