package io.rtransport.core.rail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What selection sees of interfaces, whether or not a path uses them. */
class NiViewTest {
  private static final InetAddress OURS = InetAddress.getLoopbackAddress();
  private static final InetSocketAddress THEIRS = new InetSocketAddress(OURS, 7);

  private final RailHealth rail = new RailHealth(new SplittableRandom(1));
  private final NiView peer = rail.ofPeer("", THEIRS);

  private void charge(long nowNs) {
    rail.onPeerError(NiError.PEER_NI_CONNECT_ERROR, "", THEIRS, nowNs);
  }

  @Test
  void shouldSeeFullHealthOfWhatIsNotKnown() {
    assertThat(peer.health(5)).isEqualTo(1_000);
    assertThat(peer.isFailed()).isFalse();
    assertThat(peer).isEqualTo(rail.ofPeer("", THEIRS)).isNotEqualTo(rail.ofPeer("blue", THEIRS));
    assertThat(rail.ours("", null).health(5)).isEqualTo(1_000);
    assertThat(rail.localCount() + rail.peerCount()).isZero();
  }

  @Test
  void shouldSeeOursFailUntilItIsUp() {
    NiView ours = rail.ours("", OURS);
    rail.onLocalError(NiError.LOCAL_NI_DOWN, "", OURS, 0);
    assertThat(ours.isFailed()).isTrue();
    rail.onLocalError(NiError.LOCAL_NI_UP, "", OURS, 0);
    assertThat(ours.isFailed()).isFalse();
  }

  @Test
  void shouldForgetAChargeAfterAMinuteUnlessAPathUsesTheInterface() {
    charge(0);
    assertThat(peer.health(NiHealth.COUNTS_UNUSED_NS - 1)).isEqualTo(900);
    assertThat(peer.health(NiHealth.COUNTS_UNUSED_NS)).isEqualTo(1_000);
    PairHealth path = PairHealth.open(rail, "", OURS, THEIRS, 1);
    assertThat(peer.health(NiHealth.COUNTS_UNUSED_NS)).isEqualTo(900);
    path.close();
    assertThat(peer.health(NiHealth.COUNTS_UNUSED_NS)).isEqualTo(1_000);
  }

  @Test
  void shouldGiveHealthBackToWhomAnswersAndForgetItThen() {
    charge(0);
    charge(2_000_000_000);
    rail.onPeerAnswered("", THEIRS, 3_000_000_000L);
    assertThat(peer.health(3_000_000_000L)).isEqualTo(1_000);
    assertThat(rail.peerCount()).isZero();
    long version = rail.version();
    rail.onPeerAnswered("", THEIRS, 3_000_000_000L);
    assertThat(rail.version()).as("nobody known has answered").isEqualTo(version);
  }

  @Test
  void shouldRefuseAnErrorOfOurInterface() {
    assertThatThrownBy(() -> rail.onPeerError(NiError.LOCAL_NI_DOWN, "", THEIRS, 0))
        .hasMessage("error=LOCAL_NI_DOWN, valid: PEER_NI_…");
    assertThat(rail.peerCount()).isZero();
  }
}
