package io.rtransport.netty.queue;

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
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A host of a simulated world whose application polls {@link RtQueues}. Capacities and the habit of
 * polling are drawn: always, now and then, late, or asleep until it is woken. One that is stuck
 * polls never again, until the connection has ended and its peer knows all its ends.
 */
final class QueueHost implements SimHost, MemoryPort.Wire, RtQueueHandler, AutoCloseable {
  private static final int PAUSE_NS_MAX = 400_000_000;
  private static final int PAUSE_AFTER_MAX = 30;
  private static final long[] INTERVALS_NS = {0, 0, 50_000, 1_000_000, 5_000_000};
  private static final long[] DELAYS_NS = {0, 100_000, 1_000_000, 20_000_000};
  private static final long[] TIMEOUTS_NS = {3_000_000, 100_000_000, 10_000_000_000L};
  private static final long ENDING_NS = 10_000_000; // as of RtQueues.await
  private static final int STUCK_AFTER_MAX = 20;
  private static final int STUCK_ON_MAX_NS = 1_000_000_000;

  private final int host;
  private final PairHarness harness;
  private final SimApplication application;
  private final CoreState core;
  private final MockTicker ticker = Ticker.newMockTicker();
  private final TimedLoop loop;
  private final LoopDriver driver;
  private final RtQueues queues;
  private final long intervalNs;
  private final int limit;
  private final long pauseNs;
  private int pollsUntilPause;
  private final VirtualSleep sleep; // null: it never sleeps
  private final int threshold;
  private final long timeoutNs;
  private long unseenSinceNs = Long.MAX_VALUE; // while it sleeps
  private long unseenUntilNs = Long.MAX_VALUE;
  private final boolean isStuckAtOnce;
  private int pollsUntilStuck;
  private final long stuckOnNs;
  private long unstuckNs = Long.MAX_VALUE;
  private QueueHost peer;
  private boolean isOver;
  private int lateCount;
  private MemoryPort memoryPort;
  private RtQueueConnection connection;
  private QueuePort port;
  private long nextPollNs;
  private long seenCount;
  private boolean hasLeft;
  private boolean isPolling;
  private Throwable defect;

  QueueHost(int host, PairHarness harness, Random random, boolean isStuck) {
    this.host = host;
    this.harness = harness;
    this.application = harness.application(host);
    this.core = new CoreState(host, harness);
    this.loop = new TimedLoop(ticker);
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
    threshold = random.nextBoolean() ? 0 : 1 + random.nextInt(8);
    timeoutNs = TIMEOUTS_NS[random.nextInt(TIMEOUTS_NS.length)];
    long delayNs = DELAYS_NS[random.nextInt(DELAYS_NS.length)];
    boolean isSleeping = random.nextInt(3) == 0 && isOrdered;
    boolean isNever = random.nextBoolean();
    isStuckAtOnce = isStuck && isNever;
    int pollsDrawn = isNever ? 0 : random.nextInt(STUCK_AFTER_MAX);
    pollsUntilStuck = isStuck ? pollsDrawn : Integer.MAX_VALUE;
    stuckOnNs = random.nextInt(STUCK_ON_MAX_NS);
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
                .delay(Duration.ofNanos(delayNs))
                .wakeAtOnce(random.nextBoolean())
                .selfTuning(random.nextInt(4) == 0)
                .postedMax(1 + random.nextInt(random.nextBoolean() ? 3 : 200))
                .inboundMax(isOrdered ? inboundDrawn : 1 << 12)
                .submissionBytes(1 << 13 + random.nextInt(4))
                .inboundBytes(isOrdered ? 1 << 13 + random.nextInt(4) : 1 << 20));
    sleep = isSleeping ? new VirtualSleep(queues) : null;
  }

  /** Sets the other host, whose ends a stuck one waits for. */
  void peer(QueueHost other) {
    peer = other;
  }

  boolean isStuck() {
    return pollsUntilStuck != Integer.MAX_VALUE;
  }

  /** Returns how many entries and events a stuck one was given only after all was over. */
  int lateCount() {
    return lateCount;
  }

  /** Returns its habit of polling. */
  String habit() {
    if (isStuck()) {
      return isStuckAtOnce ? "never" : "stops for good";
    }
    return sleep != null ? "sleeps" : pauseNs > 0 ? "pauses" : intervalNs > 0 ? "late" : "always";
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
      watchSleep(nowNs);
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
    return nowNs - nextPollNs() >= 0;
  }

  private boolean isStuckNow() {
    return port != null && pollsUntilStuck <= 0;
  }

  /** Returns when it polls again if it has reason to. */
  private long nextPollNs() {
    if (isStuckNow()) {
      return unstuckNs;
    }
    return sleep != null && sleep.isAsleep() ? sleep.endNs(harness.nowNs()) : nextPollNs;
  }

  /** Polls again at last, some time after both sides know that the connection has ended. */
  private void watchEnd() {
    boolean isEnded = connection != null && connection.closeReason() != null;
    if (isStuckNow() && unstuckNs == Long.MAX_VALUE && isEnded && peer.isOver) {
      unstuckNs = harness.nowNs() + stuckOnNs;
    }
  }

  /** Checks that no entry waits for a consumer that sleeps for longer than the delay. */
  private void watchSleep(long nowNs) {
    if (sleep == null || !sleep.isAsleep() || queues.storedCount() == seenCount) {
      return;
    }
    if (unseenSinceNs == Long.MAX_VALUE) {
      unseenSinceNs = nowNs;
      long delayNs = connection == null ? 0 : connection.link.queue.events.delayNs();
      unseenUntilNs = nowNs + delayNs;
    }
    boolean isWoken = sleep.endNs(nowNs) <= nowNs;
    if (!isWoken && nowNs >= unseenUntilNs) {
      throw new AssertionError(
          "an entry of " + unseenSinceNs + " waits for a sleeper, delay to " + unseenUntilNs);
    }
  }

  private int poll(long nowNs) {
    isPolling = true;
    try {
      if (sleep != null && sleep.isAsleep()) {
        sleep.end();
        unseenSinceNs = Long.MAX_VALUE;
        unseenUntilNs = Long.MAX_VALUE;
      }
      seenCount = queues.storedCount();
      int count = queues.poll(this, limit);
      lateCount += isStuckNow() ? count : 0;
      hasLeft = count > 0; // perhaps: the limit has cut it
      boolean isPause = pollsUntilPause-- == 0;
      nextPollNs = nowNs + (isPause ? pauseNs : intervalNs);
      if (port != null && isStuck()) {
        pollsUntilStuck--;
      }
      if (sleep != null && count == 0 && !isStuckNow()) {
        boolean isEnding = connection != null && connection.closeReason() != null;
        sleep.begin(seenCount, threshold, nowNs + (isEnding ? ENDING_NS : timeoutNs));
      }
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
    isOver = true;
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
    watchEnd();
    long dueNs = driver.endpoint().nextDeadlineNs();
    if (isOver) {
      return hasLeft ? Math.min(dueNs, nextPollNs()) : dueNs;
    }
    // A sleeper is looked at when its delay has passed, whatever the loop's timer says.
    dueNs = Math.min(dueNs, Math.min(loop.nextTimerNs(), unseenUntilNs));
    boolean isAsleep = sleep != null && sleep.isAsleep();
    boolean hasWork = isAsleep || hasLeft || queues.storedCount() != seenCount;
    return hasWork ? Math.min(dueNs, nextPollNs()) : dueNs;
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
    return habit()
        + (sleep != null ? " " + timeoutNs + ", threshold " + threshold : "")
        + (" interval " + intervalNs + " limit " + limit + " " + core.loop().counters());
  }
}
