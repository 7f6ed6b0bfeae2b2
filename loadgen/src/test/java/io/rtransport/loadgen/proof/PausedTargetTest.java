package io.rtransport.loadgen.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.proof.ProofShare;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtEndpoint;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A target that the system does not let run for a while: a debugger, a collection, a virtual
 * machine that moves.
 */
@Tag("proof")
class PausedTargetTest {
  private static final String PROFILE = "lan";
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ProofShare share = new ProofShare();

  @Test
  void shouldLoseNothingWhileTheTargetStandsStillForTwoSeconds() throws Exception {
    int pauses = share.times(2, 20);
    long seed = ProofShare.seed("PausedTargetTest");
    Leaks leaks = Leaks.watch();
    try (TargetProcess target = TargetProcess.start(0, 1, PROFILE);
        RtEndpoint endpoint =
            RtEndpoint.builder().handshake(ProofSettings.handshake(PROFILE)).open()) {
      RtConnection connection = endpoint.connect(target.address()).get(30, TimeUnit.SECONDS);
      MixedTraffic traffic = new MixedTraffic(connection, 1, 1, seed);
      traffic.warmUp();
      for (int i = 0; i < pauses; i++) {
        drive(traffic, Duration.ofMillis(500));
        target.pause();
        drive(traffic, SHORT); // comes to a stop when all that may be under way is
        target.resume();
      }
      drive(traffic, Duration.ofMillis(500));
      assertThat(traffic.awaitEnds(PATIENCE)).as("futures without end").isZero();
      assertThat(connection.closeReason()).isNull();
      assertThat(traffic.wrong()).isEmpty();
      assertThat(traffic.lost()).isZero();
      assertThat(traffic.held()).isZero();
      connection.close().get(ProofSettings.CLOSE_MAX.toSeconds(), TimeUnit.SECONDS);
      Map<?, ?> report = target.report();
      assertNothingWrong(report);
      assertThat(traffic.succeeded())
          .isBetween(1L, count(report, "delivered") + count(report, "pulled"));
      assertThat(target.end()).isZero();
      System.out.printf(
          "%d pauses of 2 s: %,d transactions, none lost; the target's report: %s%n",
          pauses, traffic.succeeded(), report);
    }
    assertThat(leaks.found()).isEmpty();
  }

  @Test
  void shouldEndOnBothSidesWhenTheTargetStandsStillForLongerThanTheTotal() throws Exception {
    int pauses = share.times(1, 5);
    long seed = ProofShare.seed("PausedTargetTest");
    Leaks leaks = Leaks.watch();
    for (int i = 0; i < pauses; i++) {
      try (TargetProcess target = TargetProcess.start(0, 1, PROFILE);
          RtEndpoint endpoint =
              RtEndpoint.builder().handshake(ProofSettings.handshake(PROFILE)).open()) {
        RtConnection connection = endpoint.connect(target.address()).get(30, TimeUnit.SECONDS);
        MixedTraffic traffic = new MixedTraffic(connection, 1, 1, seed + i);
        traffic.warmUp();
        drive(traffic, Duration.ofMillis(500));
        target.pause();
        while (traffic.step(PATIENCE)) {
          // until it is given up
        }
        CloseReason reason = connection.closed().get(60, TimeUnit.SECONDS);
        assertThat(reason.code()).isEqualTo(CloseCode.RETRY_EXCEEDED.code());
        assertThat(traffic.awaitEnds(PATIENCE)).as("futures without end").isZero();
        assertThat(traffic.wrong()).isEmpty();
        assertThat(traffic.held()).isZero();
        target.resume();
        // It finds that nobody answers, or is told by a RESET.
        await().atMost(PATIENCE).until(() -> count(target.report(), "closed") == 1);
        Map<?, ?> report = target.report();
        assertNothingWrong(report);
        System.out.println("longer than the total: the target's report: " + report);
        assertReconnects(endpoint, target);
        assertThat(target.end()).isZero();
      }
    }
    assertThat(leaks.found()).isEmpty();
  }

  private static void assertReconnects(RtEndpoint endpoint, TargetProcess target) throws Exception {
    RtConnection connection = endpoint.connect(target.address()).get(30, TimeUnit.SECONDS);
    ProofMessage message = new ProofMessage(1, 2, 0);
    connection.push(message.payload(100), message.header()).get(30, TimeUnit.SECONDS);
    connection.close().get(ProofSettings.CLOSE_MAX.toSeconds(), TimeUnit.SECONDS);
  }

  private static void drive(MixedTraffic traffic, Duration time) throws Exception {
    long endNs = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = endNs - System.nanoTime()) {
      traffic.step(Duration.ofNanos(left));
    }
  }

  static void assertNothingWrong(Map<?, ?> report) {
    for (String key : new String[] {"foreign", "duplicated", "disordered", "corrupted"}) {
      assertThat(count(report, key)).as(key).isZero();
    }
    assertThat((Iterable<?>) report.get("leaks")).isEmpty();
  }

  static long count(Map<?, ?> report, String key) {
    return ((Number) report.get(key)).longValue();
  }
}
