package io.rtransport.loadgen.proof;

import static io.rtransport.loadgen.proof.ProxiedTarget.counters;
import static io.rtransport.loadgen.proof.ProxiedTarget.drive;
import static io.rtransport.loadgen.proof.ProxiedTarget.retransmits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.proof.ProofShare;
import io.rtransport.core.stats.CounterId;
import io.rtransport.loadgen.impair.Impairment;
import io.rtransport.netty.facade.RtConnection;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Named scenarios over real sockets: an initiator here, a target in another process, the impairment
 * proxy between them. docs/reference/proofs.md has their table.
 */
@Tag("proof")
class ProxiedScenariosTest {
  private static final String LAN = "lan";
  private static final long MILLI_NS = 1_000_000;

  private final ProofShare share = new ProofShare();

  private static Impairment loss(double probability) {
    return new Impairment(probability, 0, 0, 0, 0, 0, 0);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3})
  void shouldLoseNothingOnTheLossLadder(double probability) throws Exception {
    Duration time = share.time(Duration.ofSeconds(2), Duration.ofSeconds(20));
    long seed = ProofShare.seed("loss of " + probability);
    try (ProxiedTarget rig = new ProxiedTarget(LAN, loss(probability), seed)) {
      RtConnection connection = rig.connect();
      MixedTraffic traffic = new MixedTraffic(connection, 1, 1, seed);
      drive(traffic, time);
      assertThat(traffic.awaitEnds(ProxiedTarget.PATIENCE)).as("futures without end").isZero();
      Map<CounterId, Long> counters = counters(connection);
      rig.assertNothingLost(connection, traffic);
      if (probability >= 0.05) {
        assertThat(rig.dropped()).isPositive();
        assertThat(retransmits(counters)).isPositive();
      }
      System.out.printf(
          "loss %.3f: %,d transactions in %d s, %,d of %s datagrams dropped, %,d of ours resent%n",
          probability,
          traffic.succeeded(),
          time.toSeconds(),
          rig.dropped(),
          rig.proxy().counts().get("datagrams"),
          retransmits(counters));
    }
  }

  @Test
  void shouldConnectFiftyTimesAtThirtyPercentLossEachWay() throws Exception {
    int handshakes = share.times(10, 50);
    long seed = ProofShare.seed("handshakes");
    long slowestNs = 0;
    try (ProxiedTarget rig = new ProxiedTarget(LAN, loss(0.3), seed)) {
      for (int i = 0; i < handshakes; i++) {
        long startNs = System.nanoTime();
        RtConnection connection = rig.connect(); // the connect timeout of 30 s is the bound
        slowestNs = Math.max(slowestNs, System.nanoTime() - startNs);
        ProofMessage message = new ProofMessage(1, i, 0);
        connection.push(message.payload(10), message.header()).get(120, TimeUnit.SECONDS);
        connection.close().get(ProofSettings.CLOSE_MAX.toSeconds(), TimeUnit.SECONDS);
      }
      assertThat(rig.dropped()).isPositive();
      assertThat(PausedTargetTest.count(rig.target().report(), "accepted")).isEqualTo(handshakes);
    }
    System.out.printf(
        "%d handshakes at 30 %% loss each way, the slowest in %,d ms%n",
        handshakes, TimeUnit.NANOSECONDS.toMillis(slowestNs));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.02, 0.3})
  void shouldLetNothingDamagedThrough(double probability) throws Exception {
    Duration time = share.time(Duration.ofSeconds(2), Duration.ofSeconds(20));
    long seed = ProofShare.seed("corruption of " + probability);
    Impairment impairment = new Impairment(0, 0, 0, 0, 0, probability, 0);
    try (ProxiedTarget rig = new ProxiedTarget(LAN, impairment, seed)) {
      RtConnection connection = rig.connect();
      MixedTraffic traffic = new MixedTraffic(connection, 1, 1, seed);
      drive(traffic, time);
      rig.assertNothingLost(connection, traffic);
      assertThat(((Number) rig.proxy().counts().get("corrupted")).longValue()).isPositive();
      System.out.printf(
          "corruption %.2f: %,d transactions, %s%n",
          probability, traffic.succeeded(), rig.proxy().counts());
    }
  }

  @Test
  void shouldSurviveTwoDarkSecondsInSeven() throws Exception {
    int cycles = share.times(1, 5);
    long seed = ProofShare.seed("5 s on, 2 s off");
    try (ProxiedTarget rig = new ProxiedTarget(LAN, Impairment.NONE, seed)) {
      RtConnection connection = rig.connect();
      MixedTraffic traffic = new MixedTraffic(connection, 1, 1, seed);
      for (int i = 0; i < cycles; i++) {
        drive(traffic, Duration.ofSeconds(5));
        rig.proxy().dark(true);
        drive(traffic, Duration.ofSeconds(2));
        rig.proxy().dark(false);
      }
      drive(traffic, Duration.ofSeconds(1));
      rig.assertNothingLost(connection, traffic);
      assertThat(rig.dropped()).isPositive();
      System.out.printf(
          "5 s on, 2 s off, %d times: %,d transactions, none lost%n", cycles, traffic.succeeded());
    }
  }

  @Test
  void shouldSurviveThirtyDarkSecondsWithTheProfileForWideAreas() throws Exception {
    assumeThat(share.times(1, 100)).as("half a minute: in the larger shares").isGreaterThan(49);
    long seed = ProofShare.seed("30 s dark, wan");
    try (ProxiedTarget rig = new ProxiedTarget("wan", Impairment.NONE, seed)) {
      RtConnection connection = rig.connect();
      MixedTraffic traffic = new MixedTraffic(connection, 1, 1, seed);
      drive(traffic, Duration.ofSeconds(2));
      rig.proxy().dark(true);
      drive(traffic, Duration.ofSeconds(30));
      rig.proxy().dark(false);
      drive(traffic, Duration.ofSeconds(2));
      rig.assertNothingLost(connection, traffic);
      System.out.printf("30 s dark, wan: %,d transactions, none lost%n", traffic.succeeded());
    }
  }

  @Test
  void shouldEndOnBothSidesInThirtyDarkSecondsWithTheProfileForLocalNets() throws Exception {
    long seed = ProofShare.seed("30 s dark, lan");
    // A timeout is a second at most, the floor's cap.
    Duration bound = ProofSettings.total(LAN).plusSeconds(3);
    try (ProxiedTarget rig = new ProxiedTarget(LAN, Impairment.NONE, seed);
        Lateness lateness = new Lateness()) {
      RtConnection connection = rig.connect();
      MixedTraffic traffic = new MixedTraffic(connection, 1, 1, seed);
      drive(traffic, Duration.ofSeconds(2));
      Duration lateBefore = lateness.sum();
      rig.proxy().dark(true);
      final long darkNs = System.nanoTime();
      CompletableFuture<Long> theirEnd =
          CompletableFuture.supplyAsync(
              () -> {
                await()
                    .atMost(Duration.ofSeconds(30))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> PausedTargetTest.count(rig.target().report(), "closed") == 1);
                return System.nanoTime() - darkNs;
              });
      while (traffic.step(ProxiedTarget.PATIENCE)) {
        // until it is given up
      }
      CloseReason reason = connection.closed().get(30, TimeUnit.SECONDS);
      Duration ours = Duration.ofNanos(System.nanoTime() - darkNs);
      Duration theirs = Duration.ofNanos(theirEnd.get(30, TimeUnit.SECONDS));
      Duration late = lateness.sum().minus(lateBefore);
      assertThat(reason.code()).isEqualTo(CloseCode.RETRY_EXCEEDED.code());
      assertThat(ours).as("our end, the machine %s late", late).isLessThan(bound.plus(late));
      assertThat(theirs).as("their end, the machine %s late", late).isLessThan(bound.plus(late));
      assertThat(traffic.awaitEnds(ProxiedTarget.PATIENCE)).as("futures without end").isZero();
      assertThat(traffic.wrong()).isEmpty();
      assertThat(traffic.held()).isZero();
      PausedTargetTest.assertNothingWrong(rig.target().report());
      System.out.printf(
          "30 s dark, lan: ended here after %,d ms, there after %,d ms; bound %,d ms%n",
          ours.toMillis(), theirs.toMillis(), bound.toMillis());
    }
  }

  @Test
  void shouldResendAHundredToTwoHundredTimesForAHundredGapsInTenMebibytes() throws Exception {
    long seed = ProofShare.seed("100 gaps");
    int messageBytes = 64 << 10;
    int messages = (10 << 20) / messageBytes;
    try (ProxiedTarget rig = new ProxiedTarget(LAN, Impairment.NONE, seed)) {
      RtConnection connection = rig.connect();
      long before = 40; // the handshake, and what warms up
      rig.proxy().loseOutbound(nth -> nth >= before && nth % 60 == 0 && nth < before + 100 * 60);
      List<CompletableFuture<Void>> ends = new ArrayList<>();
      for (int i = 0; i < messages; i++) {
        ProofMessage message = new ProofMessage(1, 1, i);
        if (!message.isToFail()) {
          ends.add(connection.push(message.payload(messageBytes), message.header()));
        }
      }
      for (CompletableFuture<Void> end : ends) {
        end.get(120, TimeUnit.SECONDS);
      }
      long resent = retransmits(counters(connection));
      assertThat(rig.dropped()).isEqualTo(100);
      assertThat(resent).isBetween(100L, 200L);
      connection.close().get(ProofSettings.CLOSE_MAX.toSeconds(), TimeUnit.SECONDS);
      PausedTargetTest.assertNothingWrong(rig.target().report());
      System.out.printf("100 gaps in 10 MiB: %d resent%n", resent);
    }
  }

  /**
   * A timeout is spurious by rights where the machine stood still for longer than it: such a run
   * says nothing, and is done again.
   */
  @ParameterizedTest
  @ValueSource(ints = {30, 250})
  void shouldNotTimeOutSpuriouslyOverALongRoundTrip(int rttMillis) throws Exception {
    Duration time = share.time(Duration.ofSeconds(5), Duration.ofSeconds(30));
    long seed = ProofShare.seed("RTT of " + rttMillis + " ms");
    Impairment delay = new Impairment(0, rttMillis * MILLI_NS / 2, 0, 0, 0, 0, 0);
    for (int attempt = 1; ; attempt++) {
      try (ProxiedTarget rig = new ProxiedTarget("wan", delay, seed);
          Lateness lateness = new Lateness()) {
        RtConnection connection = rig.connect();
        MixedTraffic traffic = new MixedTraffic(connection, 1, 1, seed);
        drive(traffic, time);
        assertThat(traffic.awaitEnds(ProxiedTarget.PATIENCE)).isZero();
        Map<CounterId, Long> counters = counters(connection);
        rig.assertNothingLost(connection, traffic);
        long timeouts = counters.getOrDefault(CounterId.RETRANSMITS_TIMEOUT, 0L);
        System.out.printf(
            "RTT %d ms, attempt %d: %,d transactions, %d resent by timeout, %d in all; the machine at most %,d ms late%n",
            rttMillis,
            attempt,
            traffic.succeeded(),
            timeouts,
            retransmits(counters),
            lateness.worst().toMillis());
        boolean isMachineToBlame = lateness.worst().toMillis() >= 10;
        if (timeouts == 0 || !isMachineToBlame || attempt == 10) {
          assertThat(timeouts).as("resent by timeout, nothing being lost").isZero();
          return;
        }
      }
    }
  }

  @Test
  void shouldFollowPortsAndAddressesThatChange() throws Exception {
    int changes = share.times(4, 20);
    long seed = ProofShare.seed("rebinding");
    try (ProxiedTarget rig = new ProxiedTarget(LAN, Impairment.NONE, seed)) {
      RtConnection connection = rig.connect();
      MixedTraffic traffic = new MixedTraffic(connection, 1, 1, seed);
      for (int i = 0; i < changes; i++) {
        drive(traffic, Duration.ofMillis(1_000));
        rig.proxy()
            .rebind(
                i % 2 == 0 ? null : InetAddress.getByName(i % 4 == 1 ? "127.0.0.2" : "127.0.0.1"));
      }
      drive(traffic, Duration.ofMillis(1_000));
      assertThat(counters(connection).getOrDefault(CounterId.PATH_CHALLENGES_RECEIVED, 0L))
          .isGreaterThanOrEqualTo(changes / 2);
      rig.assertNothingLost(connection, traffic);
      System.out.printf(
          "%d changes of port or address: %,d transactions, none lost%n",
          changes, traffic.succeeded());
    }
  }

  @Test
  void shouldNotSeeTheSamePacketsTwice() throws Exception {
    Duration time = share.time(Duration.ofSeconds(2), Duration.ofSeconds(20));
    long seed = ProofShare.seed("duplicates");
    Impairment twice = new Impairment(0, 0, 0, 0.02, 0.1, 0, 0);
    try (ProxiedTarget rig = new ProxiedTarget(LAN, twice, seed)) {
      RtConnection connection = rig.connect();
      MixedTraffic traffic = new MixedTraffic(connection, 1, 1, seed);
      drive(traffic, time);
      assertThat(counters(connection).getOrDefault(CounterId.DUPLICATES_RECEIVED, 0L)).isPositive();
      rig.assertNothingLost(connection, traffic);
      System.out.printf("10 %% duplicates: %,d transactions%n", traffic.succeeded());
    }
  }
}
