package io.rtransport.netty.node;

import static io.rtransport.netty.node.MessageEnds.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.util.NetUtil;
import io.netty.util.concurrent.Ticker;
import io.rtransport.core.rail.HealthParameter;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.netty.DarkRelay;
import io.rtransport.netty.RtRail;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the application of a node is told of interfaces, over real sockets of one process. */
@Timeout(60)
class RtNodeInterfacesTest {
  private static final byte[] NONE = {};
  private static final InetAddress FIRST = NetUtil.LOCALHOST4;
  private static final InetAddress SECOND = address("127.0.0.2");
  private static final InetAddress THIRD = address("127.0.0.3");

  /** For documentation: no host has it. */
  private static final InetAddress ABSENT = address("192.0.2.1");

  /** Takes all messages, and notes what it is told of interfaces. */
  private static final class Application implements NodeTarget {
    final List<String> news = new CopyOnWriteArrayList<>();
    volatile boolean isThrowing;

    @Override
    public void onPut(NodePut put) {
      put.acknowledge();
    }

    @Override
    public void onInterfaceDown(NodeInterface which) {
      note("down", which);
    }

    @Override
    public void onInterfaceUp(NodeInterface which) {
      note("up", which);
    }

    private void note(String what, NodeInterface which) {
      news.add(text(what, which));
      if (isThrowing) {
        throw new IllegalStateException("a test: " + which);
      }
    }
  }

  private final RailHealth health = RtNode.railHealth();
  private final RailHealthConfig former = health.config();
  private final List<AutoCloseable> open = new ArrayList<>();
  private final Application ofAlpha = new Application();

  private static InetAddress address(String text) {
    return NetUtil.createInetAddressFromIpAddressString(text);
  }

  private static String text(String what, NodeInterface which) {
    InetSocketAddress at = which.address();
    return what
        + (which.isOurs() ? " ours " : " peer's ")
        + at.getAddress().getHostAddress()
        + ":"
        + at.getPort()
        + which.peers();
  }

  private static NodeInterface ours(InetAddress address) {
    return new NodeInterface(true, new InetSocketAddress(address, 0), List.of());
  }

  private static String down(InetAddress ours) {
    return text("down", ours(ours));
  }

  private static String up(InetAddress ours) {
    return text("up", ours(ours));
  }

  private <T extends AutoCloseable> T opened(T each) {
    open.add(0, each);
    return each;
  }

  private RtNode open(NodeConfig config) {
    return opened(RtNode.open(config));
  }

  private InetSocketAddress beta() {
    NodeConfig config = NodeConfig.named("beta").listen(new InetSocketAddress(FIRST, 0));
    return open(config.target(new Application())).addresses().get(0);
  }

  private static RtRail from(InetAddress ours, InetSocketAddress remote) {
    return new RtRail(new InetSocketAddress(ours, 0), remote);
  }

  /** Has an interface of ours fail, until somebody was told: the system may be asked meanwhile. */
  private void fail(InetAddress ours, Application until) {
    await()
        .until(
            () -> {
              health.onLocalError(NiError.LOCAL_NI_DOWN, "", ours, nowNs());
              return until.news.contains(down(ours));
            });
  }

  private void mend(InetAddress ours) {
    health.onLocalError(NiError.LOCAL_NI_UP, "", ours, nowNs());
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
    health.config(former);
    List.of(FIRST, SECOND, THIRD, ABSENT).forEach(this::mend);
  }

  // ---- interfaces of this host

  @Test
  void shouldTellThatARailNamesAnAddressThatThisHostDoesNotHave() throws Exception {
    InetSocketAddress beta = beta();
    List<RtRail> rails = List.of(from(ABSENT, beta), from(SECOND, beta));
    RtNode alpha = open(NodeConfig.named("alpha").peer("beta", rails).target(ofAlpha));
    get(alpha.put("beta", NONE, NONE));
    await().until(() -> ofAlpha.news.contains(down(ABSENT)));
    get(alpha.put("beta", NONE, NONE));
    assertThat(ofAlpha.news).containsExactly(down(ABSENT));
  }

  @Test
  void shouldTellOfAnInterfaceThatIsBackOnceTheSystemIsAskedAndNotThoseWhoDoNotUseIt()
      throws Exception {
    InetSocketAddress beta = beta();
    List<RtRail> rails = List.of(from(SECOND, beta), from(THIRD, beta));
    RtNode alpha = open(NodeConfig.named("alpha").peer("beta", rails).target(ofAlpha));
    Application ofOther = new Application();
    open(NodeConfig.named("other").peer("beta", List.of(from(THIRD, beta))).target(ofOther));
    fail(SECOND, ofAlpha);
    get(alpha.putAcknowledged("beta", NONE, NONE)); // by THIRD; the system is asked about SECOND
    await().until(() -> !health.ours("", SECOND).isFailed());
    await().until(() -> ofAlpha.news.get(ofAlpha.news.size() - 1).equals(up(SECOND)));
    fail(THIRD, ofOther); // told behind all that concerns SECOND
    assertThat(ofOther.news).doesNotContain(down(SECOND), up(SECOND));
  }

  @Test
  void shouldTellOfTheAddressesAtWhichItListensAsLongAsItDoes() throws Exception {
    NodeConfig config = NodeConfig.named("alpha").listen(new InetSocketAddress(SECOND, 0));
    RtNode alpha = open(config.target(ofAlpha));
    InetSocketAddress joined = get(alpha.join(new InetSocketAddress(THIRD, 0)));
    fail(THIRD, ofAlpha);
    get(alpha.leave(joined));
    mend(THIRD);
    await().until(() -> ofAlpha.news.contains(up(THIRD)));
    List<String> before = List.copyOf(ofAlpha.news);
    health.onLocalError(NiError.LOCAL_NI_DOWN, "", THIRD, nowNs());
    fail(SECOND, ofAlpha);
    List<String> since = ofAlpha.news.subList(before.size(), ofAlpha.news.size());
    assertThat(since).doesNotContain(down(THIRD)).contains(down(SECOND));
  }

  @Test
  void shouldTellOfAnInterfaceThatWasDownBeforeTheNodeUsesIt() throws Exception {
    health.onLocalError(NiError.LOCAL_NI_DOWN, "", ABSENT, nowNs());
    List<RtRail> rails = List.of(from(ABSENT, beta()));
    open(NodeConfig.named("alpha").peer("beta", rails).target(ofAlpha));
    await().until(() -> ofAlpha.news.equals(List.of(down(ABSENT))));
  }

  // ---- interfaces of peers

  /** Returns the time by the clock of event loops. */
  private static long nowNs() {
    return Ticker.systemTicker().nanoTime();
  }

  /** With the usual knobs a silent interface is down after half a minute. */
  private void takeAllHealthAtOnce() {
    health.config(
        former
            .with()
            .set(HealthParameter.HEALTH_SENSITIVITY, 1_000)
            .set(HealthParameter.SILENCE_CHARGED_MILLIS, 1_000) // on a busy machine, too
            .set(HealthParameter.LOSS_CHARGED_PERCENT, 100) // both nodes are of this process
            .set(HealthParameter.LOSS_AVOIDED_PERCENT, 100)
            .build());
  }

  @Test
  void shouldTellOfARailThatDiesAndComesBackThoughTheApplicationThrows() throws Exception {
    takeAllHealthAtOnce();
    InetSocketAddress beta = beta();
    DarkRelay first = opened(new DarkRelay(beta));
    DarkRelay second = opened(new DarkRelay(beta));
    ofAlpha.isThrowing = true;
    NodeConfig config = NodeConfig.named("alpha").peer("beta", first.address(), second.address());
    RtNode alpha = open(config.target(ofAlpha));
    NodeInterface ofBeta = new NodeInterface(false, second.address(), List.of("beta"));
    String down = text("down", ofBeta);
    String up = text("up", ofBeta);
    for (int round = 0; round < 2; round++) {
      long before = second.carriedOut();
      putUntil(alpha, () -> second.carriedOut() > before + 20);
      second.dark(true, true);
      putUntilToldLast(alpha, down);
      second.dark(false, false);
      putUntilToldLast(alpha, up);
    }
    assertThat(ofAlpha.news).containsExactly(down, up, down, up);
    fail(FIRST, ofAlpha); // by which its sockets send, though no rail says so
    mend(FIRST);
    putUntilToldLast(alpha, up(FIRST));
  }

  @Test
  void shouldTellOfAnAddressThatAPeerHasToldInItsConnection() throws Exception {
    takeAllHealthAtOnce();
    NodeConfig config = NodeConfig.named("beta").target(new Application());
    config.listen(new InetSocketAddress(FIRST, 0)).listen(new InetSocketAddress(SECOND, 0));
    List<InetSocketAddress> beta = open(config).addresses();
    config = NodeConfig.named("alpha").peer("beta", beta.get(0)).target(ofAlpha);
    RtNode alpha = open(config);
    get(alpha.put("beta", NONE, NONE));
    await().until(() -> List.of(beta.get(1)).equals(alpha.learntAddresses().get("beta")));
    health.onPeerError(NiError.PEER_NI_UNREACHABLE, "", beta.get(1), nowNs());
    NodeInterface ofBeta = new NodeInterface(false, beta.get(1), List.of("beta"));
    await().until(() -> ofAlpha.news.contains(text("down", ofBeta)));
    putUntilToldLast(alpha, text("up", ofBeta)); // it is asked by PING, and answers
  }

  private void putUntilToldLast(RtNode alpha, String news) {
    try {
      putUntil(
          alpha,
          () -> {
            int told = ofAlpha.news.size();
            return told > 0 && ofAlpha.news.get(told - 1).equals(news);
          });
    } catch (ConditionTimeoutException e) {
      throw new AssertionError("told " + ofAlpha.news + ", not at last " + news, e);
    }
  }

  private static void putUntil(RtNode alpha, Callable<Boolean> isDone) {
    await()
        .atMost(20, TimeUnit.SECONDS)
        .until(
            () -> {
              List<CompletableFuture<Void>> ends = new ArrayList<>();
              for (int i = 0; i < 10; i++) {
                ends.add(alpha.putAcknowledged("beta", new byte[10_000], NONE));
              }
              for (CompletableFuture<Void> end : ends) {
                get(end);
              }
              return isDone.call();
            });
  }

  // ---- the end

  @Test
  void shouldBeForgottenByTheHealthOfTheProcessWhenItIsClosed() {
    InetSocketAddress absent = new InetSocketAddress(ABSENT, 7_400);
    int before = health.wakerCount();
    List<RtRail> rails = List.of(from(SECOND, absent));
    RtNode alpha = open(NodeConfig.named("alpha").peer("beta", rails).target(ofAlpha));
    assertThat(health.wakerCount()).isEqualTo(before + 1);
    alpha.close();
    assertThat(health.wakerCount()).isEqualTo(before);
    Application ofWitness = new Application();
    open(NodeConfig.named("witness").peer("beta", rails).target(ofWitness));
    fail(SECOND, ofWitness);
    assertThat(ofAlpha.news).isEmpty();
    NodeConfig taken = NodeConfig.named("taken").listen(new InetSocketAddress(ABSENT, 0));
    assertThatThrownBy(() -> RtNode.open(taken)).isInstanceOf(CompletionException.class);
    assertThat(health.wakerCount()).as("that was not opened").isEqualTo(before + 1);
  }
}
