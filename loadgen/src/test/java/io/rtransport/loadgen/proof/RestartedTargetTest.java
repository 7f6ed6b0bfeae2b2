package io.rtransport.loadgen.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rtransport.core.proof.ProofShare;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtEndpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A target that is killed and comes back at the same address, again and again, while its initiator
 * goes on sending to the old one and everything that was ever sent to the old one is sent again to
 * the new one. The whole proof, for which the machine is there alone, bounds the time that a
 * reconnection takes; a share only prints it.
 */
@Tag("proof")
class RestartedTargetTest {
  private static final String PROFILE = "wan";
  private static final int LIFE_MILLIS_MAX = 400;
  private static final Duration RECONNECT_MAX = Duration.ofSeconds(2);

  /** In a share, which runs beside others: what the tries of a connect, that back off, may miss. */
  private static final Duration SHARED_RECONNECT_MAX = Duration.ofSeconds(15);

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration RETRY = Duration.ofMillis(20);

  private final ProofShare share = new ProofShare();

  @Test
  void shouldReconnectSoonAndTakeNothingThatWasMeantForTheOldLife() throws Exception {
    int restarts = share.times(4, 50);
    boolean isWhole = share.times(1, 100) == 100;
    long seed = ProofShare.seed("RestartedTargetTest");
    SplittableRandom random = new SplittableRandom(seed);
    Leaks leaks = Leaks.watch();
    long slowestNs = 0;
    long replayed = 0;
    long before = 0;
    long after = 0;
    TargetProcess target = TargetProcess.start(0, 0, PROFILE);
    InetSocketAddress address = target.address();
    try (RtEndpoint endpoint =
            RtEndpoint.builder().handshake(ProofSettings.handshake(PROFILE)).open();
        Lateness lateness = new Lateness()) {
      for (int life = 0; life < restarts; life++) {
        try (RecordingRelay relay = new RecordingRelay(address)) {
          RtConnection old = endpoint.connect(relay.address()).get(30, TimeUnit.SECONDS);
          MixedTraffic traffic = new MixedTraffic(old, life, life, random.nextLong());
          traffic.warmUp();
          drive(traffic, random.nextInt(LIFE_MILLIS_MAX));
          target.kill();
          target = TargetProcess.start(address.getPort(), life + 1, PROFILE);

          Duration lateBefore = lateness.sum();
          final long listeningNs = System.nanoTime();
          replayed += relay.replay();
          RtConnection young = reconnect(endpoint, address);
          long reconnectedNs = System.nanoTime() - listeningNs;
          slowestNs = Math.max(slowestNs, reconnectedNs);
          Duration late = lateness.sum().minus(lateBefore);
          assertThat(Duration.ofNanos(reconnectedNs))
              .as("restart %d of seed %d, the machine %s late", life, seed, late)
              .isLessThan(isWhole ? RECONNECT_MAX.plus(late) : SHARED_RECONNECT_MAX.plus(late));

          replayed += relay.replay();
          MixedTraffic next = new MixedTraffic(young, life + 1, 1_000 + life, random.nextLong());
          next.warmUp();
          drive(next, LIFE_MILLIS_MAX / 4);
          while (traffic.step(PATIENCE)) {
            // the old connection's initiator knows of nothing until it is told
          }
          old.closed().get(60, TimeUnit.SECONDS);
          assertThat(traffic.awaitEnds(PATIENCE)).as("futures without end").isZero();
          assertThat(next.awaitEnds(PATIENCE)).as("futures without end").isZero();
          assertThat(traffic.wrong()).isEmpty();
          assertThat(next.wrong()).isEmpty();
          assertThat(next.lost()).isZero();
          before += traffic.succeeded();
          after += next.succeeded();
          assertThat(traffic.held() + next.held()).as("payloads still held").isZero();
          young.close().get(ProofSettings.CLOSE_MAX.toSeconds(), TimeUnit.SECONDS);
          assertOneLife(target);
        }
      }
      assertThat(target.end()).isZero();
    } finally {
      target.close();
    }
    assertThat(leaks.found()).isEmpty();
    assertThat(replayed).isPositive();
    assertThat(before).as("transactions done in old lives").isPositive();
    assertThat(after).as("transactions done in new lives").isPositive();
    System.out.printf(
        "%d restarts: reconnected after at most %,d ms; %,d transactions done before, %,d after; %,d datagrams of old lives replayed, none taken%n",
        restarts, TimeUnit.NANOSECONDS.toMillis(slowestNs), before, after, replayed);
  }

  private static void drive(MixedTraffic traffic, int millis) throws Exception {
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() - endNs < 0) {
      traffic.step(Duration.ofMillis(10));
    }
  }

  /** As an application does: tries until somebody answers. */
  private static RtConnection reconnect(RtEndpoint endpoint, InetSocketAddress address) {
    return await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(RETRY)
        .ignoreExceptionsMatching(
            e -> e instanceof ExecutionException && e.getCause() instanceof IOException)
        .until(() -> endpoint.connect(address).get(30, TimeUnit.SECONDS), Objects::nonNull);
  }

  private static void assertOneLife(TargetProcess target) throws Exception {
    await().atMost(PATIENCE).until(() -> PausedTargetTest.count(target.report(), "closed") == 1);
    Map<?, ?> report = target.report();
    PausedTargetTest.assertNothingWrong(report);
    assertThat(PausedTargetTest.count(report, "accepted")).as("connections").isEqualTo(1);
  }
}
