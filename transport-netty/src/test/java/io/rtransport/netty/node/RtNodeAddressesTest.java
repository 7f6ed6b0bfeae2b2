package io.rtransport.netty.node;

import static io.rtransport.netty.node.MessageEnds.get;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.channel.ChannelOption;
import io.netty.util.NetUtil;
import io.rtransport.core.stats.Limits;
import io.rtransport.netty.DarkRelay;
import io.rtransport.netty.FalseAddresses;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtEndpoint;
import io.rtransport.netty.facade.RtTarget;
import io.rtransport.netty.internal.loop.PeerAddresses;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that tell and learn addresses, over real sockets of one process. */
@Timeout(60)
class RtNodeAddressesTest {
  private static final byte[] NONE = {};

  /** Counts how often each message was executed. */
  private static final class Counter implements NodeTarget {
    final Map<String, Integer> executed = new ConcurrentHashMap<>();

    @Override
    public void onPut(NodePut put) {
      executed.merge(new String(put.header(), UTF_8), 1, Integer::sum);
      put.acknowledge();
    }
  }

  private final List<AutoCloseable> open = new ArrayList<>();
  private final Counter ofBeta = new Counter();
  private final Counter ofGamma = new Counter();
  private int sent;

  private static InetSocketAddress at(int last, int port) {
    InetAddress address = NetUtil.createInetAddressFromIpAddressString("127.0.0." + last);
    return new InetSocketAddress(address, port);
  }

  private <T extends AutoCloseable> T opened(T each) {
    open.add(0, each);
    return each;
  }

  private RtNode node(String name, NodeTarget target, InetSocketAddress... at) {
    NodeConfig config = NodeConfig.named(name).target(target);
    for (InetSocketAddress each : at) {
      config.listen(each);
    }
    return opened(RtNode.open(config));
  }

  private RtNode alphaTo(InetSocketAddress beta) {
    return opened(RtNode.open(NodeConfig.named("alpha").peer("beta", beta)));
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private CompletableFuture<Void> put(RtNode alpha) {
    return alpha.putAcknowledged("beta", NONE, ("message " + sent++).getBytes(UTF_8));
  }

  /** Puts so many, all of which are executed once. */
  private void putAll(RtNode alpha, int count) throws Exception {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ends.add(put(alpha));
    }
    for (CompletableFuture<Void> end : ends) {
      get(end);
    }
    assertThat(ofBeta.executed)
        .hasSize(sent)
        .allSatisfy((what, times) -> assertThat(times).isOne());
  }

  private static List<InetSocketAddress> learnt(RtNode alpha) {
    return alpha.learntAddresses().getOrDefault("beta", List.of());
  }

  private static void awaitLearnt(RtNode alpha, InetSocketAddress... addresses) {
    await().untilAsserted(() -> assertThat(learnt(alpha)).containsExactlyInAnyOrder(addresses));
  }

  /** Ends the connection; returns when the node has noticed. */
  private static void loseConnection(RtNode alpha) {
    AtomicReference<RtConnection> lost = new AtomicReference<>();
    alpha
        .link("beta", null)
        .onConnection(
            connection -> {
              lost.set(connection);
              connection.channel().config().setOption(ChannelOption.SO_LINGER, 0);
              connection.channel().close();
            });
    await().until(() -> lost.get() != null && lost.get().closeReason() != null);
  }

  // ---- addresses that die

  @Test
  void shouldGoOnByALearntAddressWhenTheGivenOneDies() throws Exception {
    RtNode beta = node("beta", ofBeta, at(1, 0), at(2, 0));
    DarkRelay given = opened(new DarkRelay(beta.addresses().get(0)));
    RtNode alpha = alphaTo(given.address());
    putAll(alpha, 1);
    awaitLearnt(alpha, beta.addresses().get(0), beta.addresses().get(1));

    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      if (i == 250) {
        given.dark(true, true);
      }
      ends.add(put(alpha));
    }
    for (CompletableFuture<Void> end : ends) {
      get(end);
    }
    putAll(alpha, 1);

    loseConnection(alpha);
    long carried = given.carriedOut();
    putAll(alpha, 10); // over a new connection
    assertThat(given.carriedOut()).as("nothing passes there").isEqualTo(carried);
    awaitLearnt(alpha, beta.addresses().get(0), beta.addresses().get(1));
  }

  @Test
  void shouldConnectByALearntAddressWhenNobodyListensAtTheGivenOne() throws Exception {
    RtNode beta = node("beta", ofBeta, at(1, 0), at(2, 0), at(3, 0));
    RtNode alpha = alphaTo(beta.addresses().get(1));
    putAll(alpha, 1);
    awaitLearnt(alpha, beta.addresses().get(0), beta.addresses().get(2));
    get(beta.leave(beta.addresses().get(1)));
    loseConnection(alpha); // with the last connection that has used it its socket closes
    putAll(alpha, 10);
  }

  /** Puts over new connections until one is with the listener at the third address of four. */
  private void connectAtThird(RtNode alpha, List<InetSocketAddress> four) throws Exception {
    AtomicReference<List<InetSocketAddress>> open = new AtomicReference<>(List.of());
    while (!open.get().contains(four.get(2))) {
      loseConnection(alpha);
      open.set(List.of());
      putAll(alpha, 1);
      await()
          .until(
              () -> {
                alpha
                    .link("beta", null)
                    .onConnection(
                        made -> open.set(((PeerAddresses) made.channel()).openAddresses()));
                return open.get().contains(four.get(0)) || open.get().contains(four.get(2));
              });
    }
  }

  @Test
  void shouldKeepWhatItLearntAtOneListenerWhenItConnectsToAnother() throws Exception {
    NodeConfig config = NodeConfig.named("beta").target(ofBeta);
    config.listenOn("net0", at(1, 0)).listenOn("net0", at(2, 0));
    config.listenOn("net1", at(3, 0)).listenOn("net1", at(4, 0));
    RtNode beta = opened(RtNode.open(config));
    DarkRelay net0 = opened(new DarkRelay(beta.addresses().get(0)));
    DarkRelay net1 = opened(new DarkRelay(beta.addresses().get(2)));
    config = NodeConfig.named("alpha").peer("beta", net0.address(), net1.address());
    RtNode alpha = opened(RtNode.open(config));
    net1.dark(true, true);
    putAll(alpha, 1);
    awaitLearnt(alpha, beta.addresses().get(0), beta.addresses().get(1));

    net1.dark(false, false);
    net0.dark(true, true);
    connectAtThird(alpha, beta.addresses());
    awaitLearnt(alpha, beta.addresses().toArray(new InetSocketAddress[0]));

    net1.dark(true, true);
    loseConnection(alpha);
    putAll(alpha, 10);
    awaitLearnt(alpha, beta.addresses().toArray(new InetSocketAddress[0]));
  }

  // ---- what is told, and for how long

  @Test
  void shouldLearnAnAddressThatJoinsAndForgetOneThatIsLeft() throws Exception {
    RtNode beta = node("beta", ofBeta, at(1, 0));
    RtNode alpha = alphaTo(beta.addresses().get(0));
    putAll(alpha, 1);
    assertThat(learnt(alpha)).isEmpty();
    InetSocketAddress joined = get(beta.join(at(2, 0)));
    awaitLearnt(alpha, joined);
    assertThat(beta.addresses()).containsExactly(beta.addresses().get(0), joined);
    get(beta.leave(joined));
    awaitLearnt(alpha);
    assertThat(beta.addresses()).hasSize(1);
    putAll(alpha, 1);
  }

  @Test
  void shouldSayWhatMayJoinAndLeave() throws Exception {
    NodeConfig config = NodeConfig.named("beta").listenOn("net0", at(1, 0));
    RtNode beta = opened(RtNode.open(config.listenOn("net1", at(2, 0))));
    InetSocketAddress first = beta.addresses().get(0);
    String beside = "one of [" + first + "@net0, " + beta.addresses().get(1) + "@net1]";
    InetSocketAddress ipv6 = new InetSocketAddress(NetUtil.LOCALHOST6, 0);
    assertThatThrownBy(() -> get(beta.joinOn("net0", ipv6)))
        .hasCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith(
            "address=" + ipv6 + "@net0, valid: of the family and on the network of " + beside);
    assertThatThrownBy(() -> get(beta.join(at(3, 0))))
        .as("no network without a name")
        .hasMessageContaining("address=/127.0.0.3:0@, valid:")
        .hasMessageContaining(beside);
    assertThatThrownBy(() -> get(beta.leave(first)))
        .as("of net0 there is no other")
        .hasCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith(
            "address=" + first + ", valid: none, as the first address of each network stays");
    InetSocketAddress joined = get(beta.joinOn("net1", at(3, 0)));
    assertThatThrownBy(() -> get(beta.leave(first)))
        .hasMessageEndingWith("address=" + first + ", valid: one of [" + joined + "]");
    RtNode silent = node("silent", ofBeta, new InetSocketAddress(0));
    for (RtNode each : List.of(silent, alphaTo(first))) {
      assertThatThrownBy(() -> get(each.join(at(3, 0))))
          .hasCauseInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("valid: none");
      assertThatThrownBy(() -> get(each.leave(at(3, 1)))).hasMessageContaining("valid: none");
    }
  }

  @Test
  void shouldTellAnAddressThatJoinsToThoseOfItsNetworkOnly() throws Exception {
    NodeConfig config = NodeConfig.named("beta").target(ofBeta);
    config.listenOn("net0", at(1, 0)).listenOn("net1", at(2, 0));
    config.listen(new InetSocketAddress(0)).listen(at(5, 0));
    RtNode beta = opened(RtNode.open(config));
    InetSocketAddress ofNet1 = get(beta.joinOn("net1", at(3, 0)));
    InetSocketAddress ofNoName = get(beta.join(at(4, 0)));
    InetSocketAddress[][] expected = {{}, {ofNet1}, {ofNoName}};
    for (int i = 0; i < 3; i++) {
      RtNode alpha = alphaTo(beta.addresses().get(i == 2 ? 3 : i)); // that of the wildcard is 2
      putAll(alpha, 1);
      awaitLearnt(alpha, expected[i]);
    }
  }

  @Test
  void shouldNotListenTwiceAtOneAddress() {
    NodeConfig config = NodeConfig.named("beta").listen(at(1, 7)).listen(at(1, 8));
    config.listen(at(1, 0)).listen(at(1, 0)); // two ports
    for (String network : List.of("", "net0")) {
      assertThatThrownBy(() -> config.listenOn(network, at(1, 7)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("listen=/127.0.0.1:7, valid: each address once");
    }
  }

  @Test
  void shouldNotLearnWhatAGivenNameStandsFor() throws Exception {
    RtNode beta = node("beta", ofBeta, at(1, 0), at(2, 0));
    int port = beta.addresses().get(0).getPort();
    RtNode alpha = alphaTo(InetSocketAddress.createUnresolved("localhost", port));
    for (int i = 0; i < 2; i++) {
      putAll(alpha, 1);
      awaitLearnt(alpha, beta.addresses().get(1));
      loseConnection(alpha);
    }
  }

  @Test
  void shouldForgetWhatANewLifeOfThePeerDoesNotTell() throws Exception {
    RtNode beta = node("beta", ofBeta, at(1, 0), at(2, 0));
    InetSocketAddress first = beta.addresses().get(0);
    RtNode alpha = alphaTo(first);
    putAll(alpha, 1);
    awaitLearnt(alpha, beta.addresses().get(1));
    beta.close();
    assertThat(learnt(alpha)).as("it may come back there").hasSize(1);
    node("beta", ofBeta, first);
    putAll(alpha, 1);
    awaitLearnt(alpha);
  }

  @Test
  void shouldTellNothingOfOtherNetworks() throws Exception {
    NodeConfig config = NodeConfig.named("beta").target(ofBeta);
    config.listenOn("net0", at(1, 0)).listenOn("net1", at(2, 0)).listenOn("net0", at(3, 0));
    RtNode beta = opened(RtNode.open(config));
    List<InetSocketAddress> all = beta.addresses();
    assertThat(all)
        .extracting(InetSocketAddress::getAddress)
        .containsExactly(at(1, 0).getAddress(), at(2, 0).getAddress(), at(3, 0).getAddress());
    RtNode alpha = alphaTo(all.get(0));
    putAll(alpha, 1);
    awaitLearnt(alpha, all.get(2));
    RtNode other = alphaTo(all.get(1));
    putAll(other, 1);
    assertThat(learnt(other)).isEmpty();
  }

  @Test
  void shouldTellEightOfManyTogether() throws Exception {
    InetSocketAddress[] at = new InetSocketAddress[11];
    for (int i = 0; i < 10; i++) {
      at[i] = at(1 + i, 0);
    }
    at[10] = new InetSocketAddress(0); // a wildcard tells nothing
    RtNode beta = node("beta", ofBeta, at);
    assertThat(beta.addresses()).hasSize(11);
    RtNode alpha = alphaTo(beta.addresses().get(0));
    putAll(alpha, 1);
    awaitLearnt(alpha, beta.addresses().subList(1, 8).toArray(new InetSocketAddress[0]));
    InetSocketAddress joined = get(beta.join(at(11, 0))); // not beside eight
    RtNode other = alphaTo(beta.addresses().get(8));
    putAll(other, 1);
    awaitLearnt(other, beta.addresses().get(9), joined);
  }

  // ---- peers that lie, and addresses that somebody else has by now

  /** Answers as a node does that calls itself beta. */
  private static final class Liar implements RtTarget {
    final AtomicReference<RtChannel> accepted = new AtomicReference<>();

    @Override
    public void onPull(RtConnection connection, RtPullRequest request) {
      accepted.set(connection.channel());
      request.respond(new Hello(7, 0, "beta").answer());
    }
  }

  @Test
  void shouldNotBeDrivenAgainstOthersByAPeerThatLies() throws Exception {
    RtNode gamma = node("gamma", ofGamma, at(3, 0));
    Liar liar = new Liar();
    RtEndpoint endpoint = opened(RtEndpoint.open());
    InetSocketAddress given = endpoint.listen(at(1, 0), liar).join().localAddress();
    RtNode alpha = alphaTo(given);
    try (DatagramSocket victim = new DatagramSocket(at(4, 0))) {
      for (int life = 0; life < 2; life++) {
        liar.accepted.set(null);
        alpha.put("beta", NONE, NONE);
        await().until(() -> liar.accepted.get() != null);
        RtChannel accepted = liar.accepted.get();
        List<InetSocketAddress> lies = new ArrayList<>();
        lies.add(gamma.addresses().get(0));
        lies.add((InetSocketAddress) victim.getLocalSocketAddress());
        for (int i = 0; i < 2_000; i++) {
          lies.add(new InetSocketAddress("127.1." + i / 200 + "." + (1 + i % 200), 9));
        }
        List<InetSocketAddress> left = new ArrayList<>(lies);
        await()
            .until(
                () -> {
                  int told = FalseAddresses.tell(accepted, left);
                  left.subList(0, told).clear();
                  return left.isEmpty();
                });
        assertThat(learnt(alpha)).isEmpty();
        loseConnection(alpha);
      }
      assertThat(datagramsAt(victim))
          .hasSizeBetween(1, 2 * Limits.TOLD_CHALLENGES_MAX)
          .containsOnly(64);
    }
    assertThat(ofGamma.executed).isEmpty();
    assertThat(learnt(alpha)).isEmpty();
  }

  private static List<Integer> datagramsAt(DatagramSocket socket) throws Exception {
    List<Integer> lengths = new ArrayList<>();
    socket.setSoTimeout(1);
    DatagramPacket packet = new DatagramPacket(new byte[2_000], 2_000);
    while (true) {
      try {
        socket.receive(packet);
        lengths.add(packet.getLength());
        packet.setLength(2_000);
      } catch (SocketTimeoutException e) {
        return lengths;
      }
    }
  }

  @Test
  void shouldForgetAnAddressThatAnotherNodeHasByNow() throws Exception {
    RtNode beta = node("beta", ofBeta, at(1, 0), at(2, 0));
    InetSocketAddress first = beta.addresses().get(0);
    InetSocketAddress second = beta.addresses().get(1);
    DarkRelay given = opened(new DarkRelay(first));
    RtNode alpha = alphaTo(given.address());
    putAll(alpha, 1);
    awaitLearnt(alpha, first, second);
    given.dark(true, true);
    beta.close();
    node("gamma", ofGamma, second);
    node("beta", ofBeta, at(5, 0)); // not where the relay leads to
    CompletableFuture<Void> end = put(alpha);
    await().until(() -> !learnt(alpha).contains(second));
    node("beta", ofBeta, first);
    given.dark(false, false);
    get(end);
    assertThat(ofGamma.executed).isEmpty();
    assertThat(ofBeta.executed).containsEntry("message 1", 1);
  }

  // ---- routers

  private RtNode router(InetSocketAddress beta, InetSocketAddress... at) {
    NodeConfig config = NodeConfig.named("r1").forwardFor("alpha").peer("beta", beta);
    for (InetSocketAddress each : at) {
      config.listen(each);
    }
    return opened(RtNode.open(config));
  }

  @Test
  void shouldReachARouterByALearntAddressIfItIsStillThere() throws Exception {
    InetSocketAddress beta = node("beta", ofBeta, at(1, 0)).addresses().get(0);
    RtNode router = router(beta, at(2, 0), at(3, 0));
    InetSocketAddress second = router.addresses().get(1);
    DarkRelay given = opened(new DarkRelay(router.addresses().get(0)));
    NodeConfig config = NodeConfig.named("alpha").peer("r1", given.address());
    RtNode alpha = opened(RtNode.open(config.peerOn("beta", "far").route("far", "r1", 1, 0)));
    putAll(alpha, 1);
    await().until(() -> alpha.learntAddresses().getOrDefault("r1", List.of()).contains(second));
    given.dark(true, true);
    loseConnection(alpha);
    putAll(alpha, 1);

    router.close();
    node("gamma", ofGamma, second);
    CompletableFuture<Void> end = put(alpha);
    await().until(() -> !alpha.learntAddresses().getOrDefault("r1", List.of()).contains(second));
    router(beta, router.addresses().get(0));
    given.dark(false, false);
    get(end);
    assertThat(ofGamma.executed).isEmpty();
  }
}
