import com.sun.management.ThreadMXBean;
import io.netty.channel.ChannelOption;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.netty.facade.InboundPush;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtEndpoint;
import io.rtransport.netty.facade.RtTarget;
import io.rtransport.netty.queue.RtQueueConfig;
import io.rtransport.netty.queue.RtQueueConnection;
import io.rtransport.netty.queue.RtQueueCounter;
import io.rtransport.netty.queue.RtQueueEntry;
import io.rtransport.netty.queue.RtQueueHandler;
import io.rtransport.netty.queue.RtQueues;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Scanner;
import java.util.concurrent.locks.LockSupport;

/**
 * How often the consumer of queues is woken, how late it is then, and what a wake-up allocates.
 * Prints tables in Markdown. The server is a process of its own and acknowledges each message on
 * its event loop, so only the client's queues delay anything. Posts that were refused are printed
 * wherever something is posted.
 *
 * <pre>
 *   ./rt version                                  # builds .rt/load.jar
 *   java -cp .rt/load.jar loadgen/scripts/QueueWakeUps.java [polled] [sleeping] [idle] [death]
 * </pre>
 *
 * From the top of the repository, on a machine that does nothing else; all four take three minutes.
 */
public class QueueWakeUps {
  private static final int LIMIT = 1_024;
  private static final byte[] MESSAGE = new byte[64];
  private static final Duration TURN = Duration.ofMillis(500); // made once: allocation is measured
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final ThreadMXBean THREADS =
      (ThreadMXBean) ManagementFactory.getThreadMXBean();

  public static void main(String[] args) throws Exception {
    if (args.length > 0 && args[0].equals("server")) {
      serve(args[1]);
      return;
    }
    List<String> modes =
        args.length == 0 ? List.of("polled", "sleeping", "idle", "death") : List.of(args);
    for (String mode : modes) {
      switch (mode) {
        case "polled" -> polled();
        case "sleeping" -> sleeping();
        case "idle" -> idle();
        case "death" -> death();
        default -> {
          System.err.println("mode=" + mode + ", valid: polled, sleeping, idle, death");
          System.exit(2);
        }
      }
      System.out.println();
    }
    System.exit(0);
  }

  // ---- the server's process

  private static void serve(String io) throws Exception {
    var builder = RtEndpoint.builder();
    RtEndpoint endpoint = (io.equals("nio") ? builder.nio() : builder).open();
    RtTarget target =
        new RtTarget() {
          @Override
          public void onPush(RtConnection connection, InboundPush push) {
            push.acknowledge();
          }
        };
    InetSocketAddress at =
        endpoint.listen(new InetSocketAddress("127.0.0.1", 0), target).join().localAddress();
    System.out.println(at.getPort());
    System.in.read(); // until the client ends
    System.exit(0);
  }

  /** A server's process, queues and a connection to it. */
  private static final class Client implements RtQueueHandler, AutoCloseable {
    final Process server;
    final RtQueues queues;
    final RtQueueConnection connection;
    long[] latenciesNs = new long[1 << 20];
    int count;
    private volatile int refused; // written by the thread that posts, and only there
    private int refusedBefore;
    boolean isOpen;
    boolean isClosed;

    Client(String io, Duration delay, boolean isKeptAlive) throws Exception {
      String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
      server =
          new ProcessBuilder(
                  java,
                  "-cp",
                  System.getProperty("java.class.path"),
                  "loadgen/scripts/QueueWakeUps.java",
                  "server",
                  io)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      int port = new Scanner(server.getInputStream()).nextInt();
      RtQueueConfig config =
          RtQueueConfig.defaults()
              .delay(delay)
              .wakeAtOnce(false)
              .channels(c -> c.config().setOption(ChannelOption.SO_KEEPALIVE, isKeptAlive));
      queues = RtQueues.open(io.equals("nio") ? config.nio() : config);
      connection = queues.connect(new InetSocketAddress("127.0.0.1", port));
      while (!isOpen) {
        queues.await(this, LIMIT, TURN);
      }
    }

    @Override
    public void onOpen(RtQueueConnection opened) {
      isOpen = true;
    }

    @Override
    public void onCompletion(RtQueueEntry end) {
      if (count == latenciesNs.length) {
        latenciesNs = Arrays.copyOf(latenciesNs, 2 * count);
      }
      latenciesNs[count++] = System.nanoTime() - end.tag();
    }

    @Override
    public void onClosed(RtQueueConnection closed, CloseReason reason) {
      isClosed = true;
    }

    void post() {
      if (connection.submitPush(MESSAGE, 0, MESSAGE.length, System.nanoTime()) < 0) {
        refused++;
      }
    }

    void restart() {
      count = 0;
      refusedBefore = refused;
    }

    int refused() {
      return refused - refusedBefore;
    }

    String micros(double quantile) {
      long[] sorted = Arrays.copyOf(latenciesNs, count);
      Arrays.sort(sorted);
      return count == 0
          ? "none"
          : String.format(Locale.ROOT, "%,.0f", sorted[(int) (quantile * (count - 1))] / 1e3);
    }

    @Override
    public void close() {
      queues.close();
      server.destroyForcibly();
    }
  }

  // ---- a consumer that polls

  private static void polled() throws Exception {
    System.out.println("A consumer that polls, 20,000 messages a second, a delay of 10 ms, 10 s:\n");
    System.out.println(
        "| io | messages | refused | woken | between two polls more than 10 ms passed |");
    System.out.println("|---|---|---|---|---|");
    for (String io : List.of("epoll", "nio")) {
      Duration delay = Duration.ofMillis(10);
      try (Client client = new Client(io, delay, false)) {
        poll(client, delay, 5);
        client.restart();
        long before = client.queues.count(RtQueueCounter.WAKE_UPS);
        int gaps = poll(client, delay, 10);
        long woken = client.queues.count(RtQueueCounter.WAKE_UPS) - before;
        System.out.printf(
            Locale.ROOT,
            "| %s | %,d | %,d | %,d | %,d |%n",
            io,
            client.count,
            client.refused(),
            woken,
            gaps);
      }
    }
  }

  /** Posts and polls. Returns how often more than a delay lay between two polls. */
  private static int poll(Client client, Duration delay, int seconds) {
    long startNs = System.nanoTime();
    long endNs = startNs + seconds * 1_000_000_000L;
    long nextNs = startNs;
    long lastNs = startNs;
    int gaps = 0;
    for (long nowNs = startNs; nowNs < endNs; nowNs = System.nanoTime()) {
      if (nowNs - lastNs > delay.toNanos()) {
        gaps++;
      }
      lastNs = nowNs;
      if (nowNs >= nextNs) {
        client.post();
        nextNs += 50_000;
      }
      client.queues.poll(client, LIMIT);
    }
    return gaps;
  }

  // ---- a consumer that sleeps

  private static void sleeping() throws Exception {
    System.out.println("A consumer that sleeps and is woken once a delay:\n");
    System.out.println(
        "| io | messages/s | refused | delay µs | woken | at most | p50 µs | p99 µs"
            + " | p99 less the delay µs | bytes allocated a wake-up |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|");
    for (String io : List.of("epoll", "nio")) {
      for (int rate : new int[] {20_000, 10}) {
        for (long delayMicros : new long[] {50, 200, 1_000, 10_000}) {
          sleep(io, rate, delayMicros);
        }
      }
    }
  }

  private static void sleep(String io, int rate, long delayMicros) throws Exception {
    try (Client client = new Client(io, Duration.ofNanos(delayMicros * 1_000), false)) {
      long endNs = System.nanoTime() + 10_000_000_000L;
      Thread poster = new Thread(() -> postUntil(client, rate, endNs));
      poster.start();
      Thread thread = Thread.currentThread();
      long warmNs = endNs - 6_000_000_000L;
      while (System.nanoTime() < warmNs) {
        client.queues.await(client, LIMIT, TURN);
      }
      client.restart();
      long before = client.queues.count(RtQueueCounter.WAKE_UPS);
      long allocated = THREADS.getThreadAllocatedBytes(thread.getId());
      long fromNs = System.nanoTime();
      while (System.nanoTime() < endNs) {
        client.queues.await(client, LIMIT, TURN);
      }
      long tookNs = System.nanoTime() - fromNs;
      allocated = THREADS.getThreadAllocatedBytes(thread.getId()) - allocated;
      long woken = client.queues.count(RtQueueCounter.WAKE_UPS) - before;
      poster.join();
      String p99 = client.micros(0.99);
      System.out.printf(
          Locale.ROOT,
          "| %s | %,d | %,d | %,d | %,d | %,d | %s | %s | %,d | %,d |%n",
          io,
          rate,
          client.refused(),
          delayMicros,
          woken,
          tookNs / 1_000 / delayMicros + 1,
          client.micros(0.5),
          p99,
          Long.parseLong(p99.replace(",", "")) - delayMicros,
          woken == 0 ? 0 : allocated / woken);
    }
  }

  private static void postUntil(Client client, int rate, long endNs) {
    long stepNs = 1_000_000_000L / rate;
    for (long nextNs = System.nanoTime(); nextNs < endNs; nextNs += stepNs) {
      for (long left = nextNs - System.nanoTime(); left > 0; left = nextNs - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      client.post();
    }
  }

  // ---- a consumer with nothing to do

  private static void idle() throws Exception {
    System.out.println("A minute without messages, keepalives on:\n");
    System.out.println("| io | woken |");
    System.out.println("|---|---|");
    for (String io : List.of("epoll", "nio")) {
      try (Client client = new Client(io, Duration.ofNanos(100_000), true)) {
        long endNs = System.nanoTime() + 2_000_000_000L;
        while (System.nanoTime() < endNs) {
          client.queues.await(client, LIMIT, TURN);
        }
        long before = client.queues.count(RtQueueCounter.WAKE_UPS);
        client.queues.await(client, LIMIT, MINUTE);
        System.out.printf("| %s | %d |%n", io, client.queues.count(RtQueueCounter.WAKE_UPS) - before);
      }
    }
  }

  /** The server's process is killed while the consumer sleeps, with a push under way. */
  private static void death() throws Exception {
    System.out.println("The server is killed; a push is posted; the consumer sleeps:\n");
    System.out.println("| io | refused | until the end of the push ms | until onClosed ms | woken |");
    System.out.println("|---|---|---|---|---|");
    for (String io : List.of("epoll", "nio")) {
      try (Client client = new Client(io, Duration.ofMillis(1), true)) {
        client.server.destroyForcibly().waitFor();
        client.restart();
        long startNs = System.nanoTime();
        long before = client.queues.count(RtQueueCounter.WAKE_UPS);
        client.post();
        long endedMillis = -1;
        while (!client.isClosed) {
          client.queues.await(client, LIMIT, MINUTE);
          if (client.count > 0 && endedMillis < 0) {
            endedMillis = (System.nanoTime() - startNs) / 1_000_000;
          }
        }
        System.out.printf(
            "| %s | %d | %d | %d | %d |%n",
            io,
            client.refused(),
            endedMillis,
            (System.nanoTime() - startNs) / 1_000_000,
            client.queues.count(RtQueueCounter.WAKE_UPS) - before);
      }
    }
  }
}
