package io.rtransport.core.rail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Which interface loses health for what, how much of it, and how often. */
class RailChargesTest extends RailHealthFixture {
  private record Row(
      String what, BiConsumer<RailChargesTest, PairHealth> event, int local, int peer) {}

  private record TimeoutRow(
      String what,
      BiConsumer<RailChargesTest, PairHealth> event,
      Map<Cause, Long> local,
      Map<Cause, Long> peer) {}

  @TestFactory
  List<DynamicTest> shouldChargeWhoTheScenarioNames() {
    List<Row> rows = new ArrayList<>();
    rows.add(new Row("nothing", (t, p) -> {}, 1_000, 1_000));
    rows.add(new Row("scenario 1: waited in our queue", (t, p) -> p.onQueued(NOW), 900, 1_000));
    rows.add(new Row("scenario 2: sends kept failing", (t, p) -> p.onSendsFailing(NOW), 900, 900));
    rows.add(
        new Row(
            "scenario 3: not acknowledged, by none of ours",
            (t, p) -> p.onSilent(false, NOW),
            1_000,
            900));
    rows.add(
        new Row(
            "scenario 3: not acknowledged, but by another of ours",
            (t, p) -> p.onSilent(true, NOW),
            1_000,
            1_000));
    rows.add(
        new Row(
            "the same for a second peer",
            (t, p) -> {
              p.onSilent(true, NOW);
              t.pair(1, 12).onSilent(true, NOW);
            },
            900,
            1_000));
    rows.add(
        new Row(
            "the same interface of a peer by two pairs of ours",
            (t, p) -> {
              p.onSilent(true, NOW);
              t.pair(1, 11).onSilent(true, NOW);
              t.pair(2, 12).onSilent(true, NOW);
            },
            1_000,
            1_000));
    rows.add(
        new Row(
            "the same for a second interface of one peer",
            (t, p) -> {
              p.onSilent(true, NOW);
              t.pair(1, 12, 11).onSilent(true, NOW);
            },
            1_000,
            1_000));
    long memoryNs = 2 * RailHealthConfig.usual().pathTimeoutNs();
    for (boolean isInTime : new boolean[] {true, false}) {
      long laterNs = memoryNs + (isInTime ? 0 : 1);
      rows.add(
          new Row(
              "the same for a second peer, " + laterNs + " ns later",
              (t, p) -> {
                t.pair(1, 12).onSilent(true, NOW);
                p.onSilent(true, NOW + laterNs);
              },
              isInTime ? 900 : 1_000,
              1_000));
    }
    rows.add(
        new Row(
            "a second interface, after the first has answered",
            (t, p) -> {
              p.onSilent(true, NOW);
              p.onAnswered(false, NOW);
              t.pair(1, 12).onSilent(true, NOW);
            },
            1_000,
            1_000));
    rows.add(
        new Row(
            "a second interface, after the first was closed",
            (t, p) -> {
              PairHealth other = t.pair(1, 12);
              other.onSilent(true, NOW);
              other.close();
              p.onSilent(true, NOW);
            },
            1_000,
            1_000));
    rows.add(
        new Row(
            "silent by all, after it was silent alone: the first pair counts no more",
            (t, p) -> {
              PairHealth other = t.pair(1, 12);
              other.onSilent(true, NOW);
              other.onSilent(false, NOW);
              p.onSilent(true, NOW);
            },
            1_000,
            1_000));
    rows.add(new Row("too much loss", (t, p) -> p.onLossy(NOW), 1_000, 800));
    rows.add(
        new Row(
            "too much loss, twice by one peer",
            (t, p) -> {
              p.onLossy(NOW);
              t.pair(1, 11).onLossy(NOW + 1);
            },
            1_000,
            800));
    rows.add(
        new Row(
            "too much loss, by two interfaces of one peer",
            (t, p) -> {
              t.pair(1, 12, 11).onLossy(NOW);
              p.onLossy(NOW + 1);
            },
            1_000,
            800));
    for (boolean isInTime : new boolean[] {true, false}) {
      long laterNs = RailHealth.LOSS_TOGETHER_NS - (isInTime ? 1 : 0);
      rows.add(
          new Row(
              "too much loss by two peers, " + laterNs + " ns apart",
              (t, p) -> {
                t.pair(1, 12).onLossy(NOW);
                p.onLossy(NOW + laterNs);
              },
              isInTime ? 800 : 1_000,
              800));
    }
    for (NiError error : NiError.values()) {
      rows.add(
          new Row(
              error.name(),
              (t, p) -> p.onError(error, NOW),
              error.onLocal() == NiError.Effect.CHARGED ? 900 : 1_000,
              error.onPeer() == NiError.Effect.CHARGED ? 900 : 1_000));
    }
    List<DynamicTest> tests = new ArrayList<>();
    for (Row row : rows) {
      tests.add(
          DynamicTest.dynamicTest(
              row.what,
              () -> {
                RailChargesTest fresh = new RailChargesTest();
                row.event.accept(fresh, fresh.pair(1, 11));
                assertThat(fresh.local(1)).as("ours").isEqualTo(row.local);
                assertThat(fresh.peer(11)).as("the peer's").isEqualTo(row.peer);
              }));
    }
    return tests;
  }

  @TestFactory
  List<DynamicTest> shouldCountATimeoutAtEachEndThatItConcerns() {
    Map<Cause, Long> none = Map.of();
    Map<Cause, Long> remote = Map.of(Cause.REMOTE_TIMEOUT, 1L);
    Map<Cause, Long> network = Map.of(Cause.NETWORK_TIMEOUT, 1L);
    List<TimeoutRow> rows = new ArrayList<>();
    rows.add(new TimeoutRow("nothing", (t, p) -> {}, none, none));
    rows.add(
        new TimeoutRow(
            "scenario 1: waited in our queue",
            (t, p) -> p.onQueued(NOW),
            Map.of(Cause.LOCAL_TIMEOUT, 1L),
            none));
    rows.add(
        new TimeoutRow(
            "scenario 2: sends kept failing", (t, p) -> p.onSendsFailing(NOW), network, network));
    rows.add(
        new TimeoutRow(
            "scenario 3: not acknowledged", (t, p) -> p.onSilent(false, NOW), remote, remote));
    rows.add(
        new TimeoutRow(
            "scenario 3, of a pair alone: nobody is charged",
            (t, p) -> p.onSilent(true, NOW),
            remote,
            remote));
    rows.add(
        new TimeoutRow(
            "by another interface of ours",
            (t, p) -> t.pair(2, 11).onSilent(false, NOW),
            none,
            remote));
    rows.add(
        new TimeoutRow(
            "of another interface of the peer",
            (t, p) -> t.pair(1, 12).onSilent(false, NOW),
            remote,
            none));
    rows.add(new TimeoutRow("too much loss", (t, p) -> p.onLossy(NOW), none, none));
    rows.add(new TimeoutRow("no answer to a PING", (t, p) -> p.onUnanswered(NOW), none, none));
    for (NiError error : NiError.values()) { // these are counted as errors
      rows.add(new TimeoutRow(error.name(), (t, p) -> p.onError(error, NOW), none, none));
    }
    List<DynamicTest> tests = new ArrayList<>();
    for (TimeoutRow row : rows) {
      tests.add(
          DynamicTest.dynamicTest(
              row.what,
              () -> {
                RailChargesTest fresh = new RailChargesTest();
                row.event.accept(fresh, fresh.pair(1, 11));
                NiReport ours = fresh.report("10.0.0.1@blue");
                NiReport peers = fresh.report("10.0.0.11:7400@blue");
                assertThat(ours.timeouts()).as("ours").isEqualTo(row.local);
                assertThat(peers.timeouts()).as("the peer's").isEqualTo(row.peer);
              }));
    }
    return tests;
  }

  @Test
  void shouldCountEachTimeoutThoughItIsChargedOnceASecond() {
    PairHealth pair = pair(1, 11);
    PairHealth same = pair(1, 11); // of another connection
    for (long ns : new long[] {0, 1, SECOND - 1, SECOND}) {
      pair.onSilent(false, NOW + ns);
      same.onSilent(false, NOW + ns);
      same.onSendsFailing(NOW + ns);
      same.onQueued(NOW + ns);
    }
    NiReport ours = report("10.0.0.1@blue");
    NiReport peers = report("10.0.0.11:7400@blue");
    assertThat(peers.charges())
        .isEqualTo(Map.of(Cause.REMOTE_TIMEOUT, 2L, Cause.NETWORK_TIMEOUT, 2L));
    assertThat(peers.timeouts())
        .isEqualTo(Map.of(Cause.REMOTE_TIMEOUT, 8L, Cause.NETWORK_TIMEOUT, 4L));
    assertThat(ours.charges())
        .isEqualTo(Map.of(Cause.LOCAL_TIMEOUT, 2L, Cause.NETWORK_TIMEOUT, 2L));
    assertThat(ours.timeouts())
        .isEqualTo(
            Map.of(Cause.LOCAL_TIMEOUT, 4L, Cause.REMOTE_TIMEOUT, 8L, Cause.NETWORK_TIMEOUT, 4L));
  }

  @Test
  void shouldGiveEachErrorTheEffectOfTheDocument() {
    assertThat(effects(NiError.LOCAL_NI_DOWN)).isEqualTo("FAILS NONE");
    assertThat(effects(NiError.LOCAL_NI_UP)).isEqualTo("WORKS_AGAIN NONE");
    assertThat(effects(NiError.LOCAL_NI_SEND_TIMEOUT)).isEqualTo("CHARGED NONE");
    assertThat(effects(NiError.PEER_NI_NO_LISTENER)).isEqualTo("NONE DOUBTED");
    assertThat(effects(NiError.PEER_NI_ADDR_ERROR)).isEqualTo("NONE FAILS");
    assertThat(effects(NiError.PEER_NI_UNREACHABLE)).isEqualTo("NONE CHARGED");
    assertThat(effects(NiError.PEER_NI_CONNECT_ERROR)).isEqualTo("NONE CHARGED");
    assertThat(effects(NiError.PEER_NI_CONNECTION_REJECTED)).isEqualTo("NONE CHARGED");
    assertThat(NiError.values()).hasSize(8);
  }

  private static String effects(NiError error) {
    return error.onLocal() + " " + error.onPeer();
  }

  @Test
  void shouldFailOurInterfaceUntilItIsUpAndKeepItsHealth() {
    PairHealth pair = pair(1, 11);
    pair.onQueued(NOW);
    long version = rail.version();
    rail.onLocalError(NiError.LOCAL_NI_DOWN, "blue", address(1), NOW);
    assertThat(pair.isFailed()).isTrue();
    assertThat(rail.version()).isGreaterThan(version);
    assertThat(pair.local.pingDueNs()).as("it is not asked").isEqualTo(Long.MAX_VALUE);
    rail.onLocalError(NiError.LOCAL_NI_UP, "blue", address(1), NOW);
    assertThat(pair.isFailed()).isFalse();
    assertThat(local(1)).isEqualTo(900);
    assertThat(report("10.0.0.1@blue").errors())
        .isEqualTo(Map.of(NiError.LOCAL_NI_DOWN, 1L, NiError.LOCAL_NI_UP, 1L));
    assertThatThrownBy(
            () -> rail.onLocalError(NiError.PEER_NI_UNREACHABLE, "blue", address(1), NOW))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PEER_NI_UNREACHABLE");
  }

  @Test
  void shouldCountAnErrorAtTheInterfaceThatHasIt() {
    PairHealth pair = pair(1, 11);
    Map<NiError, Long> atPeer = new EnumMap<>(NiError.class);
    for (NiError error : NiError.values()) {
      if (error.onPeer() != NiError.Effect.NONE) {
        atPeer.put(error, 2L);
        pair.onError(error, NOW);
        pair.onError(error, NOW); // counted though it is charged once a second
      }
    }
    assertThat(atPeer).hasSize(5);
    assertThat(report("10.0.0.11:7400@blue").errors()).isEqualTo(atPeer);
    assertThat(report("10.0.0.1@blue").errors()).isEmpty();
    pair.onError(NiError.LOCAL_NI_SEND_TIMEOUT, NOW);
    assertThat(report("10.0.0.1@blue").errors())
        .isEqualTo(Map.of(NiError.LOCAL_NI_SEND_TIMEOUT, 1L));
    assertThat(report("10.0.0.11:7400@blue").errors()).isEqualTo(atPeer);
  }

  @Test
  void shouldKeepOurInterfaceDownThoughNoPathUsesIt() {
    rail.onLocalError(NiError.LOCAL_NI_DOWN, "blue", address(1), NOW); // before any path
    PairHealth pair = pair(1, 11);
    assertThat(pair.isFailed()).isTrue();
    pair.close();
    assertThat(pair(1, 11).isFailed()).isTrue();
    rail.onLocalError(NiError.LOCAL_NI_UP, "blue", address(1), NOW);
    assertThat(pair(1, 11).isFailed()).isFalse();
    for (int i = 0; i < RailHealth.UNUSED_MAX + 5; i++) {
      rail.onLocalError(NiError.LOCAL_NI_DOWN, "net" + i, address(1), NOW);
    }
    assertThat(rail.reports().stream().filter(NiReport::isFailed)).hasSize(RailHealth.UNUSED_MAX);
    rail.onLocalError(NiError.LOCAL_NI_UP, "net900", address(1), NOW);
    assertThat(rail.reports().stream().filter(NiReport::isFailed))
        .hasSize(RailHealth.UNUSED_MAX - 1);
    assertThat(rail.reports()).as("forgotten").noneMatch(ni -> ni.name().endsWith("net900"));
  }

  @Test
  void shouldForgetAWrongAddressOnceNobodyUsesIt() {
    PairHealth pair = pair(1, 11);
    pair.onError(NiError.PEER_NI_ADDR_ERROR, NOW);
    PairHealth other = pair(1, 11);
    assertThat(other.isFailed()).isTrue();
    pair.close();
    other.close();
    assertThat(pair(1, 11).isFailed()).isFalse();
  }

  // ---- how much, and how often

  @Test
  void shouldChargeOncePerCauseAndSecond() {
    PairHealth pair = pair(1, 11);
    PairHealth same = pair(2, 11);
    pair.onSilent(false, NOW);
    same.onSilent(false, NOW + SECOND - 1);
    assertThat(peer(11)).isEqualTo(900);
    same.onSilent(false, NOW + SECOND);
    assertThat(peer(11)).isEqualTo(800);
    pair.onError(NiError.PEER_NI_UNREACHABLE, NOW + SECOND); // the same failure
    assertThat(peer(11)).isEqualTo(800);
    pair.onError(NiError.PEER_NI_CONNECTION_REJECTED, NOW + SECOND); // another one
    assertThat(peer(11)).isEqualTo(700);
    assertThat(report("10.0.0.11:7400@blue").charges())
        .isEqualTo(Map.of(Cause.REMOTE_TIMEOUT, 2L, Cause.ERROR, 1L));
  }

  @Test
  void shouldChargeLossTwiceAndEvery250Milliseconds() {
    PairHealth pair = pair(1, 11);
    pair.onLossy(NOW);
    pair.onLossy(NOW + 250 * MILLI - 1);
    assertThat(peer(11)).isEqualTo(800);
    pair.onLossy(NOW + 250 * MILLI);
    assertThat(peer(11)).isEqualTo(600);
  }

  @Test
  void shouldStayWithinZeroAndTheMaximum() {
    PairHealth pair = pair(1, 11);
    for (int i = 0; i < 6; i++) {
      pair.onLossy(NOW + i * SECOND);
    }
    assertThat(peer(11)).isZero();
    for (int i = 0; i < 6; i++) {
      pair.onAnswered(false, NOW + (10 + i) * SECOND);
    }
    assertThat(peer(11)).isEqualTo(1_000);
    assertThat(pair.isFull()).isTrue();
  }

  @Test
  void shouldTurnHealthOffWithSensitivity0() {
    rail.config(RailHealthConfig.usual().with().set(HealthParameter.HEALTH_SENSITIVITY, 0).build());
    PairHealth pair = pair(1, 11);
    pair.onLossy(NOW);
    pair.onSilent(false, NOW);
    pair.onError(NiError.PEER_NI_UNREACHABLE, NOW);
    assertThat(peer(11)).isEqualTo(1_000);
    assertThat(report("10.0.0.11:7400@blue").timeouts())
        .as("counted all the same")
        .isEqualTo(Map.of(Cause.REMOTE_TIMEOUT, 1L));
    assertThat(rail.config().isAsGood(0, 1_000)).as("the rest is ignored").isTrue();
  }

  @Test
  void shouldRememberTheLastChanges() {
    PairHealth pair = pair(1, 11);
    for (int i = 0; i < 20; i++) {
      pair.onLossy(NOW + 2 * i * SECOND);
      pair.onAnswered(false, NOW + (2 * i + 1) * SECOND);
    }
    List<NiReport.Change> history = report("10.0.0.11:7400@blue").history();
    assertThat(history).hasSize(NiReport.HISTORY_MAX);
    assertThat(history.get(NiReport.HISTORY_MAX - 1))
        .isEqualTo(new NiReport.Change(NOW + 39 * SECOND, 1_000));
    assertThat(history.get(0)).isEqualTo(new NiReport.Change(NOW + 24 * SECOND, 800));
  }

  /** Connections to one peer over an interface that dies, however many: each is told of once. */
  @Test
  void shouldNotLookThroughAllSilentPairsForEachOfThem() {
    PairHealth[] pairs = new PairHealth[200_000];
    for (int i = 0; i < pairs.length; i++) {
      pairs[i] = pair(1, 11);
    }
    assertTimeout(
        Duration.ofSeconds(8),
        () -> {
          for (int i = 0; i < pairs.length; i++) {
            pairs[i].onSilent(true, NOW + i);
          }
          for (int i = pairs.length - 1; i >= 0; i--) {
            pairs[i].onAnswered(false, NOW + SECOND);
          }
        });
    assertThat(local(1)).as("of one peer alone").isEqualTo(1_000);
  }
}
