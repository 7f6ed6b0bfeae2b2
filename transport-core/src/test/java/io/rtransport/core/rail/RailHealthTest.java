package io.rtransport.core.rail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class RailHealthTest {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final long NOW = -5 * SECOND; // a clock may be negative

  private final RailHealth rail = new RailHealth(new Random(1));

  private static InetAddress address(int last) {
    try {
      return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  /** Opens a pair of our interface {@code local} and the peer's {@code peer}. */
  private PairHealth pair(int local, int peer) {
    return pair(local, peer, peer);
  }

  private PairHealth pair(int local, int peer, long peerId) {
    return PairHealth.open(
        rail, "blue", address(local), new InetSocketAddress(address(peer), 7_400), peerId);
  }

  private NiReport report(String name) {
    return rail.reports().stream().filter(ni -> ni.name().equals(name)).findFirst().orElseThrow();
  }

  private int local(int last) {
    return report("10.0.0." + last + "@blue").health();
  }

  private int peer(int last) {
    return report("10.0.0." + last + ":7400@blue").health();
  }

  private void letter() {
    rail.config(RailHealthConfig.hld());
  }

  // ---- who is charged

  private record Row(
      String what, BiConsumer<RailHealthTest, PairHealth> event, int local, int peer) {}

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
                RailHealthTest fresh = new RailHealthTest();
                row.event.accept(fresh, fresh.pair(1, 11));
                assertThat(fresh.local(1)).as("ours").isEqualTo(row.local);
                assertThat(fresh.peer(11)).as("the peer's").isEqualTo(row.peer);
              }));
    }
    return tests;
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

  // ---- recovery

  @Test
  void shouldAskAtTheLeastIntervalAndUpToTheLongest() {
    PairHealth pair = pair(1, 11);
    assertThat(pair.pingDueNs()).as("healthy").isEqualTo(Long.MAX_VALUE);
    assertThat(pair.takePing(NOW)).isFalse();
    pair.onSilent(false, NOW);
    long nowNs = NOW;
    for (long millis : new long[] {200, 200, 400, 800, 1_000, 1_000}) {
      long delayNs = pair.pingDueNs() - nowNs;
      assertThat(delayNs).isBetween(millis * MILLI * 7 / 8 - 1, millis * MILLI);
      assertThat(pair.takePing(pair.pingDueNs() - 1)).isFalse();
      nowNs = pair.pingDueNs();
      assertThat(pair.takePing(nowNs)).isTrue();
    }
    pair.onAnswered(true, nowNs); // lossy: not healthier, but heard of
    assertThat(pair.pingDueNs() - nowNs).isBetween(175 * MILLI - 1, 200 * MILLI);
    assertThat(report("10.0.0.11:7400@blue").pingsSent()).isEqualTo(6);
    assertThat(report("10.0.0.1@blue").pingsSent()).as("ours is healthy").isZero();
  }

  @Test
  void shouldLetOnePairAskForAllOfAnInterface() {
    PairHealth first = pair(1, 11);
    PairHealth second = pair(2, 11);
    first.onSilent(false, NOW);
    assertThat(second.takePing(NOW + SECOND)).isTrue();
    assertThat(first.takePing(NOW + SECOND)).isFalse();
    second.onAnswered(false, NOW + SECOND);
    assertThat(first.isFull()).isTrue();
  }

  @Test
  void shouldGainNothingWhileThePathLoses() {
    PairHealth pair = pair(1, 11);
    pair.onQueued(NOW);
    pair.onLossy(NOW);
    pair.onAnswered(true, NOW);
    assertThat(peer(11)).isEqualTo(800);
    assertThat(local(1)).isEqualTo(900);
    pair.onAnswered(false, NOW);
    assertThat(peer(11)).isEqualTo(1_000);
    assertThat(local(1)).isEqualTo(1_000);
  }

  @Test
  void shouldNotChargeAFailedPingByDefault() {
    PairHealth pair = pair(1, 11);
    pair.onSilent(false, NOW);
    pair.onUnanswered(NOW);
    assertThat(peer(11)).isEqualTo(900);
    assertThat(report("10.0.0.11:7400@blue").pingsFailed()).isEqualTo(1);
    assertThat(report("10.0.0.1@blue").pingsFailed()).as("ours is healthy").isZero();
  }

  // ---- by the letter

  @Test
  @DisplayName("Health value updates, 2.c to 2.f")
  void shouldCountByTheLetter() {
    letter();
    PairHealth pair = pair(1, 11);
    pair.onSilent(false, NOW);
    pair.onSilent(false, NOW); // each failure counts
    assertThat(peer(11)).isEqualTo(800);
    long nowNs = NOW;
    for (int i = 1; i <= 199; i++) {
      assertThat(pair.pingDueNs() - nowNs).as("once a second").isEqualTo(SECOND);
      nowNs = pair.pingDueNs();
      assertThat(pair.takePing(nowNs)).isTrue();
      pair.onAnswered(false, nowNs);
      assertThat(peer(11)).isEqualTo(800 + i);
    }
    assertThat(pair.takePing(nowNs + SECOND)).isTrue();
    pair.onUnanswered(nowNs + SECOND);
    assertThat(peer(11)).isEqualTo(899);
    assertThat(local(1)).as("not in recovery").isEqualTo(1_000);
    for (int i = 0; i < 101; i++) {
      pair.onAnswered(false, nowNs + (2 + i) * SECOND);
    }
    assertThat(peer(11)).isEqualTo(1_000);
  }

  @Test
  @DisplayName("Health value updates, 2.f.i")
  void shouldPreferAnUnstableInterfaceLessByTheLetter() {
    letter();
    PairHealth stable = pair(1, 11);
    PairHealth unstable = pair(2, 12);
    stable.onSilent(false, NOW);
    unstable.onSilent(false, NOW);
    assertThat(unstable.second()).as("one failure each").isEqualTo(stable.second());
    for (int i = 1; i <= 3; i++) {
      stable.onAnswered(false, NOW + i * SECOND);
      unstable.onUnanswered(NOW + i * SECOND);
    }
    assertThat(stable.second()).isEqualTo(903);
    assertThat(unstable.second()).isEqualTo(600);
    assertThat(rail.config().isAsGood(unstable.second(), stable.second())).isFalse();
  }

  @Test
  @DisplayName("The monitor thread, 4.b.i")
  void shouldManageBothEndsOfAPingByTheLetter() {
    letter();
    PairHealth pair = pair(1, 11);
    pair.onSendsFailing(NOW);
    assertThat(pair.takePing(NOW + SECOND)).isTrue();
    pair.onAnswered(false, NOW + SECOND);
    assertThat(local(1)).isEqualTo(901);
    assertThat(peer(11)).isEqualTo(901);
    assertThat(pair.takePing(NOW + 2 * SECOND)).isTrue();
    pair.onUnanswered(NOW + 2 * SECOND);
    assertThat(local(1)).isEqualTo(801);
    assertThat(peer(11)).isEqualTo(801);
  }

  @Test
  void shouldCompareNumbersByTheLetterAndBandsOtherwise() {
    RailHealthConfig usual = RailHealthConfig.usual();
    assertThat(usual.isAsGood(999, 1_000)).isFalse();
    assertThat(usual.isAsGood(500, 999)).isTrue();
    assertThat(usual.isAsGood(499, 500)).isFalse();
    assertThat(usual.isAsGood(1, 499)).isTrue();
    assertThat(usual.isAsGood(0, 1)).isFalse();
    RailHealthConfig letter = RailHealthConfig.hld();
    assertThat(letter.isAsGood(999, 1_000)).isFalse();
    assertThat(letter.isAsGood(1_000, 1_000)).isTrue();
    RailHealthConfig ranged = letter.with().set(HealthParameter.HEALTH_RANGE, 100).build();
    assertThat(ranged.isAsGood(900, 1_000)).isTrue();
    assertThat(ranged.isAsGood(899, 1_000)).isFalse();
  }

  @Test
  void shouldCompareOurInterfaceFirstByTheLetterAndTheWeakerOtherwise() {
    PairHealth pair = pair(1, 11);
    pair.onQueued(NOW);
    pair.onSilent(false, NOW);
    pair.onSilent(false, NOW + SECOND); // ours 900, the peer's 800
    assertThat(pair.first()).isEqualTo(800);
    assertThat(pair.second()).isEqualTo(900);
    letter();
    assertThat(pair.first()).isEqualTo(900);
    assertThat(pair.second()).isEqualTo(800);
  }

  // ---- timeouts

  @Test
  void shouldDivideTheTransactionTimeout() {
    RailHealthConfig usual = RailHealthConfig.usual();
    assertThat(usual.attemptNs(10 * SECOND)).isEqualTo(9_800 * MILLI / 3);
    assertThat(usual.pathTimeoutNs(10 * SECOND, 2)).isEqualTo(9_800 * MILLI / 3 / 2);
    assertThat(retries(usual, 0).attemptNs(10 * SECOND)).isEqualTo(10 * SECOND);
    assertThat(retries(usual, 5).attemptNs(10 * SECOND)).isEqualTo(9_500 * MILLI / 6);
    assertThat(usual.attemptNs(1)).as("less than the intervals").isEqualTo(1);
    RailHealthConfig letter = RailHealthConfig.hld();
    assertThat(letter.attemptNs(10 * SECOND)).isEqualTo(5 * SECOND);
    assertThat(letter.pathTimeoutNs(10 * SECOND, 2)).isEqualTo(2_500 * MILLI);
    assertThat(retries(letter, 0).attemptNs(10 * SECOND)).isEqualTo(10 * SECOND);
  }

  @Test
  @DisplayName("Progress: a retry count of at most 5")
  void shouldAllowFiveRetriesAndNotSix() {
    assertThat(retries(RailHealthConfig.usual(), 5).get(HealthParameter.RETRY_COUNT)).isEqualTo(5);
    assertThatThrownBy(() -> retries(RailHealthConfig.usual(), 6))
        .hasMessage("retry-count=6, valid: 0..5");
  }

  private static RailHealthConfig retries(RailHealthConfig config, int count) {
    return config.with().set(HealthParameter.RETRY_COUNT, count).build();
  }

  // ---- knobs

  @Test
  void shouldRefuseValuesOutOfRangeByNameValueAndRange() {
    for (HealthParameter parameter : HealthParameter.values()) {
      for (long value : new long[] {parameter.min() - 1, parameter.max() + 1}) {
        assertThatThrownBy(() -> RailHealthConfig.usual().with().set(parameter, value).build())
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(parameter.text() + "=" + value)
            .hasMessageContaining(parameter.min() + ".." + parameter.max());
      }
    }
  }

  @Test
  void shouldCheckValuesTogetherWhateverTheirOrder() {
    RailHealthConfig slow =
        RailHealthConfig.usual()
            .with()
            .set(HealthParameter.PING_INTERVAL_MIN_MILLIS, 5_000) // above the old maximum
            .set(HealthParameter.PING_INTERVAL_MAX_MILLIS, 5_000)
            .build();
    assertThat(slow.get(HealthParameter.PING_INTERVAL_MIN_MILLIS)).isEqualTo(5_000);
    refused(
        RailHealthConfig.usual().with().set(HealthParameter.PING_INTERVAL_MAX_MILLIS, 199),
        "ping-interval-min-millis=200, valid: 10..199 (ping-interval-max-millis)");
    refused(
        RailHealthConfig.usual().with().set(HealthParameter.LOSS_AVOIDED_PERCENT, 9),
        "loss-charged-percent=10, valid: 1..9 (loss-avoided-percent)");
    refused(
        RailHealthConfig.usual().with().set(HealthParameter.TRANSACTION_TIMEOUT_MAX_MILLIS, 9_999),
        "transaction-timeout-millis=10000, valid: 100..9999 (transaction-timeout-max-millis)");
    refused(
        RailHealthConfig.usual().with().set(HealthParameter.RESEND_INTERVAL_MILLIS, 2_501),
        "resend-interval-millis=2501, valid: 0..2500 (transaction-timeout-millis / 4)");
    RailHealthConfig.usual().with().set(HealthParameter.RESEND_INTERVAL_MILLIS, 2_500).build();
  }

  private static void refused(RailHealthConfig.Builder builder, String message) {
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void shouldTakeNewKnobsAtOnce() {
    PairHealth pair = pair(1, 11);
    long version = rail.version();
    rail.config(
        RailHealthConfig.usual().with().set(HealthParameter.HEALTH_SENSITIVITY, 300).build());
    assertThat(rail.version()).isGreaterThan(version);
    pair.onSilent(false, NOW);
    assertThat(peer(11)).isEqualTo(700);
  }

  // ---- memory

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
    for (int i = 1; i <= 5; i++) {
      pair(1, i);
    }
    pair(1, 4).onError(NiError.PEER_NI_UNREACHABLE, NOW);
    assertThat(rail.reports(2))
        .extracting(NiReport::name)
        .containsExactly("10.0.0.1@blue", "10.0.0.4:7400@blue", "10.0.0.1:7400@blue");
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

  @Test
  void shouldChangeSomeKnobsOrNone() {
    rail.config(RailHealthConfig.usual().with().set(HealthParameter.RECOVERY_INCREMENT, 7).build());
    rail.change(c -> c.with().set(HealthParameter.HEALTH_SENSITIVITY, 300).build());
    assertThat(rail.config().get(HealthParameter.HEALTH_SENSITIVITY)).isEqualTo(300);
    assertThat(rail.config().get(HealthParameter.RECOVERY_INCREMENT)).isEqualTo(7);
    long version = rail.version();
    assertThatThrownBy(() -> rail.change(c -> c.with().set(HealthParameter.RETRY_COUNT, 6).build()))
        .hasMessage("retry-count=6, valid: 0..5");
    assertThat(rail.version()).isEqualTo(version);
  }
}
