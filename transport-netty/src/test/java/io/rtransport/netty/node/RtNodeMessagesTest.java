package io.rtransport.netty.node;

import static io.rtransport.netty.node.MessageEnds.failureOf;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.channel.ChannelOption;
import io.netty.util.NetUtil;
import io.rtransport.core.node.MessageKind;
import io.rtransport.core.node.NodeHeader;
import io.rtransport.core.node.OnceTable;
import io.rtransport.core.outcome.MessageStatus;
import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.core.stats.MessageTimes;
import io.rtransport.core.stats.PeerStats;
import io.rtransport.netty.DarkRelay;
import io.rtransport.netty.FreePort;
import io.rtransport.netty.NothingYet;
import io.rtransport.netty.Push;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtEndpoint;
import io.rtransport.netty.internal.loop.Nodes;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages between nodes over real sockets of one process. */
@Timeout(60)
class RtNodeMessagesTest {
  private static final InetSocketAddress ANY = new InetSocketAddress(NetUtil.LOCALHOST4, 0);
  private static final InetSocketAddress PORT_9 = new InetSocketAddress(NetUtil.LOCALHOST4, 9);
  private static final byte[] NONE = {};
  private static final Duration AGES = Duration.ofSeconds(50);

  /** Keeps what it gets, and answers as the test says. */
  private static final class Application implements NodeTarget {
    final BlockingQueue<NodePut> puts = new LinkedBlockingQueue<>();
    final BlockingQueue<String> news = new LinkedBlockingQueue<>();
    final AtomicInteger executed = new AtomicInteger();
    volatile boolean isHolding;
    volatile boolean isThrowing;

    @Override
    public void onPut(NodePut put) {
      executed.incrementAndGet();
      boolean isHeld = isHolding; // the test goes on once it has the message
      puts.add(put);
      if (isThrowing) {
        throw new IllegalStateException("on purpose");
      }
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
        get.reply((get.from() + " wants " + new String(get.header(), UTF_8)).getBytes(UTF_8));
      }
    }

    @Override
    public void onPeerUp(String peer) {
      news.add("up " + peer);
    }

    @Override
    public void onPeerDown(String peer) {
      news.add("down " + peer);
    }
  }

  private final Application ofBeta = new Application();
  private final Application ofAlpha = new Application();
  private final List<RtNode> nodes = new ArrayList<>();

  private RtNode open(NodeConfig config) {
    RtNode node = RtNode.open(config);
    nodes.add(node);
    return node;
  }

  private RtNode beta(InetSocketAddress at) {
    return open(NodeConfig.named("beta").listen(at).target(ofBeta));
  }

  private RtNode alphaTo(InetSocketAddress at) {
    return open(NodeConfig.named("alpha").peer("beta", at).target(ofAlpha));
  }

  @AfterEach
  void close() {
    nodes.forEach(RtNode::close);
  }

  private static void abortConnection(RtNode node) {
    node.link("beta", null)
        .onConnection(
            connection -> {
              connection.channel().config().setOption(ChannelOption.SO_LINGER, 0);
              connection.channel().close();
            });
  }

  @Test
  void shouldPutAndGetByName() throws Exception {
    RtNode alpha = alphaTo(beta(ANY).addresses().get(0));
    alpha.put("beta", "one".getBytes(UTF_8), new byte[] {1}).get(20, TimeUnit.SECONDS);
    alpha.putAcknowledged("beta", "two".getBytes(UTF_8), NONE).get(20, TimeUnit.SECONDS);
    NodePut one = ofBeta.puts.take();
    assertThat(one.from()).isEqualTo("alpha");
    assertThat(one.wantsAnswer()).isFalse();
    assertThat(one.header()).containsExactly(1);
    assertThat(new String(one.payload(), UTF_8)).isEqualTo("one");
    NodePut two = ofBeta.puts.take();
    assertThat(two.wantsAnswer()).isTrue();
    assertThat(two.acknowledge()).as("answered before").isFalse();
    byte[] answer = alpha.get("beta", "x".getBytes(UTF_8), 100).get(20, TimeUnit.SECONDS);
    assertThat(new String(answer, UTF_8)).isEqualTo("alpha wants x");
    assertThat(ofAlpha.news).containsExactly("up beta");
  }

  @Test
  void shouldTellWhatThePeersApplicationSays() throws Exception {
    RtNode alpha = alphaTo(beta(ANY).addresses().get(0));
    NodeException failure = failureOf(alpha.get("beta", NONE, 100));
    assertThat(failure.status()).isEqualTo(MessageStatus.FAILED);
    assertThat(failure.code()).isEqualTo(7);
    assertThat(failure).hasMessageContaining("nothing named");
    ofBeta.isHolding = true;
    CompletableFuture<Void> refused = alpha.putAcknowledged("beta", NONE, NONE);
    ofBeta.puts.take().fail(8, "no");
    assertThat(failureOf(refused).code()).isEqualTo(8);
  }

  @Test
  void shouldEndWithUnknownIfThePeersApplicationThrows() throws Exception {
    RtNode alpha = alphaTo(beta(ANY).addresses().get(0));
    ofBeta.isThrowing = true;
    NodeException failure = failureOf(alpha.putAcknowledged("beta", NONE, NONE));
    assertThat(failure.status()).isEqualTo(MessageStatus.UNKNOWN);
    alpha.put("beta", NONE, NONE).get(20, TimeUnit.SECONDS); // its node has it
    await().until(() -> ofBeta.executed.get() == 2);
  }

  @Test
  void shouldSendAgainWhatAnAbortedConnectionCarriedAndExecuteItOnce() throws Exception {
    RtNode alpha = alphaTo(beta(ANY).addresses().get(0));
    alpha.put("beta", NONE, NONE).get(20, TimeUnit.SECONDS);
    ofBeta.isHolding = true;
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      ends.add(alpha.putAcknowledged("beta", new byte[i], NONE));
    }
    await().until(() -> ofBeta.executed.get() == 101);
    abortConnection(alpha);
    await().until(() -> ofAlpha.news.contains("down beta"));
    List<NodePut> executed = new ArrayList<>();
    ofBeta.puts.drainTo(executed);
    executed.subList(1, 51).forEach(NodePut::acknowledge); // before it is sent again, or after
    await().until(() -> ofAlpha.news.size() == 3); // up, down, up
    executed.subList(51, 101).forEach(put -> put.fail(9, "no"));
    for (int i = 0; i < 100; i++) {
      if (i < 50) {
        ends.get(i).get(20, TimeUnit.SECONDS);
      } else {
        assertThat(failureOf(ends.get(i)).code()).isEqualTo(9);
      }
    }
    assertThat(ofBeta.executed.get()).isEqualTo(101);
    PeerStats stats = alpha.peerStats().get("beta");
    assertThat(stats.messages()).isEqualTo(101);
    assertThat(stats.completed()).isEqualTo(51);
    assertThat(stats.failed()).isEqualTo(50);
    assertThat(stats.unknown() + stats.notExecuted()).isZero();
    assertThat(stats.attempts()).isEqualTo(201);
    assertThat(stats.againAfterLoss()).isEqualTo(100);
    assertThat(stats.againAfterSilence() + stats.againAfterNoWay()).isZero();
    MessageTimes attempts = stats.attemptTimes();
    assertThat(attempts.meanNs()).isPositive();
    assertThat(attempts.p50Ns()).isPositive().isLessThanOrEqualTo(attempts.p99Ns());
    assertThat(attempts.maxNs()).isGreaterThanOrEqualTo(attempts.p99Ns());
    assertThat(stats.completedTimes().meanNs()).isGreaterThan(attempts.meanNs() / 2);
  }

  /** With {@code hld()} a message is due again in the very moment in which its attempt fails. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldWaitForTheNextConnectionEvenWithoutAnIntervalBetweenAttempts(boolean isAborted)
      throws Exception {
    RailHealthConfig former = Nodes.RAIL_HEALTH.config();
    Nodes.RAIL_HEALTH.config(RailHealthConfig.hld());
    try (DarkRelay relay = new DarkRelay(beta(ANY).addresses().get(0))) {
      RtNode alpha = alphaTo(relay.address());
      alpha.put("beta", NONE, NONE).get(20, TimeUnit.SECONDS);
      ofBeta.isHolding = true;
      List<CompletableFuture<Void>> ends = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        ends.add(alpha.putAcknowledged("beta", NONE, NONE, CallOptions.USUAL.within(AGES)));
      }
      await().until(() -> ofBeta.executed.get() == 21);
      if (isAborted) {
        abortConnection(alpha);
      } else {
        relay.dark(true, true); // until its connection has exceeded its retries
      }
      await().until(() -> ofAlpha.news.contains("down beta"));
      relay.dark(false, false);
      ofBeta.puts.forEach(NodePut::acknowledge);
      for (CompletableFuture<Void> end : ends) {
        end.get(30, TimeUnit.SECONDS);
      }
      assertThat(ofBeta.executed.get()).isEqualTo(21);
      assertThat(alpha.peerStats().get("beta").attempts()).isEqualTo(41);
    } finally {
      Nodes.RAIL_HEALTH.config(former);
    }
  }

  @Test
  void shouldGetAgainOnlyWhatMayBeExecutedTwice() throws Exception {
    BlockingQueue<NodeGet> gets = new LinkedBlockingQueue<>();
    RtNode beta =
        open(
            NodeConfig.named("beta")
                .listen(ANY)
                .target(
                    new NodeTarget() {
                      @Override
                      public void onGet(NodeGet get) {
                        gets.add(get);
                      }
                    }));
    RtNode alpha = alphaTo(beta.addresses().get(0));
    CompletableFuture<byte[]> once = alpha.get("beta", NONE, 10);
    CompletableFuture<byte[]> often =
        alpha.get("beta", new byte[1], 10, CallOptions.USUAL.repeatable());
    gets.take();
    gets.take();
    abortConnection(alpha);
    assertThat(failureOf(once).status()).isEqualTo(MessageStatus.UNKNOWN);
    NodeGet again = gets.take();
    assertThat(again.header()).hasSize(1);
    again.reply(new byte[] {5});
    assertThat(often.get(20, TimeUnit.SECONDS)).containsExactly(5);
    assertThat(gets).isEmpty();
  }

  /** The message waits for its peer all of its time: a busy machine needs more to find out why. */
  private static void assertNotExecuted(String why, RtNode alpha) throws Exception {
    NodeException failure = null;
    for (int millis = 250; millis <= 16_000; millis *= 2) {
      CallOptions soon = CallOptions.USUAL.within(Duration.ofMillis(millis));
      failure = failureOf(alpha.put("beta", NONE, NONE, soon));
      assertThat(failure.status()).isEqualTo(MessageStatus.NOT_EXECUTED);
      if (failure.getMessage().contains(why)) {
        return;
      }
    }
    assertThat(failure).hasMessageContaining(why);
  }

  @Test
  void shouldWaitForAPeerUntilItsTimeIsOver() throws Exception {
    InetSocketAddress later = FreePort.next();
    RtNode alpha = alphaTo(later);
    assertNotExecuted("refused", alpha);
    CompletableFuture<Void> waiting = alpha.putAcknowledged("beta", NONE, NONE);
    beta(later);
    waiting.get(20, TimeUnit.SECONDS);
    assertThat(ofAlpha.news).containsExactly("up beta");
    assertThat(ofBeta.executed.get()).isEqualTo(1);
  }

  @Test
  void shouldEndAtItsTimeThoughThePeersApplicationDoesNotAnswer() throws Exception {
    RtNode alpha = alphaTo(beta(ANY).addresses().get(0));
    alpha.put("beta", NONE, NONE).get(20, TimeUnit.SECONDS); // connected: the next leaves at once
    ofBeta.puts.take();
    ofBeta.isHolding = true;
    CallOptions soon = CallOptions.USUAL.within(Duration.ofMillis(200));
    NodeException failure = failureOf(alpha.putAcknowledged("beta", NONE, NONE, soon));
    assertThat(failure.status()).isEqualTo(MessageStatus.UNKNOWN);
    ofBeta.puts.take().acknowledge(); // else its node would wait for that as it closes
  }

  @Test
  void shouldTakeNoMoreMessagesThanThePeerKnowsIdsOf() throws Exception {
    RtNode alpha = alphaTo(beta(ANY).addresses().get(0));
    ofBeta.isHolding = true;
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < OnceTable.IDS_MAX; i++) {
      ends.add(alpha.putAcknowledged("beta", NONE, NONE));
    }
    NodeException refused = failureOf(alpha.put("beta", NONE, NONE));
    assertThat(refused.status()).isEqualTo(MessageStatus.NOT_EXECUTED);
    assertThat(refused).hasMessageContaining("without an end is 1024 back");
    await().until(() -> ofBeta.puts.size() == OnceTable.IDS_MAX);
    ofBeta.puts.forEach(NodePut::acknowledge);
    for (CompletableFuture<Void> end : ends) {
      end.get(20, TimeUnit.SECONDS);
    }
    ofBeta.isHolding = false;
    alpha.put("beta", NONE, NONE).get(20, TimeUnit.SECONDS);
  }

  @Test
  void shouldHoldBackWhatItsApplicationDoesNotAnswerAndLoseNothing() throws Exception {
    ofBeta.isHolding = true;
    NodeConfig bounded = NodeConfig.named("beta").listen(ANY).target(ofBeta);
    RtNode beta = open(bounded.untakenBytesMax(NodeConfig.UNTAKEN_BYTES_MIN));
    RtNode alpha = alphaTo(beta.addresses().get(0));
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      ends.add(alpha.putAcknowledged("beta", new byte[3 << 20], NONE));
    }
    List<NodePut> held = new ArrayList<>();
    for (int executed = 1; executed <= 12; executed++) {
      held.add(ofBeta.puts.poll(20, TimeUnit.SECONDS));
      assertThat(beta.untakenBytes()).as("half of the room").isBetween(1L, 8L << 20);
      if (held.size() == 2 || executed == 12) {
        held.forEach(NodePut::acknowledge);
        held.clear();
      }
    }
    for (CompletableFuture<Void> end : ends) {
      end.get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldHaveRoomAgainForWhatWasAnnouncedAndNeverCame() throws Exception {
    NodeConfig bounded = NodeConfig.named("beta").listen(ANY).target(ofBeta);
    RtNode beta = open(bounded.untakenBytesMax(NodeConfig.UNTAKEN_BYTES_MIN));
    RtNode alpha = alphaTo(beta.addresses().get(0));
    Push push = new Push(new NothingYet(8 << 20), put(3));
    CompletableFuture<Void> put;
    try (RtEndpoint stranger = RtEndpoint.builder().nio().open()) {
      RtConnection connection = stranger.connect(beta.addresses().get(0)).get(20, TimeUnit.SECONDS);
      connection.push(push);
      await().until(() -> beta.untakenBytes() == 8 << 20);
      put = alpha.putAcknowledged("beta", new byte[1 << 20], NONE);
      alpha.get("beta", new byte[1], 100).get(20, TimeUnit.SECONDS);
      alpha.get("beta", new byte[1], 100).get(20, TimeUnit.SECONDS);
      assertThat(put).as("its host has announced half of the room").isNotDone();
      push.cancel();
    }
    put.get(20, TimeUnit.SECONDS);
  }

  @Test
  void shouldNotTakeAnotherNodeForItsPeer() throws Exception {
    RtNode gamma = open(NodeConfig.named("gamma").listen(ANY));
    RtNode alpha = alphaTo(gamma.addresses().get(0));
    assertNotExecuted("calls itself gamma", alpha);
  }

  @Test
  void shouldRefuseWhatIsNoMessageOfANode() throws Exception {
    RtNode beta = beta(ANY);
    try (RtEndpoint stranger = RtEndpoint.builder().nio().open()) {
      RtConnection connection = stranger.connect(beta.addresses().get(0)).get(20, TimeUnit.SECONDS);
      assertThatThrownBy(() -> connection.push(NONE, new byte[40]).join())
          .isInstanceOf(CompletionException.class)
          .hasMessageContaining("not a message of a node");
      assertThatThrownBy(() -> connection.pull(new byte[3], 10).join())
          .hasMessageContaining("not a message of a node");
      byte[] noHello = Hello.who(3, "no name!", null);
      assertThatThrownBy(() -> connection.pull(noHello, 100).join())
          .hasMessageContaining("not a message of a node");
      Hello who = Hello.read(connection.pull(Hello.who(3, "stranger", null), 100).join());
      assertThatThrownBy(() -> connection.push(NONE, put(3)).join())
          .as("not known yet")
          .hasMessageContaining("not a message of a node");
      connection.pull(who.toBeKnown(3, 1, "stranger", null), 100).join();
      assertThatThrownBy(() -> connection.push(NONE, put(4)).join())
          .as("of another origin")
          .hasMessageContaining("not a message of a node");
      assertThat(ofBeta.executed.get()).isZero();
      connection.push(NONE, put(3)).join();
    }
    assertThat(ofBeta.executed.get()).isEqualTo(1);
  }

  /** Has as many origins of this host say HELLO as a node knows of one host. */
  private static void sayHelloAsOthers(RtEndpoint others, RtNode to) throws Exception {
    RtConnection connection = others.connect(to.addresses().get(0)).get(20, TimeUnit.SECONDS);
    for (int origin = 1; origin <= OnceTable.ORIGINS_OF_PEER_MAX; origin++) {
      Hello who = Hello.read(connection.pull(Hello.who(origin, "other", null), 100).join());
      connection.pull(who.toBeKnown(origin, 1, "other", null), 100).join();
    }
  }

  @Test
  void shouldRefuseAHelloThatComesAfterItsOriginWasForgotten() throws Exception {
    RtNode beta = beta(ANY);
    try (RtEndpoint others = RtEndpoint.builder().nio().open()) {
      RtConnection late = others.connect(beta.addresses().get(0)).get(20, TimeUnit.SECONDS);
      Hello who = Hello.read(late.pull(Hello.who(99, "late", null), 100).join());
      byte[] hello = who.toBeKnown(99, 1, "late", null);
      late.pull(hello, 100).join();
      late.push(NONE, put(99)).join();
      sayHelloAsOthers(others, beta);
      assertThatThrownBy(() -> late.pull(hello, 100).join())
          .hasMessageContaining("may have been forgotten since it said HELLO");
      assertThatThrownBy(() -> late.push(NONE, put(99)).join())
          .as("executed already")
          .hasMessageContaining("it may have been executed");
      byte[] noMark = Arrays.copyOf(hello, NodeHeader.LENGTH + 4);
      assertThatThrownBy(() -> late.pull(noMark, 100).join())
          .hasMessageContaining("not a message of a node");
    }
    assertThat(ofBeta.executed.get()).isEqualTo(1);
  }

  @Test
  void shouldBeKnownAgainInTheSameConnectionAfterItsPeerForgotIt() throws Exception {
    RtNode beta = beta(ANY);
    RtNode alpha = alphaTo(beta.addresses().get(0));
    alpha.put("beta", NONE, NONE).get(20, TimeUnit.SECONDS);
    try (RtEndpoint others = RtEndpoint.builder().nio().open()) {
      for (int round = 1; round <= 3; round++) {
        sayHelloAsOthers(others, beta);
        List<CompletableFuture<?>> ends = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
          ends.add(alpha.put("beta", NONE, NONE));
          ends.add(alpha.putAcknowledged("beta", NONE, NONE));
          ends.add(alpha.get("beta", new byte[1], 100));
        }
        for (CompletableFuture<?> end : ends) {
          end.get(20, TimeUnit.SECONDS);
        }
        assertThat(ofBeta.executed.get()).as("each once").isEqualTo(1 + round * 150);
        PeerStats stats = alpha.peerStats().get("beta");
        assertThat(stats.attempts()).as("forgotten").isGreaterThan(stats.messages());
        assertThat(stats.againAfterLoss()).isEqualTo(stats.attempts() - stats.messages());
      }
    }
    assertThat(ofAlpha.news).as("one connection").containsExactly("up beta");
  }

  private static byte[] put(long origin) {
    return new NodeHeader(MessageKind.PUT, false, 8, origin, 1, 1, 0).before(NONE);
  }

  @Test
  void shouldNotWaitForAnotherMessageThatIsNotAnswered() throws Exception {
    RtNode alpha = alphaTo(beta(ANY).addresses().get(0));
    ofBeta.isHolding = true;
    CompletableFuture<Void> held = alpha.putAcknowledged("beta", NONE, NONE);
    NodePut put = ofBeta.puts.take();
    ofBeta.isHolding = false;
    alpha.put("beta", NONE, NONE).get(20, TimeUnit.SECONDS);
    alpha.putAcknowledged("beta", NONE, NONE).get(20, TimeUnit.SECONDS);
    alpha.get("beta", new byte[1], 100).get(20, TimeUnit.SECONDS);
    assertThat(held).isNotDone();
    put.acknowledge();
    held.get(20, TimeUnit.SECONDS);
  }

  @Test
  void shouldSendToARestartedPeerWhatTheFormerSurelyDidNotExecute() throws Exception {
    InetSocketAddress at = FreePort.next();
    RtNode beta = beta(at);
    RtNode alpha = alphaTo(at);
    ofBeta.isHolding = true;
    CompletableFuture<Void> bound = alpha.putAcknowledged("beta", NONE, NONE);
    CompletableFuture<Void> repeatable =
        alpha.putAcknowledged("beta", NONE, NONE, CallOptions.USUAL.repeatable());
    await().until(() -> ofBeta.executed.get() == 2);
    nodes.remove(beta);
    CompletableFuture<Void> closing = CompletableFuture.runAsync(beta::close);
    await().until(() -> ofAlpha.news.contains("down beta"));
    CompletableFuture<Void> late = alpha.putAcknowledged("beta", NONE, NONE);
    closing.get(20, TimeUnit.SECONDS);
    ofBeta.isHolding = false;
    beta(at);
    late.get(20, TimeUnit.SECONDS);
    repeatable.get(20, TimeUnit.SECONDS);
    assertThat(failureOf(bound).status()).isEqualTo(MessageStatus.UNKNOWN);
    assertThat(ofBeta.executed.get()).isEqualTo(4);
  }

  @Test
  void shouldEndThoughItIsClosedInACallback() throws Exception {
    RtNode beta = beta(ANY);
    CompletableFuture<Void> closed = new CompletableFuture<>();
    RtNode[] self = new RtNode[1];
    self[0] =
        open(
            NodeConfig.named("alpha")
                .peer("beta", beta.addresses().get(0))
                .target(
                    new NodeTarget() {
                      @Override
                      public void onPeerUp(String peer) {
                        self[0].close();
                        closed.complete(null);
                      }
                    }));
    CompletableFuture<Void> put = self[0].put("beta", NONE, NONE);
    closed.get(20, TimeUnit.SECONDS);
    await().until(put::isDone);
    self[0].close(); // waits
  }

  @Test
  void shouldCheckWhatItsCallerSays() {
    RtNode alpha = alphaTo(new InetSocketAddress(NetUtil.LOCALHOST4, 9));
    assertThatThrownBy(() -> alpha.put("delta", NONE, NONE))
        .hasMessageContaining("peer=delta")
        .hasMessageContaining("beta");
    assertThatThrownBy(() -> alpha.put("beta", NONE, new byte[RtNode.HEADER_LENGTH_MAX + 1]))
        .hasMessageContaining("0..476");
    assertThatThrownBy(() -> alpha.get("beta", NONE, -1)).hasMessageContaining("-1");
    assertThatThrownBy(() -> alpha.get("beta", NONE, RtNode.PAYLOAD_LENGTH_MAX + 1))
        .hasMessageContaining("0..16777216");
    assertThatThrownBy(() -> NodeConfig.named("a").untakenBytesMax((16 << 20) - 1))
        .hasMessageContaining("untakenBytesMax=16777215, valid: 16777216..");
    for (Duration wrong : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(2))) {
      CallOptions options = CallOptions.USUAL.within(wrong);
      assertThatThrownBy(() -> alpha.put("beta", NONE, NONE, options))
          .hasMessageContaining("within=" + wrong);
    }
    assertThatThrownBy(() -> alpha.put("beta", null, NONE))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("payload");
    byte[] tooLong = new byte[RtNode.PAYLOAD_LENGTH_MAX + 1];
    assertThatThrownBy(() -> alpha.put("beta", tooLong, NONE)).hasMessageContaining("0..16777216");
    assertThatThrownBy(() -> NodeConfig.named("a").peer("b", ANY))
        .hasMessageContaining("with a port");
    assertThatThrownBy(() -> NodeConfig.named("no name")).hasMessageContaining("name=no name");
    assertThatThrownBy(() -> NodeConfig.named("a".repeat(65))).hasMessageContaining("1 to 64");
    assertThatThrownBy(() -> NodeConfig.named("a").peer("b")).hasMessageContaining("valid: 1..8");
    InetSocketAddress[] nine = {
      PORT_9, PORT_9, PORT_9, PORT_9, PORT_9, PORT_9, PORT_9, PORT_9, PORT_9
    };
    assertThatThrownBy(() -> NodeConfig.named("a").peer("b", nine))
        .hasMessageContaining("valid: 1..8");
    assertThatThrownBy(() -> NodeConfig.named("a").peer("b", PORT_9).peer("b", PORT_9))
        .hasMessageContaining("each once");
    assertThatThrownBy(() -> NodeConfig.named("a").threads(0)).hasMessageContaining("threads=0");
    assertThatThrownBy(
            () -> RtNode.open(NodeConfig.named("a").listen(new InetSocketAddress("192.0.2.1", 0))))
        .isInstanceOf(CompletionException.class);
  }

  @Test
  void shouldKeepUpToItsBoundOfBytesForAPeerThatIsAwayAndNotOneMore() throws Exception {
    RtNode alpha = open(NodeConfig.named("alpha").nio().peer("beta", PORT_9).keptBytesMax(2_000));
    CallOptions soon = CallOptions.USUAL.within(Duration.ofSeconds(1));
    CompletableFuture<Void> first = alpha.put("beta", new byte[1_900], new byte[99], soon);
    NodeException full = failureOf(alpha.put("beta", new byte[2], NONE));
    assertThat(full.status()).isEqualTo(MessageStatus.NOT_EXECUTED);
    assertThat(full).hasMessageContaining("2 bytes for beta do not fit");
    assertThat(full).hasMessageContaining("kept=1999, keptBytesMax=2000");
    CompletableFuture<Void> last = alpha.putAcknowledged("beta", new byte[1], NONE, soon);
    assertThat(first).as("kept while the others were refused").isNotDone();
    assertThat(failureOf(first)).hasMessageNotContaining("do not fit");
    assertThat(failureOf(last)).hasMessageNotContaining("do not fit");
    CompletableFuture<Void> again = alpha.put("beta", new byte[2_000], NONE);
    assertThat(failureOf(alpha.get("beta", new byte[1], 1))).hasMessageContaining("do not fit");
    alpha.close();
    assertThat(failureOf(again)).as("there was room again").hasMessageContaining("closed");
  }

  @Test
  void shouldRefuseABoundOfBytesThatIsOutOfRange() {
    NodeConfig config = NodeConfig.named("a");
    assertThatThrownBy(() -> config.keptBytesMax(1_023))
        .hasMessage("keptBytesMax=1023, valid: 1024..1099511627776");
    assertThatThrownBy(() -> config.keptBytesMax((1L << 40) + 1))
        .hasMessageContaining("valid: 1024..1099511627776");
    config.keptBytesMax(1_024).keptBytesMax(1L << 40);
  }

  @Test
  void shouldEndEveryFutureAtItsClose() throws Exception {
    RtNode alpha = alphaTo(new InetSocketAddress(NetUtil.LOCALHOST4, 9));
    CompletableFuture<Void> waiting = alpha.put("beta", NONE, NONE);
    alpha.close();
    assertThat(failureOf(waiting).status()).isEqualTo(MessageStatus.NOT_EXECUTED);
    NodeException late = failureOf(alpha.put("beta", NONE, NONE));
    assertThat(late.status()).isEqualTo(MessageStatus.NOT_EXECUTED);
    assertThat(late).hasMessageContaining("closed");
  }

  @Test
  void shouldFinishWhatIsOnItsWayAtItsClose() throws Exception {
    RtNode alpha = alphaTo(beta(ANY).addresses().get(0));
    ofBeta.isHolding = true;
    CompletableFuture<Void> onItsWay = alpha.putAcknowledged("beta", NONE, NONE);
    NodePut put = ofBeta.puts.take();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(alpha::close);
    await().pollDelay(50, TimeUnit.MILLISECONDS).until(() -> !closing.isDone());
    put.acknowledge();
    onItsWay.get(20, TimeUnit.SECONDS);
    closing.get(20, TimeUnit.SECONDS);
  }
}
