package io.rtransport.netty.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.NetUtil;
import io.rtransport.core.rail.DownNi;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.RailHealth;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** When the application of a node is told of an interface, and how often. */
class InterfaceNewsTest {
  private static final InetAddress FIRST = address("10.0.0.1");
  private static final InetAddress SECOND = address("10.0.0.2");

  private final EmbeddedChannel loop = new EmbeddedChannel();
  private final RailHealth health = new RailHealth(new SplittableRandom(1));
  private final Set<InetAddress> used = new HashSet<>(List.of(FIRST, SECOND));
  private final List<String> told = new ArrayList<>();
  private int looks;

  private final NodeTarget application =
      new NodeTarget() {
        @Override
        public void onInterfaceDown(NodeInterface which) {
          tell("down ", which);
        }

        @Override
        public void onInterfaceUp(NodeInterface which) {
          tell("up ", which);
        }
      };

  private final InterfaceNews news =
      new InterfaceNews(health, loop.eventLoop(), this::usedOf, application);

  /** Called with each thing that is told. */
  private Runnable onTold = () -> {};

  private static InetAddress address(String text) {
    return NetUtil.createInetAddressFromIpAddressString(text);
  }

  private NodeInterface usedOf(DownNi ni) {
    looks++;
    boolean isUsed = used.contains(ni.address().getAddress());
    return isUsed ? new NodeInterface(true, ni.address(), List.of()) : null;
  }

  private void tell(String what, NodeInterface which) {
    told.add(what + which.address().getAddress().getHostAddress());
    onTold.run();
  }

  private void down(InetAddress ours) {
    health.onLocalError(NiError.LOCAL_NI_DOWN, "", ours, 0);
  }

  private void up(InetAddress ours) {
    health.onLocalError(NiError.LOCAL_NI_UP, "", ours, 0);
  }

  private void turn() {
    loop.runPendingTasks();
  }

  @Test
  void shouldTellEachChangeOnceAndOnTheLoop() {
    news.open();
    turn();
    down(FIRST);
    assertThat(told).as("not on the thread of the change").isEmpty();
    turn();
    down(FIRST);
    down(SECOND);
    turn();
    up(FIRST);
    turn();
    up(SECOND);
    turn();
    turn();
    assertThat(told)
        .containsExactly("down 10.0.0.1", "down 10.0.0.2", "up 10.0.0.1", "up 10.0.0.2");
  }

  @Test
  void shouldTellTheLastStateOnlyOfWhatChangesFasterThanTheLoopTurns() {
    news.open();
    turn();
    for (int i = 0; i < 1_000; i++) {
      down(FIRST);
      up(FIRST);
    }
    turn();
    assertThat(told).as("up, as before").isEmpty();
    for (int i = 0; i < 1_000; i++) {
      up(FIRST);
      down(FIRST);
    }
    turn();
    assertThat(told).containsExactly("down 10.0.0.1");
    up(FIRST);
    down(FIRST);
    turn();
    assertThat(told).as("down, as before").hasSize(1);
    assertThat(looks).as("one look for all of it").isEqualTo(1);
  }

  @Test
  void shouldTellWhatIsDownWhenItIsOpened() {
    down(FIRST);
    news.open();
    turn();
    assertThat(told).containsExactly("down 10.0.0.1");
  }

  @Test
  void shouldTellNothingOfWhatTheNodeDoesNotUseUntilItDoes() {
    used.remove(FIRST);
    news.open();
    down(FIRST);
    turn();
    down(SECOND);
    turn();
    assertThat(told).containsExactly("down 10.0.0.2");
    assertThat(looks).as("at each once").isEqualTo(2);
    used.add(FIRST);
    news.onOthersUsed();
    turn();
    assertThat(told).containsExactly("down 10.0.0.2", "down 10.0.0.1");
    used.clear();
    up(FIRST);
    turn();
    assertThat(told).as("not used any more, but told").hasSize(3).endsWith("up 10.0.0.1");
  }

  @Test
  void shouldTellUpOfNothingThatItDidNotTellToBeDown() {
    used.clear();
    news.open();
    down(FIRST);
    turn();
    used.add(FIRST);
    up(FIRST);
    turn();
    assertThat(told).isEmpty();
  }

  @Test
  void shouldGoOnAfterACallbackThatThrows() {
    onTold =
        () -> {
          if (told.size() % 2 == 0) {
            throw new AssertionError("a test");
          }
          throw new IllegalStateException("a test");
        };
    news.open();
    turn();
    down(FIRST);
    down(SECOND);
    turn();
    up(FIRST);
    up(SECOND);
    turn();
    assertThat(told)
        .containsExactly("down 10.0.0.1", "down 10.0.0.2", "up 10.0.0.1", "up 10.0.0.2");
  }

  @Test
  void shouldLookAgainForAChangeThatACallbackMakes() {
    onTold =
        () -> {
          onTold = () -> {};
          up(FIRST);
        };
    news.open();
    down(FIRST);
    turn();
    assertThat(told).containsExactly("down 10.0.0.1", "up 10.0.0.1");
  }

  @Test
  void shouldTellNothingOnceItIsClosedThoughItWasWoken() {
    news.open();
    turn();
    onTold = news::close; // in the midst of a look
    down(FIRST);
    down(SECOND);
    turn();
    assertThat(told).containsExactly("down 10.0.0.1");
    assertThat(health.wakerCount()).as("forgotten").isZero();
    up(FIRST);
    news.onOthersUsed();
    turn();
    assertThat(told).hasSize(1);
  }

  @Test
  void shouldTellNothingIfItIsClosedBetweenAChangeAndTheLook() {
    news.open();
    turn();
    down(FIRST);
    news.close();
    turn();
    assertThat(told).isEmpty();
    assertThat(looks).isZero();
  }

  @Test
  void shouldTellOfAPeersInterfaceWithItsPort() {
    InetSocketAddress peer = new InetSocketAddress(FIRST, 7_400);
    news.open();
    health.onPeerError(NiError.PEER_NI_ADDR_ERROR, "", peer, 0); // failed, and forgotten at once
    turn();
    assertThat(told).isEmpty();
    for (int i = 0; i < 10; i++) {
      health.onPeerError(NiError.PEER_NI_UNREACHABLE, "", peer, i * 1_000_000_000L);
    }
    turn();
    assertThat(health.downs()).containsExactly(new DownNi(false, "", peer));
    assertThat(told).containsExactly("down 10.0.0.1");
    health.onPeerAnswered("", peer, 20_000_000_000L);
    turn();
    assertThat(told).hasSize(2).endsWith("up 10.0.0.1");
  }
}
