package io.rtransport.netty.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.NiReport;
import io.rtransport.core.rail.PairHealth;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.netty.flight.RailFlight;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When it looks at the interfaces of this host, and what the health is told. */
class InterfaceWatchTest {
  private final EmbeddedChannel clock = new EmbeddedChannel();
  private final RailHealth health = new RailHealth(new SplittableRandom(1));
  private final Set<InetAddress> down = new HashSet<>();
  private int asked;
  private final InterfaceWatch watch =
      new InterfaceWatch(
          health,
          new RailFlight(health),
          clock.eventLoop(),
          address -> {
            asked++;
            return !down.contains(address);
          });
  private final InetSocketAddress peer = new InetSocketAddress("127.0.0.9", 7_400);
  private InetAddress ours;
  private PairHealth pair;

  @BeforeEach
  void usePair() throws Exception {
    clock.freezeTime();
    ours = InetAddress.getByName("10.9.0.1");
    pair = PairHealth.open(health, "blue", ours, peer, 1);
  }

  private void runFor(long millis) {
    clock.runPendingTasks();
    for (long at = 0; at < millis; at += InterfaceWatch.INTERVAL_MILLIS) {
      clock.advanceTimeBy(InterfaceWatch.INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
      clock.runScheduledPendingTasks();
      clock.runPendingTasks();
    }
  }

  @Test
  void shouldLookForTwoSecondsAndThenRest() {
    runFor(10_000);
    assertThat(asked).as("nobody had trouble").isZero();
    watch.look();
    runFor(60_000);
    assertThat(asked).isEqualTo(InterfaceWatch.LOOKS);
    assertThat(clock.runScheduledPendingTasks()).as("nothing is scheduled").isEqualTo(-1);
    watch.look();
    watch.look();
    runFor(500);
    watch.look();
    runFor(60_000);
    assertThat(asked).as("three, then all again").isEqualTo(2 * InterfaceWatch.LOOKS + 3);
  }

  @Test
  void shouldLookOnWhileAnInterfaceIsDownThatAPathUses() {
    down.add(ours);
    watch.look();
    runFor(0);
    assertThat(pair.isFailed()).isTrue();
    runFor(10_000);
    assertThat(asked).isEqualTo(41);
    down.clear();
    runFor(InterfaceWatch.INTERVAL_MILLIS);
    assertThat(pair.isFailed()).isFalse();
    assertThat(report().errors())
        .isEqualTo(Map.of(NiError.LOCAL_NI_DOWN, 1L, NiError.LOCAL_NI_UP, 1L));
    assertThat(report().health()).as("it costs no health").isEqualTo(1_000);
    runFor(60_000);
    assertThat(asked).isEqualTo(42);
  }

  @Test
  void shouldRestWhenNoPathUsesWhatIsDown() {
    down.add(ours);
    watch.look();
    runFor(0);
    pair.close();
    runFor(60_000);
    assertThat(asked).isEqualTo(InterfaceWatch.LOOKS);
    assertThat(report().isFailed()).as("remembered").isTrue();
    down.clear();
    pair = PairHealth.open(health, "blue", ours, peer, 1);
    watch.look();
    runFor(0);
    assertThat(pair.isFailed()).isFalse();
  }

  @Test
  void shouldLookOnceAtAnAddressThatNoPathUses() throws Exception {
    InetAddress unused = InetAddress.getByName("10.9.0.2");
    down.add(unused);
    watch.look(unused);
    watch.look(unused);
    runFor(60_000);
    assertThat(health.ours("", unused).isFailed()).isTrue();
    NiReport report =
        health.reports().stream().filter(ni -> ni.name().equals("10.9.0.2")).findAny().get();
    assertThat(report.errors()).isEqualTo(Map.of(NiError.LOCAL_NI_DOWN, 1L));
    down.clear();
    watch.look(unused);
    runFor(0);
    assertThat(health.ours("", unused).isFailed()).isFalse();
    assertThat(health.localCount()).as("forgotten once it is up").isEqualTo(1);
  }

  @Test
  void shouldTakeALoopbackAddressForUpIfItCanBeBound() throws Exception {
    InetAddress second = InetAddress.getByName("127.0.0.2"); // Linux has it, and no device names it
    boolean isBound;
    try (DatagramSocket socket = new DatagramSocket(0, second)) {
      isBound = socket.isBound();
    } catch (SocketException e) {
      isBound = false;
    }
    assertThat(InterfaceWatch.isUp(second)).isEqualTo(isBound);
    assertThat(InterfaceWatch.isUp(InetAddress.getByName("127.0.0.1"))).isTrue();
    assertThat(InterfaceWatch.isUp(InetAddress.getByName("192.0.2.1"))).isFalse();
  }

  @Test
  void shouldNotJudgeAnInterfaceWhoseAddressIsNotKnown() {
    PairHealth nameless = PairHealth.open(health, "", null, peer, 1);
    pair.close();
    watch.look();
    runFor(60_000);
    assertThat(asked).isZero();
    assertThat(nameless.isFailed()).isFalse();
  }

  private NiReport report() {
    return health.reports().stream().filter(NiReport::isLocal).findFirst().orElseThrow();
  }
}
