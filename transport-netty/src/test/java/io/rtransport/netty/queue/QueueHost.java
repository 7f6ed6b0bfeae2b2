package io.rtransport.netty.queue;

import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopDrivers;
import io.rtransport.netty.port.MemoryPort;
import io.rtransport.simulator.CoreState;
import io.rtransport.simulator.PairHarness;
import io.rtransport.simulator.SimAddresses;
import io.rtransport.simulator.SimApplication;
import io.rtransport.simulator.SimConfigs;
import io.rtransport.simulator.SimHost;
import io.rtransport.simulator.SimPort;
import io.rtransport.simulator.SimTotals;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A host of a simulated world whose application polls {@link RtQueues}. Capacities and the habit of
 * polling are drawn: always, now and then, or late.
 */
final class QueueHost implements SimHost, MemoryPort.Wire, RtQueueHandler, AutoCloseable {
  private static final int PAUSE_NS_MAX = 400_000_000;
  private static final int PAUSE_AFTER_MAX = 30;
  private static final long[] INTERVALS_NS = {0, 0, 50_000, 1_000_000, 5_000_000};

  private final int host;
  private final PairHarness harness;
  private final SimApplication application;
  private final CoreState core;
  private final MockTicker ticker = Ticker.newMockTicker();
  private final ManualIoEventLoop loop;
  private final LoopDriver driver;
  private final RtQueues queues;
  private final long intervalNs;
  private final int limit;
  private final long pauseNs;
  private int pollsUntilPause;
  private MemoryPort memoryPort;
  private RtQueueConnection connection;
  private QueuePort port;
  private long nextPollNs;
  private long seenCount;
  private boolean hasLeft;
  private boolean isPolling;
  private Throwable defect;

  QueueHost(int host, PairHarness harness, Random random) {
    this.host = host;
    this.harness = harness;
    this.application = harness.application(host);
    this.core = new CoreState(host, harness);
    this.loop =
        new ManualIoEventLoop(null, Thread.currentThread(), LocalIoHandler.newFactory(), ticker);
    this.driver =
        LoopDrivers.install(loop, host, core.loop(), core.budgets(), core.secrets(), loop);
    long drawnNs = INTERVALS_NS[random.nextInt(INTERVALS_NS.length)];
    boolean isOrdered =
        SimConfigs.of(harness.plan(), 0).isOrdered()
            || SimConfigs.of(harness.plan(), 1).isOrdered();
    // Without order each message is due at once: late polls and full queues have no place there.
    intervalNs = isOrdered ? drawnNs : 0;
    pauseNs = isOrdered && random.nextBoolean() ? random.nextInt(PAUSE_NS_MAX) : 0;
    pollsUntilPause = random.nextInt(PAUSE_AFTER_MAX);
    int inboundDrawn = 1 + random.nextInt(random.nextBoolean() ? 3 : 200);
    limit = 1 + random.nextInt(random.nextBoolean() ? 3 : 64);
    harness.numbers(host, this::rsnOf);
    queues =
        RtQueues.open(
            RtQueueConfig.defaults()
                .ports(
                    loop,
                    (context, config, local, remote) -> {
                      memoryPort =
                          new MemoryPort(
                              context, this, SimAddresses.of(host), SimAddresses.of(1 - host));
                      return memoryPort;
                    })
                .handshake(SimConfigs.of(harness.plan(), host))
                .wakeAtOnce(random.nextBoolean())
                .selfTuning(random.nextInt(4) == 0)
                .postedMax(1 + random.nextInt(random.nextBoolean() ? 3 : 200))
                .inboundMax(isOrdered ? inboundDrawn : 1 << 12)
                .submissionBytes(1 << 13 + random.nextInt(4))
                .inboundBytes(isOrdered ? 1 << 13 + random.nextInt(4) : 1 << 20));
  }

  @Override
  public void start(long nowNs) {
    advance(nowNs);
    if (host == 1) {
      queues.bind(SimAddresses.of(1));
    } else {
      connection = queues.connect(SimAddresses.of(1));
    }
    run(nowNs);
  }

  /** Returns the RSN of a post, which is a transaction's index too; negative: it has none. */
  private long rsnOf(int post) {
    return connection == null ? -1 : connection.link.outgoing.givenUp.rsnOf(post);
  }

  /** Sets the clock by which deadlines of posts count. */
  void advance() {
    advance(harness.nowNs());
  }

  private void advance(long nowNs) {
    ticker.advance(nowNs - ticker.nanoTime(), TimeUnit.NANOSECONDS);
  }

  /** Lets the loop do all that is due at this time, and the consumer poll if its time has come. */
  void run(long nowNs) {
    if (isPolling) {
      return; // the application acts from inside of a handler
    }
    advance(nowNs);
    boolean isAgain = true;
    while (isAgain) {
      while (loop.runNow() > 0) {
        // until there is nothing left
      }
      isAgain = isPollDue(nowNs) && poll(nowNs) > 0;
    }
    if (port != null) {
      port.onRoom(); // of entries that were polled, or of bytes that are in packets
    }
    check(defect);
  }

  private static void check(Throwable defect) {
    if (defect instanceof RuntimeException e) {
      throw e;
    }
    if (defect != null) {
      throw new AssertionError("in a handler", defect);
    }
  }

  private boolean isPollDue(long nowNs) {
    return nowNs - nextPollNs >= 0;
  }

  private int poll(long nowNs) {
    isPolling = true;
    try {
      seenCount = queues.storedCount();
      int count = queues.poll(this, limit);
      hasLeft = count > 0; // perhaps: the limit has cut it
      boolean isPause = pollsUntilPause-- == 0;
      nextPollNs = nowNs + (isPause ? pauseNs : intervalNs);
      return count;
    } finally {
      isPolling = false;
    }
  }

  // ---- the application's handler

  @Override
  public void onCompletion(RtQueueEntry entry) {
    guarded(() -> port.onEnded(entry));
  }

  @Override
  public void onMessage(RtQueueEntry entry) {
    guarded(() -> port.onMessage(entry));
  }

  @Override
  public void onRequest(RtQueueEntry entry) {
    guarded(() -> port.onRequest(entry));
  }

  @Override
  public void onOpen(RtQueueConnection opened) {
    connection = opened;
    port = new QueuePort(this, opened, application);
    guarded(() -> harness.onEstablished(host));
  }

  @Override
  public void onPeerFinished(RtQueueConnection of) {
    guarded(() -> harness.onPeerFinished(host));
  }

  @Override
  public void onClosed(RtQueueConnection of, CloseReason reason) {
    guarded(() -> harness.onClosed(host, reason.code(), reason.text()));
  }

  /**
   * Keeps what a check throws inside of a handler, which would only be logged, for {@link #run}.
   */
  private void guarded(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | AssertionError e) {
      defect = defect == null ? e : defect;
    }
  }

  // ---- the wire under the port

  @Override
  public void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to) {
    harness.send(host, buffer, offset, length);
  }

  @Override
  public boolean hasRoom() {
    return true;
  }

  // ---- what the harness drives

  @Override
  public void receive(PacketBurst burst, long nowNs) {
    advance(nowNs);
    memoryPort.receive(burst, i -> SimAddresses.of(1 - host));
    run(nowNs);
  }

  @Override
  public long nextDeadlineNs() {
    long ofPostsNs =
        connection == null ? Long.MAX_VALUE : connection.link.outgoing.givenUp.timerNs();
    long dueNs = Math.min(driver.endpoint().nextDeadlineNs(), ofPostsNs);
    boolean hasWork = hasLeft || queues.storedCount() != seenCount;
    return hasWork ? Math.min(dueNs, nextPollNs) : dueNs;
  }

  @Override
  public void onTime(long nowNs) {
    run(nowNs);
  }

  @Override
  public SimPort port() {
    return port;
  }

  @Override
  public void check(boolean isAfterClose) {
    core.checkBounds();
    if (isAfterClose) {
      core.checkEmpty(driver.endpoint().size());
    }
  }

  @Override
  public void checkAtRest(long chargedBytes) {
    core.checkAtRest(connection.link.connection(), chargedBytes);
  }

  @Override
  public void count(SimTotals totals) {
    core.count(totals);
  }

  /** Returns how many of each kind of delivery there were. */
  long count(RtQueueCounter counter) {
    return queues.count(counter);
  }

  @Override
  @SuppressWarnings("deprecation") // the graceful way sleeps on the wall clock
  public void close() {
    loop.shutdown();
    loop.runNow();
    while (queues.poll(this, RtQueues.LIMIT_MAX) > 0) {
      loop.runNow();
    }
  }

  @Override
  public String toString() {
    return "interval " + intervalNs + " limit " + limit + " " + core.loop().counters();
  }
}
