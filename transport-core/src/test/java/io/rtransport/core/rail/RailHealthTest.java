package io.rtransport.core.rail;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What a process remembers of interfaces, and what it reports of them. */
class RailHealthTest extends RailHealthFixture {
  @Test
  void shouldForgetHealthyInterfacesAndKeepABoundedNumberOfOthers() {
    pair(1, 11).close();
    assertThat(rail.reports()).isEmpty();
    for (int i = 0; i < RailHealth.UNUSED_MAX + 5; i++) {
      PairHealth pair =
          PairHealth.open(rail, "", null, new InetSocketAddress(address(9), 1 + i), i);
      pair.onSilent(false, NOW);
      pair.close();
    }
    assertThat(rail.reports()).hasSize(RailHealth.UNUSED_MAX);
    assertThat(rail.reports().get(0).name()).as("the oldest went").isEqualTo("10.0.0.9:6");
    PairHealth again = PairHealth.open(rail, "", null, new InetSocketAddress(address(9), 6), 5);
    assertThat(again.first()).as("remembered").isEqualTo(900);
    assertThat(report("*").pathCount()).isEqualTo(1);
    again.close();
  }

  @Test
  void shouldBearManyThreads() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Void>> users = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        int peer = 11 + i % 2;
        users.add(() -> useOften(peer));
      }
      for (Future<Void> user : threads.invokeAll(users)) {
        user.get(); // or its failure
      }
    } finally {
      threads.shutdownNow();
    }
    for (NiReport ni : rail.reports()) {
      assertThat(ni.pathCount()).isZero();
      assertThat(ni.health()).isBetween(0, 1_000);
    }
  }

  private Void useOften(int peer) {
    for (int turn = 0; turn < 5_000; turn++) {
      PairHealth pair = pair(1, peer);
      long nowNs = NOW + turn * SECOND;
      pair.onLossy(nowNs);
      pair.takePing(nowNs + SECOND);
      pair.onAnswered(false, nowNs);
      pair.onSilent(true, nowNs);
      pair.close();
    }
    return null;
  }

  @Test
  void shouldReportAtMostSoManyAndThoseFirstThatAreNotWell() {
    List<PairHealth> pairs = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      pairs.add(pair(1, i));
    }
    pair(1, 4).onError(NiError.PEER_NI_UNREACHABLE, NOW);
    assertThat(rail.reports(2))
        .extracting(NiReport::name)
        .containsExactly("10.0.0.1@blue", "10.0.0.4:7400@blue", "10.0.0.1:7400@blue");
    pairs.get(1).onError(NiError.PEER_NI_UNREACHABLE, NOW);
    pairs.get(1).close();
    assertThat(rail.reports(2))
        .as("one that a path uses before one that none uses")
        .extracting(NiReport::name)
        .containsExactly("10.0.0.1@blue", "10.0.0.4:7400@blue", "10.0.0.2:7400@blue");
    assertThat(rail.reports(100)).hasSize(6);
    assertThat(rail.reports(0)).isEmpty();
    assertThat(rail.localCount()).isEqualTo(1);
    assertThat(rail.peerCount()).isEqualTo(5);
  }

  @Test
  void shouldReportBandAndNextPing() {
    PairHealth pair = pair(1, 1);
    assertThat(report("10.0.0.1:7400@blue").band()).isEqualTo(Band.FULL);
    assertThat(report("10.0.0.1:7400@blue").pingDueNs()).isEqualTo(Long.MAX_VALUE);
    pair.onError(NiError.PEER_NI_UNREACHABLE, NOW);
    assertThat(report("10.0.0.1:7400@blue").band()).isEqualTo(Band.FAIR);
    assertThat(report("10.0.0.1:7400@blue").pingDueNs())
        .isBetween(NOW + 175 * MILLI, NOW + 200 * MILLI);
    assertThat(Band.of(500)).isEqualTo(Band.FAIR);
    assertThat(Band.of(499)).isEqualTo(Band.POOR);
    assertThat(Band.of(1)).isEqualTo(Band.POOR);
    assertThat(Band.of(0)).isEqualTo(Band.NONE);
  }
}
