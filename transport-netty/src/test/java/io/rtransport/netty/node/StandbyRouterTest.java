package io.rtransport.netty.node;

import static io.rtransport.netty.node.MessageEnds.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.NetUtil;
import io.rtransport.core.node.Route;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.rail.NiSelection;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.netty.DarkRelay;
import io.rtransport.netty.NobodysPort;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtEndpoint;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The router that would be taken next: in virtual time, and over real sockets. */
@Timeout(60)
class StandbyRouterTest {
  private static final InetSocketAddress ANY = new InetSocketAddress(NetUtil.LOCALHOST4, 0);
  private static final byte[] NONE = {};

  private final List<AutoCloseable> open = new ArrayList<>();

  private <T extends AutoCloseable> T opened(T each) {
    open.add(0, each);
    return each;
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  // ---- in virtual time

  /** A node whose attempts to connect end as the test says. */
  private static final class Attempts implements NodeContext {
    final List<String> to = new ArrayList<>();
    CompletableFuture<RtConnection> last;

    @Override
    public CompletableFuture<RtConnection> connect(PeerConfig peer) {
      to.add(peer.name());
      last = new CompletableFuture<>();
      return last;
    }

    @Override
    public String name() {
      return "alpha";
    }

    @Override
    public long incarnation() {
      return 1;
    }

    @Override
    public int retries() {
      return 2;
    }

    @Override
    public long resendIntervalNs() {
      return 0;
    }

    @Override
    public long attemptNs() {
      return TimeUnit.SECONDS.toNanos(3);
    }

    @Override
    public long withinNsMax() {
      return TimeUnit.SECONDS.toNanos(600);
    }

    @Override
    public void lookAt(InetAddress ours) {}

    @Override
    public void tell(String peer, boolean isReachable) {}
  }

  private final EmbeddedChannel time = new EmbeddedChannel();
  private final Attempts attempts = new Attempts();
  private final RailHealth health = new RailHealth(new SplittableRandom(1));
  private boolean isBusy;

  private Ways ways(String... routers) {
    return ways(0, routers);
  }

  /** Ways whose priority grows by {@code step} from each router to the next. */
  private Ways ways(int step, String... routers) {
    Map<String, PeerConfig> peers = new HashMap<>();
    List<Route> routes = new ArrayList<>();
    for (int i = 0; i < routers.length; i++) {
      InetSocketAddress at = new InetSocketAddress(NetUtil.LOCALHOST4, 1 + i);
      peers.put(routers[i], new PeerConfig(routers[i], List.of(new PeerConfig.Rail(null, at))));
      routes.add(new Route("far", routers[i], 1, i * step));
    }
    Ways.Interfaces all = new Ways.Interfaces(health, new NiSelection(health::config), ours -> {});
    return Ways.through(routes, NodeConfig.REST_NS, peers, null, all);
  }

  private StandbyRouter standby(Ways inUse) {
    time.freezeTime();
    inUse.choose(nowNs(), Map.of());
    byte[] question = Hello.who(Hello.draw(), "alpha", null);
    return new StandbyRouter(time.eventLoop(), attempts, inUse, () -> isBusy, () -> question);
  }

  private long nowNs() {
    return time.eventLoop().ticker().nanoTime();
  }

  private void pass(long millis) {
    time.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    time.runPendingTasks();
  }

  private boolean hasTimer() {
    return time.runScheduledPendingTasks() != -1;
  }

  @Test
  void shouldAskOnlyWhileThereIsTraffic() {
    StandbyRouter standby = standby(ways("r1", "r2"));
    pass(10_000);
    assertThat(hasTimer()).as("idle").isFalse();
    standby.onMessage();
    pass(999);
    assertThat(attempts.to).isEmpty();
    pass(1);
    assertThat(attempts.to).containsExactly("r2");
    assertThat(hasTimer()).as("a second without a message").isFalse();
    attempts.last.completeExceptionally(new ConnectException("refused"));
    pass(10_000);
    assertThat(attempts.to).hasSize(1);
    assertThat(hasTimer()).isFalse();
    isBusy = true; // a message that has not ended is traffic, too
    standby.onMessage();
    pass(1_000);
    assertThat(attempts.to).hasSize(2);
    attempts.last.completeExceptionally(new ConnectException("refused"));
    pass(0); // it rests for a second
    pass(1_000);
    assertThat(attempts.to).hasSize(3);
    standby.close();
    assertThat(hasTimer()).isFalse();
  }

  @Test
  void shouldAskNobodyIfThereIsOneRouter() {
    StandbyRouter standby = standby(ways("r1"));
    isBusy = true;
    standby.onMessage();
    assertThat(hasTimer()).isFalse();
  }

  @Test
  void shouldKnowThatARouterIsSilentBeforeItIsNeeded() {
    Ways inUse = ways("r1", "r2", "r3");
    StandbyRouter standby = standby(inUse);
    isBusy = true;
    standby.onMessage();
    pass(1_000);
    assertThat(attempts.to).containsExactly("r2");
    pass(2_000);
    assertThat(attempts.to).as("one attempt at a time").hasSize(1);
    attempts.last.completeExceptionally(new ConnectTimeoutException());
    pass(0);
    InetSocketAddress second = new InetSocketAddress(NetUtil.LOCALHOST4, 2);
    assertThat(health.ofPeer("", second).health(nowNs())).isEqualTo(900);
    pass(1_000);
    assertThat(attempts.to).containsExactly("r2", "r3");
    assertThat(standby.take(Map.of(), nowNs())).as("not connected yet").isNull();
    inUse.onNoWay(nowNs()); // r1 dies
    assertThat(inUse.choose(nowNs(), Map.of()).name()).as("not r2").isEqualTo("r3");
  }

  // ---- in virtual time, with a connection to a real node

  /** Lets the last attempt to connect find {@code router}, and waits until it has answered. */
  private RtConnection answered(StandbyRouter standby, InetSocketAddress router) throws Exception {
    RtConnection made = get(opened(RtEndpoint.open()).connect(router));
    attempts.last.complete(made);
    await()
        .until(
            () -> {
              pass(0);
              return standby.ready() != null;
            });
    return made;
  }

  private RtNode node(String name) {
    return opened(RtNode.open(NodeConfig.named(name).listen(ANY)));
  }

  private StandbyRouter busy(Ways inUse) {
    StandbyRouter standby = standby(inUse);
    isBusy = true;
    standby.onMessage();
    pass(1_000);
    isBusy = false;
    return standby;
  }

  @Test
  void shouldNotTakeARouterThatHasNotAnsweredForThreeSeconds() throws Exception {
    StandbyRouter standby = busy(ways("r1", "r2"));
    RtConnection made = answered(standby, node("r2").addresses().get(0));
    pass(3_000);
    assertThat(standby.take(Map.of(), nowNs())).isNull();
    assertThat(standby.take(Map.of(), nowNs() - 1)).isSameAs(made);
  }

  @Test
  void shouldNotTakeItWhereARouterOfLowerPriorityIsAwake() throws Exception {
    Ways inUse = ways(1, "r1", "r2");
    StandbyRouter standby = busy(inUse);
    RtConnection made = answered(standby, node("r2").addresses().get(0));
    assertThat(standby.take(Map.of(), nowNs())).as("r1 does not rest").isNull();
    assertThat(standby.take(Map.of("r1", 1, "r2", 1), nowNs())).as("sent by both").isNull();
    inUse.onNoWay(nowNs());
    assertThat(standby.take(Map.of("r2", 1), nowNs())).as("it has sent this").isNull();
    assertThat(standby.take(Map.of(), nowNs())).isSameAs(made);
    assertThat(inUse.nextHop()).isEqualTo("r2");
  }

  @Test
  void shouldAskARouterOfLowerPriorityOnceThatIsAwakeAgain() throws Exception {
    StandbyRouter standby = busy(ways(1, "r1", "r2", "r3"));
    isBusy = true;
    standby.onMessage();
    pass(500);
    attempts.last.completeExceptionally(new ConnectException("refused"));
    pass(500); // r2 rests for another half of a second
    assertThat(attempts.to).containsExactly("r2", "r3");
    RtConnection third = answered(standby, node("r3").addresses().get(0));
    pass(1_000);
    assertThat(attempts.to).containsExactly("r2", "r3", "r2");
    assertThat(standby.ready()).isNull();
    get(third.closed()); // at once, for nothing passed there
  }

  @Test
  void shouldDropAStranger() throws Exception {
    StandbyRouter standby = busy(ways("r1", "r2"));
    RtConnection made = get(opened(RtEndpoint.open()).connect(node("other").addresses().get(0)));
    attempts.last.complete(made);
    await()
        .until(
            () -> {
              pass(0);
              return made.closeReason() != null;
            });
    assertThat(standby.ready()).isNull();
    assertThat(standby.take(Map.of(), nowNs())).isNull();
    InetSocketAddress second = new InetSocketAddress(NetUtil.LOCALHOST4, 2);
    assertThat(health.ofPeer("", second).health(nowNs())).as("no charge").isEqualTo(1000);
  }

  @Test
  void shouldChargeARouterThatDoesNotSayItsName() throws Exception {
    StandbyRouter standby = busy(ways("r1", "r2"));
    DarkRelay silent = opened(new DarkRelay(node("r2").addresses().get(0)));
    RtConnection made = get(opened(RtEndpoint.open()).connect(silent.address()));
    silent.dark(true, true);
    attempts.last.complete(made);
    InetSocketAddress second = new InetSocketAddress(NetUtil.LOCALHOST4, 2);
    await()
        .until(
            () -> {
              pass(0);
              return health.ofPeer("", second).health(nowNs()) == 900;
            });
    assertThat(made.closeReason()).as("aborted, not closed").isNotNull();
    assertThat(standby.ready()).isNull();
  }

  @Test
  void shouldChargeNobodyOnceClosed() {
    StandbyRouter standby = busy(ways("r1", "r2"));
    standby.close();
    attempts.last.completeExceptionally(new ConnectTimeoutException());
    pass(0);
    InetSocketAddress second = new InetSocketAddress(NetUtil.LOCALHOST4, 2);
    assertThat(health.ofPeer("", second).health(nowNs())).isEqualTo(1000);
  }

  // ---- over real sockets

  private final AtomicInteger executed = new AtomicInteger();

  private RtNode beta() {
    NodeTarget taker =
        new NodeTarget() {
          @Override
          public void onPut(NodePut put) {
            executed.incrementAndGet();
            put.acknowledge();
          }
        };
    return opened(RtNode.open(NodeConfig.named("beta").listen(ANY).target(taker)));
  }

  private RtNode router(String name, RtNode beta) {
    InetSocketAddress to = beta.addresses().get(0);
    return opened(
        RtNode.open(NodeConfig.named(name).listen(ANY).forwardFor("alpha").peer("beta", to)));
  }

  /** Returns the connection to the router that is taken next, once it leads to {@code router}. */
  private RtConnection standbyOf(RtNode alpha, InetSocketAddress router) {
    AtomicReference<RtConnection> ready = new AtomicReference<>();
    await()
        .atMost(30, TimeUnit.SECONDS)
        .until(
            () -> {
              get(alpha.putAcknowledged("beta", NONE, NONE));
              alpha.link("beta", null).onStandby(ready::set);
              return ready.get() != null && ready.get().remoteAddress().equals(router);
            });
    return ready.get();
  }

  private static RtConnection connectionOf(RtNode alpha) {
    AtomicReference<RtConnection> used = new AtomicReference<>();
    await()
        .until(
            () -> {
              alpha.link("beta", null).onConnection(used::set);
              return used.get() != null;
            });
    return used.get();
  }

  @Test
  void shouldCloseAtOnceAlthoughTheNextRouterIsSilent() throws Exception {
    RtNode beta = beta();
    RtNode r1 = router("r1", beta);
    DarkRelay second = opened(new DarkRelay(router("r2", beta).addresses().get(0)));
    RtNode alpha =
        RtNode.open(
            NodeConfig.named("alpha")
                .peer("r1", r1.addresses().get(0))
                .peer("r2", second.address())
                .peerOn("beta", "far")
                .route("far", "r1", 1, 0)
                .route("far", "r2", 1, 1));
    RtConnection silent = standbyOf(alpha, second.address());
    second.dark(true, true);
    alpha.close();
    assertThat(silent.closeReason().code())
        .as("given up by this side, not by its timers")
        .isNotEqualTo(CloseCode.RETRY_EXCEEDED.code());
  }

  @Test
  void shouldTakeOverWithoutAnAttemptAtADeadRouter() throws Exception {
    RtNode beta = beta();
    RtNode r1 = router("r1", beta);
    DarkRelay dead = opened(new DarkRelay(router("r2", beta).addresses().get(0)));
    RtNode r3 = router("r3", beta);
    RtNode alpha =
        opened(
            RtNode.open(
                NodeConfig.named("alpha")
                    .peer("r1", r1.addresses().get(0))
                    .peer("r2", dead.address())
                    .peer("r3", r3.addresses().get(0))
                    .peerOn("beta", "far")
                    .route("far", "r1", 1, 0)
                    .route("far", "r2", 1, 0)
                    .route("far", "r3", 1, 0)));
    standbyOf(alpha, dead.address());
    dead.dark(true, true);
    RtConnection standby = standbyOf(alpha, r3.addresses().get(0));
    assertThat(r3.routerStats().forwarded()).as("no message passes it").isZero();

    int before = executed.get();
    InetSocketAddress left = r1.addresses().get(0);
    r1.close();
    opened(new NobodysPort(left));
    for (int i = 0; i < 10; i++) {
      get(alpha.putAcknowledged("beta", NONE, NONE));
    }
    assertThat(connectionOf(alpha)).as("no other was made").isSameAs(standby);
    assertThat(executed.get()).isEqualTo(before + 10);
  }
}
