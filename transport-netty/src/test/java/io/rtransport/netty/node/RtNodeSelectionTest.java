package io.rtransport.netty.node;

import static io.rtransport.netty.node.MessageEnds.failureOf;
import static io.rtransport.netty.node.MessageEnds.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.util.NetUtil;
import io.rtransport.core.outcome.MessageStatus;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.NiReport;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.netty.DarkRelay;
import io.rtransport.netty.RtRail;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtEndpoint;
import io.rtransport.netty.internal.loop.Nodes;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** By which interfaces and routers messages of a node go, over real sockets of one process. */
@Timeout(60)
class RtNodeSelectionTest {
  private static final InetSocketAddress ANY = new InetSocketAddress(NetUtil.LOCALHOST4, 0);
  private static final byte[] NONE = {};
  private static final InetAddress SECOND = address("127.0.0.2");
  private static final InetAddress THIRD = address("127.0.0.3");

  /** For documentation: no host has it. */
  private static final InetAddress ABSENT = address("192.0.2.1");

  /** Keeps what it gets. */
  private static final class Application implements NodeTarget {
    final BlockingQueue<NodePut> puts = new LinkedBlockingQueue<>();
    final BlockingQueue<NodeGet> gets = new LinkedBlockingQueue<>();
    volatile boolean isHolding;

    @Override
    public void onPut(NodePut put) {
      boolean isHeld = isHolding;
      puts.add(put);
      if (!isHeld) {
        put.acknowledge();
      }
    }

    @Override
    public void onGet(NodeGet get) {
      gets.add(get);
    }
  }

  private final List<AutoCloseable> open = new ArrayList<>();
  private final Application ofBeta = new Application();

  private static InetAddress address(String text) {
    return NetUtil.createInetAddressFromIpAddressString(text);
  }

  private <T extends AutoCloseable> T opened(T each) {
    open.add(0, each);
    return each;
  }

  private RtNode open(NodeConfig config) {
    return opened(RtNode.open(config));
  }

  private InetSocketAddress listening(String name) {
    return open(NodeConfig.named(name).listen(ANY).target(ofBeta)).addresses().get(0);
  }

  private RtNode router(String name, InetSocketAddress beta, InetSocketAddress gamma) {
    NodeConfig config = NodeConfig.named(name).listen(ANY).forwardFor("alpha").peer("beta", beta);
    return open(gamma == null ? config : config.peer("gamma", gamma));
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private static RtRail from(InetAddress ours, InetSocketAddress remote) {
    return new RtRail(new InetSocketAddress(ours, 0), remote);
  }

  private static CallOptions by(InetAddress source) {
    return CallOptions.USUAL.from(source);
  }

  // ---- our interfaces

  @Test
  void shouldUseAnInterfaceAgainThatIsBackThoughNothingElseFails() throws Exception {
    InetSocketAddress beta = listening("beta");
    RtNode alpha =
        open(
            NodeConfig.named("alpha").peer("beta", List.of(from(SECOND, beta), from(THIRD, beta))));
    RailHealth health = Nodes.RAIL_HEALTH;
    health.onLocalError(NiError.LOCAL_NI_DOWN, "", SECOND, System.nanoTime());
    get(alpha.putAcknowledged("beta", NONE, NONE)); // by THIRD; the system is asked about SECOND
    await().until(() -> !health.ours("", SECOND).isFailed());
  }

  @Test
  void shouldRefuseALocalPortThatEachConnectionWouldNeed() {
    RtRail rail =
        new RtRail(new InetSocketAddress(SECOND, 7_400), new InetSocketAddress(THIRD, 7_401));
    assertThatThrownBy(() -> NodeConfig.named("alpha").peer("beta", List.of(rail)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("local address of a rail to beta=/127.0.0.2:7400, valid: with port 0");
  }

  @Test
  void shouldRefuseARouteThatIsGivenTwice() {
    NodeConfig config = NodeConfig.named("alpha").route("net1", "r1", 1, 0);
    assertThatThrownBy(() -> config.route("net1", "r1", 2, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("route=net1 through r1, valid: each once");
  }

  @Test
  void shouldSendFromTheGivenSourceAndBeTheSameNodeToItsPeer() throws Exception {
    InetSocketAddress beta = listening("beta");
    DarkRelay second = opened(new DarkRelay(beta));
    DarkRelay third = opened(new DarkRelay(beta));
    List<RtRail> rails = List.of(from(SECOND, second.address()), from(THIRD, third.address()));
    RtNode alpha = open(NodeConfig.named("alpha").peer("beta", rails));
    get(alpha.putAcknowledged("beta", new byte[100_000], NONE, by(THIRD)));
    assertThat(third.carriedOut()).isPositive();
    assertThat(second.carriedOut()).as("the other interface").isZero();
    get(alpha.putAcknowledged("beta", NONE, NONE));
    assertThat(second.carriedOut()).as("any interface").isPositive();
    assertThat(ofBeta.puts).extracting(NodePut::from).containsExactly("alpha", "alpha");
  }

  @Test
  void shouldRefuseASourceThatNoRailNames() throws Exception {
    InetSocketAddress beta = listening("beta");
    List<RtRail> rails = List.of(from(THIRD, beta), from(SECOND, beta), RtRail.to(beta));
    RtNode alpha =
        open(
            NodeConfig.named("alpha")
                .peer("r1", rails)
                .peer("r2", beta)
                .peerOn("beta", "net1")
                .route("net1", "r1", 1, 0)
                .peerOn("gamma", "net2")
                .route("net2", "r2", 1, 0));
    String[] sources = {"r1: [127.0.0.2, 127.0.0.3]", "beta: [127.0.0.2, 127.0.0.3]", "gamma: []"};
    for (String valid : sources) {
      String peer = valid.substring(0, valid.indexOf(':'));
      assertThatThrownBy(() -> alpha.put(peer, NONE, NONE, by(ABSENT)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("source=192.0.2.1, valid for " + valid);
    }
  }

  @Test
  void shouldEndAMessageWhoseSourceIsDownAndSendOthersByWhatWorks() throws Exception {
    InetSocketAddress beta = listening("beta");
    List<RtRail> rails = List.of(from(ABSENT, beta), from(SECOND, beta));
    RtNode alpha = open(NodeConfig.named("alpha").peer("beta", rails));
    get(alpha.put("beta", NONE, NONE)); // once it was seen that an interface is down
    for (int i = 0; i < 2; i++) {
      NodeException failure = failureOf(alpha.put("beta", NONE, NONE, by(ABSENT)));
      assertThat(failure.status()).isEqualTo(MessageStatus.NOT_EXECUTED);
      assertThat(failure).hasMessageContaining("source=192.0.2.1 is down");
    }
    get(alpha.put("beta", NONE, NONE, by(SECOND)));
  }

  // ---- routers

  private static NodeConfig alphaBehind(InetSocketAddress r1, InetSocketAddress r2) {
    return NodeConfig.named("alpha")
        .peer("r1", r1)
        .peer("r2", r2)
        .peerOn("beta", "net1")
        .peerOn("gamma", "net1")
        .route("net1", "r1", 1, 0)
        .route("net1", "r2", 1, 0);
  }

  @Test
  void shouldLetRoutersThatAreAsGoodTakeTurns() throws Exception {
    InetSocketAddress beta = listening("beta");
    InetSocketAddress gamma = listening("gamma");
    RtNode r1 = router("r1", beta, gamma);
    RtNode r2 = router("r2", beta, gamma);
    RtNode alpha = open(alphaBehind(r1.addresses().get(0), r2.addresses().get(0)));
    get(alpha.put("beta", NONE, NONE));
    assertThat(r2.routerStats().forwarded()).isZero();
    get(alpha.put("gamma", NONE, NONE));
    assertThat(r1.routerStats().forwarded()).isEqualTo(3); // two HELLO and a message
    assertThat(r2.routerStats().forwarded()).isEqualTo(3);
  }

  @Test
  void shouldTakeTheHealthierOfTwoRoutersThatAreAsNear() throws Exception {
    InetSocketAddress beta = listening("beta");
    InetSocketAddress gamma = listening("gamma");
    RtNode r1 = router("r1", beta, gamma);
    DarkRelay toFirst = opened(new DarkRelay(r1.addresses().get(0)));
    RtNode r2 = router("r2", beta, gamma);
    toFirst.dark(true, true);
    RtNode alpha = open(alphaBehind(toFirst.address(), r2.addresses().get(0)));
    get(alpha.put("beta", NONE, NONE)); // r1 has the first turn, and does not answer
    String name = "127.0.0.1:" + toFirst.address().getPort();
    NiReport ofFirst =
        RtNode.railHealth().reports().stream()
            .filter(ni -> ni.name().equals(name))
            .findAny()
            .orElseThrow();
    assertThat(ofFirst.health()).isEqualTo(900);
    assertThat(ofFirst.errors()).containsEntry(NiError.PEER_NI_CONNECT_ERROR, 1L);
    toFirst.dark(false, false);
    get(alpha.put("gamma", NONE, NONE));
    assertThat(r1.routerStats().forwarded()).as("r1 has the turn, r2 the health").isZero();
    assertThat(r2.routerStats().forwarded()).isEqualTo(6);
  }

  @Test
  void shouldLeaveANextRouterThatDoesNotAnswerAsAnOriginDoes() throws Exception {
    ofBeta.isHolding = true;
    InetSocketAddress beta = listening("beta");
    InetSocketAddress r1 = router("r1", beta, null).addresses().get(0);
    DarkRelay toFirst = opened(new DarkRelay(r1));
    RtNode r2 = router("r2", beta, null);
    NodeConfig first =
        NodeConfig.named("r0")
            .listen(ANY)
            .forwardFor("alpha")
            .peer("r1", toFirst.address())
            .peer("r2", r2.addresses().get(0))
            .peerOn("beta", "far")
            .route("far", "r1", 1, 0)
            .route("far", "r2", 1, 1);
    InetSocketAddress r0 = open(first).addresses().get(0);
    RtNode alpha =
        open(
            NodeConfig.named("alpha")
                .peer("r0", r0)
                .peerOn("beta", "far")
                .route("far", "r0", 2, 0));
    final CompletableFuture<byte[]> once = alpha.get("beta", NONE, 9);
    CompletableFuture<?> put = alpha.putAcknowledged("beta", new byte[9], NONE);
    NodeGet asked = ofBeta.gets.poll(20, TimeUnit.SECONDS);
    NodePut held = ofBeta.puts.poll(20, TimeUnit.SECONDS);
    assertThat(r2.routerStats().forwarded()).isZero();
    // One that stays with r1, through a relay of its own, says how long its silence is borne.
    DarkRelay beside = opened(new DarkRelay(r1));
    RtConnection patient = get(opened(RtEndpoint.builder().open()).connect(beside.address()));
    beside.dark(true, true);
    patient.push(NONE);
    toFirst.dark(true, true);
    held.acknowledge();
    get(put);
    // 1.3 s, and 1 s of rest at the origin, not the 4.2 s of
    assertThat(patient.closed()).as("a connection").isNotDone();
    toFirst.dark(false, false);
    beside.dark(false, false);
    assertThat(ofBeta.puts).as("executed again").isEmpty();
    assertThat(once).as("a GET that is not repeatable waits").isNotDone();
    asked.reply(new byte[] {5});
    assertThat(get(once)).containsExactly(5);
    assertThat(ofBeta.gets).isEmpty();
  }
}
