package io.rtransport.netty.node;

import static io.rtransport.netty.node.MessageEnds.failureOf;
import static io.rtransport.netty.node.MessageEnds.get;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.netty.util.NetUtil;
import io.rtransport.core.node.MessageKind;
import io.rtransport.core.node.NodeCode;
import io.rtransport.core.node.NodeHeader;
import io.rtransport.core.node.OnceTable;
import io.rtransport.core.node.RoutingHeader;
import io.rtransport.core.outcome.MessageStatus;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.PeerStats;
import io.rtransport.netty.DarkRelay;
import io.rtransport.netty.FreePort;
import io.rtransport.netty.NobodysPort;
import io.rtransport.netty.NothingYet;
import io.rtransport.netty.Pull;
import io.rtransport.netty.Push;
import io.rtransport.netty.RtException;
import io.rtransport.netty.RtPayload;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.RtSink;
import io.rtransport.netty.facade.InboundPush;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtEndpoint;
import io.rtransport.netty.facade.RtTarget;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages through routers, over real sockets of one process. */
@Timeout(60)
class RtNodeRoutersTest {
  private static final InetSocketAddress ANY = new InetSocketAddress(NetUtil.LOCALHOST4, 0);
  private static final InetSocketAddress PORT_9 = new InetSocketAddress(NetUtil.LOCALHOST4, 9);
  private static final byte[] NONE = {};

  /** Keeps what it gets; a GET names the length of its answer. */
  private static final class Application implements NodeTarget {
    final BlockingQueue<NodePut> puts = new LinkedBlockingQueue<>();
    final AtomicInteger executed = new AtomicInteger();
    volatile boolean isHolding;

    @Override
    public void onPut(NodePut put) {
      executed.incrementAndGet();
      boolean isHeld = isHolding;
      puts.add(put);
      if (!isHeld) {
        put.acknowledge();
      }
    }

    @Override
    public void onGet(NodeGet get) {
      executed.incrementAndGet();
      if (get.header().length == 0) {
        get.fail(7, "nothing named");
      } else {
        get.reply(bytes(Integer.parseInt(new String(get.header(), UTF_8))));
      }
    }
  }

  private final List<AutoCloseable> open = new ArrayList<>();
  private final Application ofAlpha = new Application();
  private final Application ofBeta = new Application();

  private RtNode open(NodeConfig config) {
    RtNode node = RtNode.open(config);
    open.add(0, node);
    return node;
  }

  private void closeForGood(RtNode node) throws IOException {
    InetSocketAddress left = node.addresses().get(0);
    node.close();
    open.add(new NobodysPort(left));
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(length).nextBytes(bytes);
    return bytes;
  }

  private RtNode beta() {
    return open(NodeConfig.named("beta").listen(ANY).target(ofBeta));
  }

  private RtNode router(String name, InetSocketAddress beta) {
    return open(NodeConfig.named(name).listen(ANY).peer("beta", beta).forwardFor("alpha"));
  }

  private static NodeConfig alpha(RtNode... routers) {
    NodeConfig config = NodeConfig.named("alpha").peerOn("beta", "net1");
    for (RtNode router : routers) {
      config.peer(router.name(), router.addresses().get(0));
      config.route("net1", router.name(), 1, 0);
    }
    return config;
  }

  @Test
  void shouldPutAndGetThroughARouterWithEndsFromTheDestination() throws Exception {
    RtNode router = router("r1", beta().addresses().get(0));
    RtNode alpha = open(alpha(router));
    for (int length : new int[] {0, 3, 20_000, 3 << 20}) {
      get(alpha.put("beta", bytes(length), NONE));
      NodePut put = ofBeta.puts.take();
      assertThat(put.from()).isEqualTo("alpha");
      assertThat(put.payload()).isEqualTo(bytes(length));
      byte[] named = Integer.toString(length).getBytes(UTF_8);
      assertThat(get(alpha.get("beta", named, 3 << 20))).isEqualTo(bytes(length));
    }
    assertThat(failureOf(alpha.get("beta", NONE, 9)).code()).isEqualTo(7);
    ofBeta.isHolding = true;
    CompletableFuture<Void> refused = alpha.putAcknowledged("beta", bytes(9), new byte[] {4});
    NodePut held = ofBeta.puts.take();
    assertThat(held.header()).containsExactly(4);
    assertThat(refused).as("the router acknowledges nothing").isNotDone();
    held.fail(NodeCode.APPLICATION_CODE_MAX, "no");
    NodeException failure = failureOf(refused);
    assertThat(failure.status()).isEqualTo(MessageStatus.FAILED);
    assertThat(failure.code()).isEqualTo(NodeCode.APPLICATION_CODE_MAX);
    assertThat(failure).hasMessageContaining(": no");
    assertThat(ofBeta.executed.get()).isEqualTo(10);
    assertThat(router.routerStats().forwarded()).isEqualTo(12); // and two HELLO
    assertThat(router.routerStats().lost()).isZero();
  }

  /** A target that takes pushes of any length, and checks each byte. */
  private static final class Bulk implements RtTarget {
    final AtomicLong rightBytes = new AtomicLong();

    @Override
    public RtSink onOffer(RtConnection connection, long lengthBytes, byte[] header) {
      return new RtSink() {
        @Override
        protected void write(long offset, ByteBuffer from, int index, int length) {
          for (int i = 0; i < length; i++) {
            if (from.get(index + i) == (byte) ((offset + i) % 251)) {
              rightBytes.incrementAndGet();
            }
          }
        }
      };
    }

    @Override
    public void onPush(RtConnection connection, InboundPush push) {
      push.acknowledge();
    }
  }

  @Test
  void shouldCutThroughALongPushWithTheMemoryOfOneWindow() throws Exception {
    RtEndpoint far = RtEndpoint.builder().open();
    RtEndpoint near = RtEndpoint.builder().open();
    open.add(far);
    open.add(near);
    Bulk bulk = new Bulk();
    RtNode router = router("r1", far.listen(ANY, bulk).join().localAddress());
    RtConnection connection = get(near.connect(router.addresses().get(0)));
    byte[] payload = new byte[32 << 20];
    for (int i = 0; i < payload.length; i++) {
      payload[i] = (byte) (i % 251);
    }
    get(connection.push(payload, header("alpha", "beta", 8)));
    assertThat(bulk.rightBytes.get()).isEqualTo(payload.length);
    assertThat(router.routerStats().heldBytesMax())
        .isBetween(1L, Relay.HELD_BYTES_MAX + (256L << 10));
  }

  private static byte[] header(String origin, String destination, int hopsLeft) {
    RoutingHeader routing = new RoutingHeader(destination, origin);
    return new NodeHeader(MessageKind.PUT, false, hopsLeft, 5, 1, 1, 0, routing).before(NONE);
  }

  private static NodeCode codeOf(CompletableFuture<?> future) throws Exception {
    try {
      get(future);
      return null;
    } catch (ExecutionException e) {
      return NodeCode.of(((RtException) e.getCause()).code());
    }
  }

  @Test
  void shouldRefuseAndCountWhatItMayNotOrCannotForward() throws Exception {
    RtNode router = router("r1", beta().addresses().get(0));
    RtEndpoint near = RtEndpoint.builder().open();
    open.add(near);
    RtConnection to = get(near.connect(router.addresses().get(0)));
    assertThat(codeOf(to.push(NONE, header("eve", "beta", 8)))).isEqualTo(NodeCode.NO_ROUTE);
    assertThat(codeOf(to.push(bytes(1 << 20), header("eve", "beta", 8))))
        .isEqualTo(NodeCode.NO_ROUTE);
    assertThat(codeOf(to.pull(header("alpha", "beta", 8), 9)))
        .as("a pull that says PUT")
        .isEqualTo(NodeCode.UNKNOWN);
    assertThat(router.routerStats().strangers()).isEqualTo(2);
    assertThat(codeOf(to.push(NONE, header("alpha", "gamma", 8)))).isEqualTo(NodeCode.NO_ROUTE);
    assertThat(codeOf(to.push(NONE, header("alpha", "beta", 0)))).isEqualTo(NodeCode.NO_ROUTE);
    assertThat(router.routerStats().withoutRoute()).isEqualTo(2);
    byte[] forged = header("alpha", "beta", 8);
    SplittableRandom random = new SplittableRandom(3);
    long before = router.routerStats().unknown();
    for (int i = 0; i < 50; i++) {
      byte[] cut = Arrays.copyOf(forged, random.nextInt(forged.length));
      assertThat(codeOf(to.push(NONE, cut))).isEqualTo(NodeCode.UNKNOWN);
    }
    assertThat(router.routerStats().unknown()).isEqualTo(before + 50);
    assertThat(ofBeta.executed.get()).isZero();
    assertThat(codeOf(to.push(NONE, header("alpha", "beta", 8))))
        .as("an origin that beta does not know")
        .isEqualTo(NodeCode.UNKNOWN);
    assertThat(ofBeta.executed.get()).isZero();
  }

  @Test
  void shouldBeKnownAgainAtADestinationThatForgotIt() throws Exception {
    RtNode beta = beta();
    RtNode alpha = open(alpha(router("r1", beta.addresses().get(0))));
    get(alpha.put("beta", NONE, NONE));
    RtEndpoint others = RtEndpoint.builder().open();
    open.add(others);
    RtConnection to = get(others.connect(beta.addresses().get(0)));
    for (int origin = 1; origin <= OnceTable.ORIGINS_OF_PEER_MAX; origin++) {
      Hello who = Hello.read(get(to.pull(Hello.who(origin, "other", null), 100)));
      get(to.pull(who.toBeKnown(origin, 1, "other", null), 100));
    }
    byte[] named = "5".getBytes(UTF_8);
    CompletableFuture<byte[]> answer = alpha.get("beta", named, 9);
    CompletableFuture<Void> put = alpha.putAcknowledged("beta", bytes(3 << 20), NONE);
    assertThat(get(answer)).isEqualTo(bytes(5));
    get(put);
    assertThat(ofBeta.executed.get()).isEqualTo(3);
    assertThat(alpha.peerStats().get("beta").attempts()).as("forgotten").isGreaterThan(3);
  }

  @Test
  void shouldTakeTheNextRouteAtOnceIfARouterHasNoWayOn() throws Exception {
    RtNode beta = beta();
    RtNode without =
        open(NodeConfig.named("r1").listen(ANY).peer("gamma", PORT_9).forwardFor("alpha"));
    RtNode with = router("r2", beta.addresses().get(0));
    RtNode alpha = open(alpha(without, with));
    CallOptions soon = CallOptions.USUAL.within(Duration.ofSeconds(9));
    get(alpha.putAcknowledged("beta", bytes(1 << 20), NONE, soon));
    assertThat(without.routerStats().withoutRoute()).isPositive();
    assertThat(with.routerStats().forwarded()).isEqualTo(3);
    assertThat(ofBeta.executed.get()).isEqualTo(1);
  }

  @Test
  void shouldTellThatAPeerIsDownOnlyOnceNoRouterLeadsThere() throws Exception {
    BlockingQueue<String> news = new LinkedBlockingQueue<>();
    NodeTarget target =
        new NodeTarget() {
          @Override
          public void onPeerUp(String peer) {
            news.add("up " + peer);
          }

          @Override
          public void onPeerDown(String peer) {
            news.add("down " + peer);
          }
        };
    InetSocketAddress beta = beta().addresses().get(0);
    RtNode first = router("r1", beta);
    RtNode second = router("r2", beta);
    NodeConfig config = NodeConfig.named("alpha").target(target).peerOn("beta", "net1");
    config.peer("r1", first.addresses().get(0)).route("net1", "r1", 1, 0);
    config.peer("r2", second.addresses().get(0)).route("net1", "r2", 1, 1);
    RtNode alpha = open(config);
    get(alpha.put("beta", NONE, NONE));
    closeForGood(first);
    get(alpha.put("beta", NONE, NONE));
    assertThat(news).containsExactly("up beta");
    closeForGood(second);
    CallOptions soon = CallOptions.USUAL.within(Duration.ofSeconds(2));
    await()
        .until(
            () -> {
              assertThat(failureOf(alpha.put("beta", NONE, NONE, soon)).status())
                  .isEqualTo(MessageStatus.NOT_EXECUTED);
              return news.contains("down beta");
            });
    assertThat(news).containsExactly("up beta", "down beta");
  }

  @Test
  void shouldLeaveASilentRouterEvenIfTheOtherRestedWhenTheMessageWasSent() throws Exception {
    ofBeta.isHolding = true;
    InetSocketAddress beta = beta().addresses().get(0);
    InetSocketAddress firstAddress = FreePort.next();
    DarkRelay toSecond = new DarkRelay(router("r2", beta).addresses().get(0));
    open.add(0, toSecond);
    LeftConnections left = new LeftConnections();
    RtNode alpha =
        open(
            NodeConfig.named("alpha")
                .peerOn("beta", "net1")
                .peer("r1", firstAddress)
                .peer("r2", toSecond.address())
                .route("net1", "r1", 1, 0)
                .route("net1", "r2", 1, 1));
    left.of(alpha, "beta");
    long sentNs = System.nanoTime();
    CompletableFuture<?> put = alpha.putAcknowledged("beta", bytes(4), NONE);
    NodePut held = ofBeta.puts.poll(20, TimeUnit.SECONDS); // by r2: nobody listens for r1, it rests
    assertThat(held).isNotNull();
    // Later r1 would rest no more, and the test would show nothing.
    assumeThat(System.nanoTime() - sentNs).isLessThan(900_000_000L);
    open(NodeConfig.named("r1").listen(firstAddress).peer("beta", beta).forwardFor("alpha"));
    toSecond.dark(true, true);
    held.acknowledge();
    get(put);
    toSecond.dark(false, false); // else the nodes would wait for each other as they close
    assertThat(left.all().get(0).reason()).as("left before its connection ended").isNull();
    assertThat(ofBeta.executed).hasValue(1);
    PeerStats stats = alpha.peerStats().get("beta");
    assertThat(stats.completed()).isOne();
    assertThat(stats.attempts()).isEqualTo(2);
    assertThat(stats.againAfterSilence()).isOne();
  }

  @Test
  void shouldEndSurelyNotExecutedIfNoRouteLeadsThere() throws Exception {
    RtNode alpha = open(alpha(router("r1", FreePort.next())));
    CallOptions soon = CallOptions.USUAL.within(Duration.ofMillis(300));
    NodeException failure = failureOf(alpha.put("beta", NONE, NONE, soon));
    assertThat(failure.status()).isEqualTo(MessageStatus.NOT_EXECUTED);
  }

  @Test
  void shouldNotWaitInACircleIfTwoRoutersAreFullInBothDirections() throws Exception {
    InetSocketAddress[] at = new InetSocketAddress[4];
    for (int i = 0; i < at.length; i++) {
      at[i] = FreePort.next();
    }
    RtNode alpha =
        open(
            NodeConfig.named("alpha")
                .listen(at[0])
                .target(ofAlpha)
                .peer("r1", at[1])
                .peerOn("beta", "far")
                .route("far", "r1", 2, 0));
    RtNode beta =
        open(
            NodeConfig.named("beta")
                .listen(at[3])
                .target(ofBeta)
                .peer("r2", at[2])
                .peerOn("alpha", "near")
                .route("near", "r2", 2, 0));
    RtNode r1 =
        open(
            NodeConfig.named("r1")
                .listen(at[1])
                .forwardFor("alpha", "beta")
                .peer("alpha", at[0])
                .peer("r2", at[2])
                .peerOn("beta", "far")
                .route("far", "r2", 1, 0));
    open(
        NodeConfig.named("r2")
            .listen(at[2])
            .forwardFor("alpha", "beta")
            .peer("beta", at[3])
            .peer("r1", at[1])
            .peerOn("alpha", "near")
            .route("near", "r1", 1, 0));
    ofAlpha.isHolding = true;
    ofBeta.isHolding = true;
    int count = 2 * NextHop.LARGE_MAX;
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    byte[] payload = bytes(100_000);
    for (int i = 0; i < count; i++) {
      ends.add(alpha.putAcknowledged("beta", payload, NONE));
      ends.add(beta.putAcknowledged("alpha", payload, NONE));
    }
    await().until(() -> ofAlpha.puts.size() == count && ofBeta.puts.size() == count);
    assertThat(get(alpha.get("beta", "50".getBytes(UTF_8), 50)))
        .as("a reply while all puts wait for their answers")
        .isEqualTo(bytes(50));
    assertThat(get(beta.get("alpha", "400000".getBytes(UTF_8), 400_000))).hasSize(400_000);
    ofAlpha.puts.forEach(NodePut::acknowledge);
    ofBeta.puts.forEach(NodePut::acknowledge);
    for (CompletableFuture<Void> end : ends) {
      get(end);
    }
    assertThat(ofAlpha.executed.get()).isEqualTo(count + 1);
    assertThat(ofBeta.executed.get()).isEqualTo(count + 1);
    assertThat(r1.routerStats().heldBytesMax())
        .isLessThan(2L * NextHop.LARGE_MAX * Relay.HELD_BYTES_MAX);
  }

  @Test
  void shouldHaveRoomForOthersWhileOneOriginAnnouncesWhatNeverComes() throws Exception {
    InetSocketAddress beta = beta().addresses().get(0);
    RtNode router =
        open(NodeConfig.named("r1").listen(ANY).peer("beta", beta).forwardFor("alpha", "eve"));
    RtNode alpha = open(alpha(router));
    RtEndpoint near =
        RtEndpoint.builder().handshake(ConnectionConfig.builder().ordered(false).build()).open();
    open.add(near);
    RtConnection eve = get(near.connect(router.addresses().get(0)));
    List<Push> pushes = new ArrayList<>();
    List<CompletableFuture<Void>> stuck = new ArrayList<>();
    for (int i = 0; i < 2 * NextHop.LARGE_MAX; i++) {
      pushes.add(new Push(new NothingYet(1 << 20), header("eve", "beta", 8)));
      stuck.add(eve.push(pushes.get(i)));
    }
    await().until(() -> router.routerStats().forwarded() == NextHop.LARGE_MAX / 2);
    CompletableFuture<Void> put = alpha.putAcknowledged("beta", bytes(1 << 20), NONE);
    await("two HELLO, and the message of alpha")
        .until(() -> router.routerStats().forwarded() == NextHop.LARGE_MAX / 2 + 3);
    get(put); // eve's eight have an eighth of the budget of beta: it grants others, too
    assertThat(stuck).noneMatch(CompletableFuture::isDone);
    pushes.forEach(Push::cancel);
  }

  @Test
  void shouldHoldBackNoPushForAnswersThatComeLate() throws Exception {
    BlockingQueue<NodeGet> gets = new LinkedBlockingQueue<>();
    NodeTarget late =
        new NodeTarget() {
          @Override
          public void onPut(NodePut put) {
            put.acknowledge();
          }

          @Override
          public void onGet(NodeGet get) {
            gets.add(get);
          }
        };
    RtNode beta = open(NodeConfig.named("beta").listen(ANY).target(late));
    RtNode router = router("r1", beta.addresses().get(0));
    RtNode alpha = open(alpha(router));
    List<CompletableFuture<byte[]>> ends = new ArrayList<>();
    for (int i = 0; i < NextHop.LARGE_PULLS_MAX; i++) {
      ends.add(alpha.get("beta", NONE, 400_000));
    }
    await().until(() -> gets.size() >= NextHop.LARGE_MAX);
    get(alpha.putAcknowledged("beta", bytes(1 << 20), NONE));
    for (int i = 0; i < NextHop.LARGE_PULLS_MAX; i++) {
      gets.poll(20, TimeUnit.SECONDS).reply(bytes(9));
    }
    for (CompletableFuture<byte[]> end : ends) {
      assertThat(get(end)).isEqualTo(bytes(9));
    }
  }

  /** A payload that counts what was taken of it. */
  private static final class Counted extends RtPayload {
    static final long LENGTH_BYTES = 64L << 20;
    final AtomicLong copied = new AtomicLong();
    final CompletableFuture<Void> released = new CompletableFuture<>();

    @Override
    public long lengthBytes() {
      return LENGTH_BYTES;
    }

    @Override
    protected int copy(long offset, ByteBuffer to, int index, int length) {
      copied.addAndGet(length);
      return length;
    }

    @Override
    protected void deallocate() {
      released.complete(null);
    }

    @Override
    public RtPayload touch(Object hint) {
      return this;
    }
  }

  @Test
  void shouldGiveUpAnAnswerThatNobodyWantsAnyMore() throws Exception {
    RtEndpoint far = RtEndpoint.builder().open();
    RtEndpoint near = RtEndpoint.builder().open();
    open.add(far);
    open.add(near);
    Counted answer = new Counted();
    RtTarget target =
        new RtTarget() {
          @Override
          public void onPull(RtConnection connection, RtPullRequest request) {
            request.respond(answer);
          }
        };
    RtNode router = router("r1", far.listen(ANY, target).join().localAddress());
    RtConnection to = get(near.connect(router.addresses().get(0)));
    Pull[] pull = {null};
    RtSink cancels =
        new RtSink() {
          @Override
          protected void write(long offset, ByteBuffer from, int index, int length) {
            pull[0].cancel();
          }
        };
    pull[0] = Pull.into(cancels, getHeader(), Counted.LENGTH_BYTES);
    to.pull(pull[0]);
    get(answer.released);
    assertThat(answer.copied.get()).isLessThan(Counted.LENGTH_BYTES);
    assertThat(router.routerStats().lost() + router.routerStats().withoutRoute()).isZero();
  }

  private static byte[] getHeader() {
    RoutingHeader routing = new RoutingHeader("beta", "alpha");
    return new NodeHeader(MessageKind.GET, false, 8, 5, 1, 1, 0, routing).before(NONE);
  }

  @Test
  void shouldRefuseRoutesThatLeadNowhere() throws Exception {
    NodeConfig nowhere = NodeConfig.named("a").peerOn("b", "net1");
    assertThatThrownBy(() -> RtNode.open(nowhere)).hasMessageContaining("peer=b@net1");
    NodeConfig stranger = NodeConfig.named("a").route("net1", "r", 1, 0);
    assertThatThrownBy(() -> RtNode.open(stranger)).hasMessageContaining("router=r, valid");
    NodeConfig config = NodeConfig.named("a");
    assertThatThrownBy(() -> config.route("net1", "r", 9, 0)).hasMessage("hops=9, valid: 1..8");
    assertThatThrownBy(() -> config.peerOn("b".repeat(46), "n")).hasMessageContaining("1..45");
    assertThatThrownBy(() -> config.peerOn("b", "n").peerOn("b", "m"))
        .hasMessageContaining("each once");
    assertThatThrownBy(config::forwardFor).hasMessageContaining("origins=0");
    RtNode alpha = open(alpha(router("r1", FreePort.next())));
    int longest = RtNode.HEADER_LENGTH_MAX - 2 - "alpha".length() - "beta".length();
    assertThatThrownBy(() -> alpha.put("beta", NONE, new byte[longest + 1]))
        .hasMessage("header of " + (longest + 1) + " bytes, valid: 0.." + longest);
  }
}
