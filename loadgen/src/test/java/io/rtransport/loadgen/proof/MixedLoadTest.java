package io.rtransport.loadgen.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.ChannelOption;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.proof.ProofShare;
import io.rtransport.loadgen.rig.ProcessProbe;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtEndpoint;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ten minutes of everything at once, in two processes, with paranoid leak detection: pushes, pulls
 * and files, cancelled, late and failed ones, ordered and unordered, connections that are closed,
 * aborted and made again. Memory must not grow after the first minute.
 *
 * <p>What has to be seen is that nothing stands still, not that the machine is quick: the profile
 * is that for wide areas, which bears a host that does nothing for seconds, and a close waits for a
 * minute.
 */
@Tag("proof")
class MixedLoadTest {
  private static final int FILE_BYTES = 3 << 20;
  private static final int LIFE_MILLIS_MAX = 4_000;

  /** That of a connection which sets none. */
  private static final Duration CLOSE_TIMEOUT_DEFAULT =
      Duration.ofNanos(ConnectionConfig.builder().build().closeTimeoutNs());

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long SLACK_BYTES = 16 << 20;
  private static final String ORDERED = "wan";
  private static final String UNORDERED = "wan-unordered";
  private static final long WARM_UP_STREAM = 1L << 40;

  private final ProofShare share = new ProofShare();
  private final AtomicLong streams = new AtomicLong();
  private final AtomicLong succeeded = new AtomicLong();
  private final AtomicLong givenUp = new AtomicLong();
  private final AtomicLong aborted = new AtomicLong();
  private final AtomicLong slowestCloseNs = new AtomicLong();
  private final AtomicLong warmUps = new AtomicLong();

  private long closedBefore;

  @TempDir private Path directory;

  @Test
  void shouldRunForTenMinutesWithoutALeakAndWithFlatMemory() throws Exception {
    Duration time = share.time(Duration.ofSeconds(30), Duration.ofMinutes(10));
    Duration warmUp =
        time.compareTo(Duration.ofMinutes(3)) > 0 ? Duration.ofMinutes(1) : time.dividedBy(3);
    long seed = ProofShare.seed("MixedLoadTest");
    SplittableRandom random = new SplittableRandom(seed);
    Path file = directory.resolve("file");
    Files.write(file, new ProofMessage(0, 0, 0, ProofMessage.FILE).payload(FILE_BYTES));
    Leaks leaks = Leaks.watch();
    try (TargetProcess target = TargetProcess.start(0, 1, UNORDERED);
        RtEndpoint ordered =
            RtEndpoint.builder().handshake(ProofSettings.handshake(ORDERED)).open();
        RtEndpoint unordered =
            RtEndpoint.builder().handshake(ProofSettings.handshake(UNORDERED)).open()) {
      await()
          .atMost(PATIENCE.multipliedBy(2))
          .until(() -> isWarm(unordered.connect(target.address()).get(30, TimeUnit.SECONDS)));
      await().atMost(PATIENCE).until(() -> hasClosedAll(target.report()));
      closedBefore = count(target.report(), "closed");
      Map<?, ?> first = drive(target, List.of(ordered, unordered), file, warmUp, random);
      long firstHeap = ProcessProbe.heapUsedBytes();
      final long firstDirect = ProcessProbe.directBytes();
      Map<?, ?> last = drive(target, List.of(ordered, unordered), file, time.minus(warmUp), random);
      assertFlat("the target's heap", count(first, "heapBytes"), count(last, "heapBytes"));
      assertFlat("the target's direct", count(first, "directBytes"), count(last, "directBytes"));
      assertFlat("our heap", firstHeap, ProcessProbe.heapUsedBytes());
      assertFlat("our direct", firstDirect, ProcessProbe.directBytes());
      PausedTargetTest.assertNothingWrong(last);
      assertThat(count(last, "filesOpen")).isZero();
      assertThat(count(last, "filesTaken")).isPositive();
      // A connection lives for two seconds on average, and a transaction takes milliseconds.
      assertThat(succeeded.get())
          .isBetween(streams.get(), count(last, "delivered") + count(last, "pulled"));
      assertThat(givenUp).hasPositiveValue();
      assertThat(aborted).hasPositiveValue();
      if (share.times(1, 100) == 100) { // the whole proof has the machine to itself
        Duration slowest = Duration.ofNanos(slowestCloseNs.get());
        assertThat(slowest).as("slowest close").isLessThan(CLOSE_TIMEOUT_DEFAULT);
      }
      assertThat(target.end()).isZero();
      System.out.printf(
          "%d s of mixed load: %,d connections, %,d of them aborted; %,d transactions done, %,d given up; slowest close %,d ms; after %d s %s%n at the end %s%n",
          time.toSeconds(),
          streams.get(),
          aborted.get(),
          succeeded.get(),
          givenUp.get(),
          TimeUnit.NANOSECONDS.toMillis(slowestCloseNs.get()),
          warmUp.toSeconds(),
          first,
          last);
    }
    assertThat(leaks.found()).isEmpty();
  }

  /**
   * Whether a first transaction came through. A target that runs for the first time may load its
   * classes for longer than it remembers a handshake: then that connection is one of those that
   * nobody knows.
   */
  private boolean isWarm(RtConnection connection) throws Exception {
    long stream = WARM_UP_STREAM + warmUps.getAndIncrement();
    MixedTraffic traffic = new MixedTraffic(connection, 1, stream, 0);
    while (traffic.succeeded() == 0 && traffic.step(PATIENCE)) {
      // once more
    }
    connection.close().get(ProofSettings.CLOSE_MAX.toSeconds(), TimeUnit.SECONDS);
    assertThat(traffic.awaitEnds(PATIENCE)).as("futures without end").isZero();
    assertThat(traffic.wrong()).isEmpty();
    assertThat(traffic.held()).as("payloads still held").isZero();
    return traffic.succeeded() > 0;
  }

  private static boolean hasClosedAll(Map<?, ?> report) {
    return count(report, "closed") == count(report, "accepted");
  }

  private static void assertFlat(String what, long first, long last) {
    assertThat(last)
        .as(what + ", " + first + " bytes at first")
        .isLessThan(first + first / 4 + SLACK_BYTES);
    System.out.printf("%s: %,d bytes at first, %,d at the end%n", what, first, last);
  }

  /**
   * Two drivers an endpoint for {@code time}; what the target says when all connections have ended.
   */
  private Map<?, ?> drive(
      TargetProcess target,
      List<RtEndpoint> endpoints,
      Path file,
      Duration time,
      SplittableRandom random)
      throws Exception {
    ExecutorService drivers = Executors.newFixedThreadPool(2 * endpoints.size());
    List<Future<?>> ends = new ArrayList<>();
    long endNs = System.nanoTime() + time.toNanos();
    for (int i = 0; i < 2 * endpoints.size(); i++) {
      RtEndpoint endpoint = endpoints.get(i / 2);
      SplittableRandom own = random.split();
      ends.add(
          drivers.submit(
              () -> {
                while (System.nanoTime() - endNs < 0) {
                  live(target, endpoint, file, own);
                }
                return null;
              }));
    }
    for (Future<?> end : ends) {
      end.get();
    }
    drivers.shutdown();
    await()
        .atMost(PATIENCE)
        .until(() -> count(target.report(), "closed") == closedBefore + streams.get());
    return target.report();
  }

  /** A connection from its beginning to its end. */
  private void live(TargetProcess target, RtEndpoint endpoint, Path file, SplittableRandom random)
      throws Exception {
    RtConnection connection = endpoint.connect(target.address()).get(30, TimeUnit.SECONDS);
    MixedTraffic traffic =
        new MixedTraffic(connection, 1, streams.getAndIncrement(), random.nextLong()).files(file);
    long endNs = System.nanoTime() + random.nextInt(LIFE_MILLIS_MAX) * 1_000_000L;
    while (System.nanoTime() - endNs < 0) {
      assertThat(traffic.step(PATIENCE)).as("room within " + PATIENCE).isTrue();
    }
    boolean isAborted = random.nextInt(4) == 0;
    if (isAborted) {
      aborted.incrementAndGet();
      connection.channel().config().setOption(ChannelOption.SO_LINGER, 0);
    }
    long closingNs = System.nanoTime();
    connection.close().get(ProofSettings.CLOSE_MAX.toSeconds(), TimeUnit.SECONDS);
    slowestCloseNs.accumulateAndGet(System.nanoTime() - closingNs, Math::max);
    assertThat(traffic.awaitEnds(PATIENCE)).as("futures without end").isZero();
    assertThat(traffic.wrong()).isEmpty();
    assertThat(traffic.held()).as("payloads still held").isZero();
    assertThat(isAborted ? List.of() : traffic.losses())
        .as("lost though it was closed properly; its end: %s", connection.closeReason())
        .isEmpty();
    succeeded.addAndGet(traffic.succeeded());
    givenUp.addAndGet(traffic.givenUp());
  }

  private static long count(Map<?, ?> report, String key) {
    return PausedTargetTest.count(report, key);
  }
}
