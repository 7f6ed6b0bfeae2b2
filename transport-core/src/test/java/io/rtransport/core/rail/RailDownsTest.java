package io.rtransport.core.rail;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Which interfaces are down, and who is told that this has changed. */
class RailDownsTest extends RailHealthFixture {
  private final DownNi ours = new DownNi(true, "blue", new InetSocketAddress(address(1), 0));
  private final DownNi peers = new DownNi(false, "blue", new InetSocketAddress(address(11), 7_400));

  /** What was down each time that the waker was called. */
  private final List<List<DownNi>> woken = new ArrayList<>();

  private final Runnable waker =
      () -> {
        assertThat(Thread.holdsLock(rail)).as("called under the lock").isFalse();
        woken.add(rail.downs());
      };

  private void failOurs() {
    rail.onLocalError(NiError.LOCAL_NI_DOWN, "blue", address(1), NOW);
  }

  private void mendOurs() {
    rail.onLocalError(NiError.LOCAL_NI_UP, "blue", address(1), NOW);
  }

  /** One failure takes so much. */
  private void sensitivity(int amount) {
    rail.config(
        RailHealthConfig.usual().with().set(HealthParameter.HEALTH_SENSITIVITY, amount).build());
  }

  @Test
  void shouldBeDownOnceNoHealthIsLeftAndUpWithTheFirstAnswer() {
    rail.watchDowns(waker);
    sensitivity(999);
    PairHealth pair = pair(1, 11);
    pair.onSilent(false, NOW);
    assertThat(peer(11)).isEqualTo(1);
    assertThat(report("10.0.0.11:7400@blue").isDown()).isFalse();
    assertThat(rail.downs()).isEmpty();
    assertThat(woken).isEmpty();
    pair.onSilent(false, NOW + SECOND);
    assertThat(peer(11)).isZero();
    assertThat(report("10.0.0.11:7400@blue").isDown()).isTrue();
    assertThat(report("10.0.0.1@blue").isDown()).isFalse();
    pair.onSilent(false, NOW + 2 * SECOND); // no change
    assertThat(woken).containsExactly(List.of(peers));
    pair.onAnswered(false, NOW + 3 * SECOND);
    assertThat(peer(11)).isEqualTo(200);
    pair.onAnswered(false, NOW + 4 * SECOND);
    assertThat(woken).containsExactly(List.of(peers), List.of());
  }

  @Test
  void shouldBeDownWhileItHasFailedWhateverItsHealth() {
    rail.watchDowns(waker);
    PairHealth pair = pair(1, 11);
    failOurs();
    failOurs(); // no change
    assertThat(report("10.0.0.1@blue").isDown()).isTrue();
    mendOurs();
    assertThat(woken).containsExactly(List.of(ours), List.of());
    sensitivity(1_000);
    pair.onQueued(NOW);
    failOurs(); // it is down already
    mendOurs(); // and still is
    assertThat(woken).hasSize(3).endsWith(List.of(ours));
    pair.onAnswered(false, NOW);
    assertThat(woken).hasSize(4).endsWith(List.of());
  }

  /** Each of these takes the only health there is, at least at one end. */
  @TestFactory
  List<DynamicTest> shouldWakeOnceForWhateverMakesAnInterfaceGoDown() {
    record Row(String what, BiConsumer<RailDownsTest, PairHealth> event, boolean isOurs) {}
    List<Row> rows = new ArrayList<>();
    rows.add(new Row("silent", (t, p) -> p.onSilent(false, NOW), false));
    rows.add(
        new Row(
            "silent alone, as a second peer",
            (t, p) -> {
              t.pair(1, 12).onSilent(true, NOW);
              p.onSilent(true, NOW);
            },
            true));
    rows.add(new Row("queued", (t, p) -> p.onQueued(NOW), true));
    rows.add(new Row("lossy", (t, p) -> p.onLossy(NOW), false));
    rows.add(new Row("error", (t, p) -> p.onError(NiError.PEER_NI_UNREACHABLE, NOW), false));
    rows.add(new Row("failure", (t, p) -> p.onError(NiError.PEER_NI_ADDR_ERROR, NOW), false));
    rows.add(new Row("our device", (t, p) -> t.failOurs(), true));
    rows.add(
        new Row(
            "a router's",
            (t, p) ->
                t.rail.onPeerError(NiError.PEER_NI_CONNECT_ERROR, "blue", t.peers.address(), NOW),
            false));
    List<DynamicTest> tests = new ArrayList<>();
    for (Row row : rows) {
      tests.add(
          DynamicTest.dynamicTest(
              row.what,
              () -> {
                RailDownsTest fresh = new RailDownsTest();
                fresh.sensitivity(1_000);
                PairHealth pair = fresh.pair(1, 11);
                fresh.rail.watchDowns(fresh.waker);
                row.event.accept(fresh, pair);
                assertThat(fresh.woken)
                    .containsExactly(List.of(row.isOurs ? fresh.ours : fresh.peers));
              }));
    }
    return tests;
  }

  @Test
  void shouldWakeOnceForBothEndsOfAPair() {
    sensitivity(1_000);
    PairHealth pair = pair(1, 11);
    rail.watchDowns(waker);
    pair.onSendsFailing(NOW);
    assertThat(woken).containsExactly(List.of(ours, peers));
    pair.onAnswered(false, NOW + 1);
    assertThat(woken).hasSize(2).endsWith(List.of());
  }

  @Test
  void shouldWakeWhereAPingIsNotAnsweredByTheLetter() {
    letter();
    PairHealth pair = pair(1, 11);
    pair.onError(NiError.PEER_NI_UNREACHABLE, NOW);
    rail.watchDowns(waker);
    for (int i = 1; i < 9; i++) {
      pair.onUnanswered(NOW + i * SECOND);
    }
    assertThat(peer(11)).isEqualTo(100);
    assertThat(woken).isEmpty();
    pair.onUnanswered(NOW + 9 * SECOND);
    assertThat(woken).containsExactly(List.of(peers));
    rail.onPeerAnswered("blue", peers.address(), NOW + 10 * SECOND);
    assertThat(woken).containsExactly(List.of(peers), List.of());
  }

  @Test
  void shouldTakeWhatIsForgottenForUp() {
    rail.watchDowns(waker);
    PairHealth pair = pair(1, 11);
    pair.onError(NiError.PEER_NI_ADDR_ERROR, NOW);
    failOurs();
    assertThat(woken).hasSize(2);
    pair.close(); // a peer's begins anew; ours is down until it is up
    assertThat(woken).hasSize(3).endsWith(List.of(ours));
    mendOurs();
    assertThat(woken).hasSize(4).endsWith(List.of());
    assertThat(rail.localCount()).isZero();
  }

  @Test
  void shouldNotKnowMoreThatAreDownThanAreRemembered() {
    sensitivity(1_000);
    InetSocketAddress first = new InetSocketAddress(address(9), 1);
    for (int i = 0; i < RailHealth.UNUSED_MAX; i++) {
      InetSocketAddress each = new InetSocketAddress(address(9), 1 + i);
      rail.onPeerError(NiError.PEER_NI_UNREACHABLE, "", each, NOW);
    }
    DownNi oldest = new DownNi(false, "", first);
    assertThat(rail.downs()).hasSize(RailHealth.UNUSED_MAX).startsWith(oldest);
    rail.watchDowns(waker);
    rail.onPeerError(NiError.PEER_NI_UNREACHABLE, "", peers.address(), NOW);
    assertThat(woken).as("one went, one came").hasSize(1);
    assertThat(rail.downs()).hasSize(RailHealth.UNUSED_MAX).doesNotContain(oldest);
  }

  @Test
  void shouldLeaveOutAnInterfaceWhoseAddressIsNotKnown() {
    sensitivity(1_000);
    PairHealth pair = PairHealth.open(rail, "blue", null, peers.address(), 11);
    pair.onSendsFailing(NOW);
    assertThat(rail.downs()).containsExactly(peers);
  }

  @Test
  void shouldWakeNobodyForAHealthThatOnlyFallsOrForAKnob() {
    rail.watchDowns(waker);
    PairHealth pair = pair(1, 11);
    pair.onSilent(false, NOW);
    pair.onLossy(NOW);
    pair.takePing(NOW + SECOND);
    pair.onAnswered(false, NOW + SECOND);
    pair.onReported(NiError.PEER_NI_NO_LISTENER);
    pair.onError(NiError.PEER_NI_NO_LISTENER, NOW);
    sensitivity(1_000);
    pair.close();
    assertThat(woken).isEmpty();
  }

  @Test
  void shouldForgetAWaker() {
    List<String> others = new ArrayList<>();
    Runnable other = () -> others.add("woken");
    rail.watchDowns(waker);
    rail.watchDowns(other);
    assertThat(rail.wakerCount()).isEqualTo(2);
    failOurs();
    rail.unwatchDowns(waker);
    assertThat(rail.wakerCount()).isEqualTo(1);
    mendOurs();
    assertThat(woken).hasSize(1);
    assertThat(others).hasSize(2);
    rail.unwatchDowns(other);
    rail.unwatchDowns(other);
    assertThat(rail.wakerCount()).isZero();
  }
}
