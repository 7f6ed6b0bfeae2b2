package io.rtransport.netty.facade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.netty.NobodysPort;
import io.rtransport.netty.RtException;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.facade.RtEndpointTest.Keeping;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import java.net.ConnectException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every future ends, and ends once, however a connection, an endpoint or its event loops do. */
@Timeout(60)
class RtEndpointEndTest {
  private static final long CLOSE_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(300);

  private static ConnectionConfig impatient() {
    return ConnectionConfig.builder().closeTimeoutNs(CLOSE_TIMEOUT_NS).build();
  }

  /** Keeps the ends of its connections. */
  private static final class Ends implements RtTarget {
    final BlockingQueue<CloseReason> reasons = new LinkedBlockingQueue<>();

    @Override
    public void onClose(RtConnection connection, CloseReason reason) {
      reasons.add(reason);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldFinishBeforeItCloses(boolean isNio) throws Exception {
    Ends ends = new Ends();
    Keeping target = new Keeping();
    try (RtEndpoint server = RtEndpointTest.open(isNio);
        RtEndpoint client = RtEndpointTest.open(isNio)) {
      RtListener listener = RtEndpointTest.get(server.listen(RtEndpointTest.ANY_PORT, target));
      RtConnection connection = RtEndpointTest.get(client.connect(listener.localAddress(), ends));
      CompletableFuture<Void> push = connection.push(new byte[100]);
      CompletableFuture<CloseReason> closed = connection.close(1_000, "enough");
      InboundPush taken = target.next();
      assertThat(push).isNotDone();
      assertThat(closed).isNotDone();
      taken.acknowledge();
      RtEndpointTest.get(push);
      assertThat(RtEndpointTest.get(closed).code()).isEqualTo(1_000);
      assertThat(ends.reasons.poll(20, TimeUnit.SECONDS).text()).isEqualTo("enough");
      assertThat(ends.reasons).as("told once").isEmpty();
      RtException late = RtEndpointTest.failureOf(connection.push(new byte[1]));
      assertThat(late.outcome()).isEqualTo(Outcome.NOT_EXECUTED);
      RtEndpointTest.get(listener.close());
    }
  }

  @Test
  void shouldEndWhatNobodyAnswersWhenItCloses() throws Exception {
    Keeping target = new Keeping();
    List<CompletableFuture<?>> futures = new ArrayList<>();
    RtEndpoint endpoint = RtEndpoint.builder().handshake(impatient()).open();
    try (endpoint) {
      RtConnection connection = RtEndpointTest.connect(endpoint, target);
      futures.add(connection.push(new byte[100]));
      target.next();
      futures.add(connection.closed());
    }
    assertThat(futures).allSatisfy(future -> assertThat(future).isDone());
    assertThat(RtEndpointTest.failureOf(futures.get(0)).outcome()).isEqualTo(Outcome.UNKNOWN);
    assertThat(endpoint.pendingCount()).isZero();
    assertThat(RtEndpointTest.failureOf(endpoint.connect(RtEndpointTest.ANY_PORT)).outcome())
        .isEqualTo(Outcome.NOT_EXECUTED);
    assertThat(RtEndpointTest.failureOf(endpoint.listen(RtEndpointTest.ANY_PORT, target)).outcome())
        .isEqualTo(Outcome.NOT_EXECUTED);
  }

  @Test
  void shouldSayUnknownWhenThePeerResets() throws Exception {
    Ends ends = new Ends();
    CompletableFuture<RtConnection> accepted = new CompletableFuture<>();
    RtTarget target =
        new RtTarget() {
          @Override
          public void onPush(RtConnection connection, InboundPush push) {
            accepted.complete(connection); // and no answer
          }
        };
    try (RtEndpoint endpoint = RtEndpoint.open()) {
      RtListener listener = RtEndpointTest.get(endpoint.listen(RtEndpointTest.ANY_PORT, target));
      RtConnection connection = RtEndpointTest.get(endpoint.connect(listener.localAddress(), ends));
      CompletableFuture<Void> push = connection.push(new byte[100]);
      RtConnection peer = RtEndpointTest.get(accepted);
      peer.channel().config().setOption(ChannelOption.SO_LINGER, 0);
      peer.close();
      assertThat(RtEndpointTest.failureOf(push).outcome()).isEqualTo(Outcome.UNKNOWN);
      CloseReason reason = RtEndpointTest.get(connection.closed());
      assertThat(reason.code()).isEqualTo(CloseCode.ABORTED.code());
      assertThat(ends.reasons.poll(20, TimeUnit.SECONDS)).isEqualTo(reason);
    }
  }

  @Test
  void shouldEndEverythingWhenSharedLoopsAreShutDownUnderIt() throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    RtEndpoint endpoint = RtEndpoint.builder().group(group, NioDatagramChannel::new).open();
    Keeping target = new Keeping();
    RtConnection connection = RtEndpointTest.connect(endpoint, target);
    List<CompletableFuture<?>> futures = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      futures.add(connection.push(new byte[10]));
      futures.add(connection.pull(new byte[1], 10));
    }
    target.next();
    futures.add(connection.closed());
    group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    CompletableFuture<?> all = CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new));
    RtEndpointTest.get(all.handle((value, failure) -> null));
    await().untilAsserted(() -> assertThat(endpoint.pendingCount()).isZero());
    RtException late = RtEndpointTest.failureOf(connection.push(new byte[1]));
    assertThat(late.outcome()).isEqualTo(Outcome.NOT_EXECUTED);
    assertThat(RtEndpointTest.failureOf(endpoint.connect(RtEndpointTest.ANY_PORT)).outcome())
        .isEqualTo(Outcome.NOT_EXECUTED);
    endpoint.close();
  }

  @Test
  void shouldLeaveSharedLoopsToTheirOwner() throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try {
      for (int i = 0; i < 2; i++) {
        try (RtEndpoint endpoint =
            RtEndpoint.builder().group(group, NioDatagramChannel::new).open()) {
          Keeping target = new Keeping();
          RtConnection connection = RtEndpointTest.connect(endpoint, target);
          CompletableFuture<Void> push = connection.push(new byte[10]);
          target.next().acknowledge();
          RtEndpointTest.get(push);
        }
        assertThat(group.isShuttingDown()).isFalse();
      }
    } finally {
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void shouldFailAConnectAsAChannelDoes() throws Exception {
    try (RtEndpoint endpoint = RtEndpoint.open();
        NobodysPort nobody = new NobodysPort();
        DatagramSocket silent =
            new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      assertThatThrownBy(() -> RtEndpointTest.get(endpoint.connect(nobody.address())))
          .hasCauseInstanceOf(ConnectException.class);
      CompletableFuture<RtConnection> connecting =
          endpoint.connect((InetSocketAddress) silent.getLocalSocketAddress());
      assertThat(connecting.cancel(false)).isTrue();
      await().untilAsserted(() -> assertThat(endpoint.pendingCount()).isZero());
      assertThatThrownBy(
              () ->
                  RtEndpointTest.get(
                      endpoint.connect(
                          InetSocketAddress.createUnresolved("no-such-host.invalid", 1))))
          .isNotNull();
      RtListener listener =
          RtEndpointTest.get(endpoint.listen(RtEndpointTest.ANY_PORT, new Keeping()));
      InetSocketAddress byName =
          InetSocketAddress.createUnresolved("127.0.0.1", listener.localAddress().getPort());
      assertThat(RtEndpointTest.get(endpoint.connect(byName)).remoteAddress())
          .isEqualTo(listener.localAddress());
    }
  }

  /**
   * 1,000 transactions under loss, and the endpoint closed in their midst: each future ends once.
   */
  @Test
  void shouldEndEachFutureOnceUnderLossAndClose() throws Exception {
    RtTarget target =
        new RtTarget() {
          @Override
          public void onPush(RtConnection connection, InboundPush push) {
            push.acknowledge();
          }

          @Override
          public void onPull(RtConnection connection, RtPullRequest request) {
            request.respond(new byte[(int) request.lengthBytesMax()]);
          }
        };
    AtomicInteger ends = new AtomicInteger();
    AtomicInteger completed = new AtomicInteger();
    int count = 1_000;
    RtEndpoint server = RtEndpoint.builder().handshake(impatient()).open();
    RtEndpoint client =
        RtEndpoint.builder()
            .handshake(impatient())
            .channels(
                channel ->
                    new FaultInjectionHandler(Faults.loss(0.05), Faults.loss(0.05), 11)
                        .addTo(channel))
            .open();
    try (server;
        client) {
      RtListener listener = RtEndpointTest.get(server.listen(RtEndpointTest.ANY_PORT, target));
      RtConnection connection = RtEndpointTest.get(client.connect(listener.localAddress()));
      CompletableFuture<Void> midst = new CompletableFuture<>();
      for (int i = 0; i < count; i++) {
        CompletableFuture<?> future =
            i % 2 == 0 ? connection.push(new byte[i * 37]) : connection.pull(new byte[1], i * 37);
        future.whenComplete(
            (value, failure) -> {
              ends.incrementAndGet();
              if (failure == null && completed.incrementAndGet() == 100) {
                midst.complete(null);
              }
            });
      }
      RtEndpointTest.get(midst);
    }
    assertThat(ends).hasValue(count);
    assertThat(completed).hasValueBetween(100, count);
    assertThat(client.pendingCount()).isZero();
    assertThat(server.pendingCount()).isZero();
  }
}
