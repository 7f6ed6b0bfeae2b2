package io.rtransport.loadgen.impair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.rtransport.command.SocketKind;
import io.rtransport.loadgen.transceiver.Sockets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One rail between real sockets: killed in every way, restored, and its counts. */
@Timeout(60)
class RailProxyTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final long HOUR_NS = 3_600_000_000_000L;

  private final boolean epoll = SocketKind.best() == SocketKind.EPOLL;
  private final EventLoopGroup loops = Sockets.loops(SocketKind.best(), 1);
  private final EventLoop loop = loops.next();
  private final ByteBuffer buffer = ByteBuffer.allocate(2_000);
  private DatagramChannel server;
  private DatagramChannel client;
  private InetSocketAddress front;
  private RailProxy rail;

  @BeforeEach
  void openServer() throws Exception {
    server = DatagramChannel.open().bind(ANY);
    server.configureBlocking(false);
  }

  @AfterEach
  void shutDown() throws Exception {
    rail.close();
    client.close();
    server.close();
    loops.shutdownGracefully();
  }

  private void open(Impairment impairment) throws Exception {
    rail = new RailProxy(3, new RailProxy.Sockets(loop, epoll, 0), impairment);
    front = rail.open(ANY, (InetSocketAddress) server.getLocalAddress(), 1);
    client = DatagramChannel.open().bind(ANY).connect(front);
    client.configureBlocking(false);
  }

  /** Looks often: a datagram over loopback needs no 0.1 s. */
  private static ConditionFactory await() {
    return Awaitility.await()
        .atMost(30, TimeUnit.SECONDS)
        .pollDelay(5, TimeUnit.MILLISECONDS)
        .pollInterval(5, TimeUnit.MILLISECONDS);
  }

  private void become(RailState state) throws Exception {
    loop.submit(() -> rail.become(state)).get();
  }

  /** Looks each millisecond: that timer is due before any datagram that came meanwhile. */
  private void becomeOnceOneCame(RailState state, CompletableFuture<Void> done) {
    loop.schedule(
        () -> {
          if (rail.receivedNow() == 0) {
            becomeOnceOneCame(state, done);
          } else {
            rail.become(state);
            done.complete(null);
          }
        },
        1,
        TimeUnit.MILLISECONDS);
  }

  private static long number(Map<?, ?> counts, String key) {
    return ((Number) counts.get(key)).longValue();
  }

  /** Returns {received, duplicated, forwarded, droppedImpairment, droppedQueue, droppedDark}. */
  private List<Long> counts(String direction) throws Exception {
    return ((Map<?, ?>) rail.counts().get(direction))
        .values().stream().map(n -> ((Number) n).longValue()).toList();
  }

  private void send(int number) throws IOException {
    client.write(buffer.clear().putInt(number).flip());
  }

  /** Waits for a datagram at the server. Returns its sender. */
  private InetSocketAddress atServer(int number) {
    return await().until(() -> received(number), sender -> sender != null);
  }

  private InetSocketAddress received(int number) throws IOException {
    InetSocketAddress sender = (InetSocketAddress) server.receive(buffer.clear());
    if (sender != null) {
      assertThat(buffer.flip().getInt()).isEqualTo(number);
    }
    return sender;
  }

  private void answer(int number, InetSocketAddress to) throws IOException {
    server.send(buffer.clear().putInt(number).flip(), to);
  }

  private void atClient(int number) {
    await().until(() -> client.read(buffer.clear()) > 0);
    assertThat(buffer.flip().getInt()).isEqualTo(number);
  }

  private InetSocketAddress exchange(int number) throws IOException {
    send(number);
    InetSocketAddress sender = atServer(number);
    answer(number, sender);
    atClient(number);
    return sender;
  }

  private void awaitDark(String direction, long datagrams) {
    await()
        .until(() -> number((Map<?, ?>) rail.counts().get(direction), "droppedDark") == datagrams);
  }

  @Test
  void shouldDropBothWaysWithoutATraceWhileItIsDark() throws Exception {
    open(Impairment.NONE);
    InetSocketAddress sender = exchange(1);
    become(RailState.DARK);
    send(2);
    answer(3, sender);
    awaitDark("out", 1);
    awaitDark("back", 1);
    assertThat(client.read(buffer.clear())).as("no datagram, and no error of ICMP").isZero();
    become(RailState.LIVE);
    assertThat(exchange(4)).as("the same port towards the server").isEqualTo(sender);
    assertThat(counts("out")).containsExactly(3L, 0L, 2L, 0L, 0L, 1L);
    assertThat(counts("back")).containsExactly(3L, 0L, 2L, 0L, 0L, 1L);
    assertThat(rail.counts()).containsEntry("rail", 3).containsEntry("forwardedWhileDark", 0L);
  }

  @Test
  void shouldDropOnlyTheWayBack() throws Exception {
    open(Impairment.NONE);
    InetSocketAddress sender = exchange(1);
    become(RailState.DARK_BACK);
    send(2);
    atServer(2);
    answer(3, sender);
    awaitDark("back", 1);
    become(RailState.LIVE);
    exchange(4);
    assertThat(counts("out")).containsExactly(3L, 0L, 3L, 0L, 0L, 0L);
    assertThat(counts("back")).containsExactly(3L, 0L, 2L, 0L, 0L, 1L);
  }

  @Test
  void shouldDropOnlyTheWayOut() throws Exception {
    open(Impairment.NONE);
    InetSocketAddress sender = exchange(1);
    become(RailState.DARK_OUT);
    send(2);
    awaitDark("out", 1);
    answer(3, sender);
    atClient(3);
    become(RailState.LIVE);
    exchange(4);
    assertThat(counts("out")).containsExactly(3L, 0L, 2L, 0L, 0L, 1L);
    assertThat(counts("back")).containsExactly(3L, 0L, 3L, 0L, 0L, 0L);
  }

  @Test
  void shouldAnswerPortUnreachableWhileClosedAndComeBackAtItsPort() throws Exception {
    open(Impairment.NONE);
    InetSocketAddress sender = exchange(1);
    become(RailState.CLOSED);
    assertThatThrownBy(() -> await().until(this::isRefused))
        .isInstanceOf(PortUnreachableException.class);
    become(RailState.LIVE);
    assertThat(exchange(2)).as("the same port towards the server").isEqualTo(sender);
    assertThat(counts("out")).containsExactly(2L, 0L, 2L, 0L, 0L, 0L);
  }

  private boolean isRefused() throws IOException {
    send(9);
    return client.read(buffer.clear()) > 0;
  }

  @Test
  void shouldDropWhatIsDueInTheDarkThoughItCameBefore() throws Exception {
    open(new Impairment(0, HOUR_NS / 36_000, 0, 0, 0, 0, 0));
    CompletableFuture<Void> dark = new CompletableFuture<>();
    becomeOnceOneCame(RailState.DARK_OUT, dark);
    send(1);
    dark.get();
    awaitDark("out", 1);
    become(RailState.LIVE);
    send(2);
    atServer(2);
    assertThat(counts("out")).containsExactly(2L, 0L, 1L, 0L, 0L, 1L);
    assertThat(rail.counts()).containsEntry("forwardedWhileDark", 0L);
  }

  @Test
  void shouldAccountForEachDatagramByItsCause() throws Exception {
    // 100 of the 300 datagrams fit the queue of a link that takes 32 s for each.
    open(new Impairment(0.3, 0, 0, 0, 0.2, 0, 1));
    for (int i = 0; i < 300; i++) {
      send(i);
      if (i % 50 == 49) { // no more on the way than a small socket buffer holds
        long sent = i + 1;
        await().until(() -> counts("out").get(0) == sent);
      }
    }
    become(RailState.DARK);
    send(300);
    awaitDark("out", 1);
    List<Long> out = counts("out");
    assertThat(out.get(0)).as("received").isEqualTo(301);
    assertThat(out.get(1)).as("duplicated").isBetween(5L, 40L);
    assertThat(out.get(2)).as("forwarded").isLessThan(5);
    assertThat(out.get(3)).as("dropped by the impairment").isBetween(45L, 135L);
    assertThat(out.get(3) + out.get(4)).as("dropped in all").isBetween(195L, 200L);
    assertThat(rail.impairmentCounts())
        .containsEntry("datagrams", 301L)
        .containsEntry("dropped", out.get(3) + 1)
        .containsEntry("queueDropped", out.get(4));
  }

  @Test
  void shouldKillAndRestoreAtTheirTimes() throws Exception {
    open(Impairment.NONE);
    InetSocketAddress sender = exchange(1);
    List<RailEvent> events =
        List.of(
            new RailEvent(0, 1_000_000, RailState.DARK_BACK),
            new RailEvent(0, 2_000_000, RailState.LIVE),
            new RailEvent(0, 3_000_000, RailState.CLOSED),
            new RailEvent(0, HOUR_NS, RailState.LIVE));
    RailSchedule schedule = new RailSchedule(loop, List.of(rail), events);
    long startNs = System.nanoTime();
    schedule.start(startNs);
    await().until(() -> schedule.happened().size() == 3);
    schedule.cancel();
    List<Map<String, Object>> happened = schedule.happened();
    assertThat(happened.stream().map(event -> event.get("kind")))
        .containsExactly("kill:back", "restore", "kill:close");
    for (int i = 0; i < 3; i++) {
      double planned = events.get(i).atNs() / 1e9;
      assertThat((double) happened.get(i).get("atSeconds")).isGreaterThanOrEqualTo(planned);
      assertThat(happened.get(i)).containsEntry("rail", 0).containsEntry("failure", null);
    }
    become(RailState.LIVE);
    assertThat(exchange(2)).isEqualTo(sender);
  }

  @Test
  void shouldTellThatItsPortWasTakenMeanwhile() throws Exception {
    open(Impairment.NONE);
    become(RailState.CLOSED);
    RailEvent restore = new RailEvent(0, 0, RailState.LIVE);
    RailSchedule schedule = new RailSchedule(loop, List.of(rail), List.of(restore));
    try (DatagramChannel thief = DatagramChannel.open().bind(front)) {
      assertThat(thief.getLocalAddress()).isEqualTo(front);
      schedule.start(System.nanoTime());
      await().until(() -> schedule.happened().size() == 1);
    }
    assertThat((String) schedule.happened().get(0).get("failure"))
        .contains("cannot bind", Integer.toString(front.getPort()));
  }
}
