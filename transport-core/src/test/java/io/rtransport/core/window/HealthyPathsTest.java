package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpTimer;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.congestion.FixedWindow;
import io.rtransport.core.rail.HealthParameter;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.PairHealth;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.core.rail.RailHealthConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which of three paths are the healthiest. */
class HealthyPathsTest {
  private static final long NOW = 1_000_000_000L;
  private static final long SECOND = 1_000_000_000L;
  private static final int ALL = 0b111;

  private final RailHealth rail = new RailHealth(new Random(1));
  private final Path[] paths = new Path[3];
  private final PairHealth[] pairs = new PairHealth[3];
  private final HealthyPaths healthy;

  HealthyPathsTest() {
    for (int i = 0; i < 3; i++) {
      AdpTimer adp = new AdpTimer(BuiltInProfiles.LAN, AdpParameters.DEFAULT, 10);
      paths[i] = new Path(i, adp, new FixedWindow(1 << 20), 64);
    }
    healthy = new HealthyPaths(new PathSet(paths));
  }

  /** Gives each path two ends of its own. */
  private void watch() {
    for (int i = 0; i < 3; i++) {
      watch(i, PairHealth.open(rail, "net" + i, null, peer(i), 0));
    }
  }

  private void watch(int index, PairHealth pair) {
    pairs[index] = pair;
    paths[index].health(pair);
  }

  private static InetSocketAddress peer(int number) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1 + number);
  }

  @Test
  void shouldTakeAllThatNobodyWatches() {
    assertThat(healthy.of(ALL)).isEqualTo(ALL);
    assertThat(healthy.of(0)).isZero();
    assertThat(healthy.trickle(ALL)).isZero();
  }

  @Test
  void shouldTakeTheBestBand() {
    watch();
    assertThat(healthy.of(ALL)).isEqualTo(ALL);
    pairs[0].onSilent(false, NOW); // 900
    assertThat(healthy.of(ALL)).isEqualTo(0b110);
    pairs[1].onSilent(false, NOW);
    pairs[1].onSilent(false, NOW + SECOND); // 800, the same band
    assertThat(healthy.of(ALL)).isEqualTo(0b100);
    assertThat(healthy.of(0b011)).as("of the others").isEqualTo(0b011);
    pairs[2].onSendsFailing(NOW); // both its ends
    assertThat(healthy.of(ALL)).isEqualTo(0b011);
    pairs[0].onAnswered(false, NOW);
    assertThat(healthy.of(ALL)).isEqualTo(0b001);
  }

  @Test
  void shouldCompareTheOtherEndIfTheWeakerOnesAreAlike() {
    PairHealth used = PairHealth.open(rail, "net0", null, peer(0), 0);
    watch(0, used);
    watch(1, PairHealth.open(rail, "net0", InetAddress.getLoopbackAddress(), peer(0), 0));
    watch(2, PairHealth.open(rail, "net0", InetAddress.getLoopbackAddress(), peer(0), 0));
    used.onSendsFailing(NOW); // both ends of path 0; the peer's is that of all
    assertThat(healthy.of(ALL)).isEqualTo(0b110);
  }

  @Test
  void shouldLeaveOutWhatHasFailedUnlessAllHave() {
    watch();
    pairs[0].onError(NiError.PEER_NI_ADDR_ERROR, NOW);
    pairs[1].onSilent(false, NOW);
    assertThat(healthy.of(0b011)).as("the least unhealthy").isEqualTo(0b010);
    pairs[1].onError(NiError.LOCAL_NI_DOWN, NOW);
    assertThat(healthy.of(0b011)).isEqualTo(0b001);
    assertThat(healthy.of(ALL)).isEqualTo(0b100);
  }

  @Test
  void shouldLeaveOutWhatLosesTooMuchUnlessAllDo() {
    watch();
    healthy.lossy(0, true);
    assertThat(healthy.of(ALL)).isEqualTo(0b110);
    healthy.lossy(1, true);
    healthy.lossy(2, true);
    assertThat(healthy.of(ALL)).isEqualTo(ALL);
    healthy.lossy(1, false);
    assertThat(healthy.of(ALL)).isEqualTo(0b010);
    assertThat(healthy.of(0b001)).as("the only one").isEqualTo(0b001);
  }

  @Test
  void shouldLookAgainAtAPathThatLeadsElsewhere() {
    watch();
    pairs[0].onSilent(false, NOW);
    healthy.lossy(1, true);
    assertThat(healthy.of(ALL)).isEqualTo(0b100);
    watch(0, PairHealth.open(rail, "net9", null, peer(9), 0)); // opening changes no health
    healthy.onChanged(0);
    assertThat(healthy.of(ALL)).isEqualTo(0b101);
    healthy.onChanged(1);
    assertThat(healthy.of(ALL)).isEqualTo(ALL);
  }

  @Test
  void shouldFollowAChangeOfTheKnobs() {
    watch();
    pairs[0].onSilent(false, NOW);
    assertThat(healthy.of(ALL)).isEqualTo(0b110);
    rail.config(RailHealthConfig.usual().with().set(HealthParameter.HEALTH_SENSITIVITY, 0).build());
    assertThat(healthy.of(ALL)).isEqualTo(ALL);
  }

  @Test
  void shouldLetOneBurstInSixtyFourBeATrickle() {
    watch();
    pairs[0].onSilent(false, NOW);
    healthy.lossy(1, true);
    for (int i = 0; i < 63; i++) {
      assertThat(healthy.trickle(ALL)).isZero();
      healthy.onBurst(false);
    }
    assertThat(healthy.trickle(ALL)).as("none for the one that loses").isEqualTo(0b001);
    assertThat(healthy.trickle(0b110)).isZero();
    pairs[0].onError(NiError.PEER_NI_ADDR_ERROR, NOW);
    assertThat(healthy.trickle(ALL)).as("none for one that has failed").isZero();
    healthy.onBurst(true);
    assertThat(healthy.trickle(ALL)).isZero();
    rail.config(RailHealthConfig.usual().with().set(HealthParameter.TRICKLE_BURSTS, 0).build());
    for (int i = 0; i < 100; i++) {
      healthy.onBurst(false);
      assertThat(healthy.trickle(ALL)).as("switched off").isZero();
    }
  }
}
