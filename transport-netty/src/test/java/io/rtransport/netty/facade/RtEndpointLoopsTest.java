package io.rtransport.netty.facade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener on several event loops. */
@Timeout(60)
class RtEndpointLoopsTest {
  private static final int LOOPS = 2;
  private static final int CONNECTIONS = 32;

  private static RtEndpointBuilder builder(boolean isNio) {
    RtEndpointBuilder builder = RtEndpoint.builder().threads(LOOPS).receiveLoops(LOOPS);
    return isNio ? builder.nio() : builder;
  }

  /** Tells on which connection each push comes. */
  private static RtTarget pushed(Consumer<RtConnection> on) {
    return new RtTarget() {
      @Override
      public void onPush(RtConnection connection, InboundPush push) {
        on.accept(connection);
        push.acknowledge();
      }
    };
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldServeAListenersConnectionsOnAllItsLoops(boolean isNio) throws Exception {
    Set<EventLoop> loops = ConcurrentHashMap.newKeySet();
    RtTarget target = pushed(connection -> loops.add(connection.channel().eventLoop()));
    try (RtEndpoint endpoint = builder(isNio).open()) {
      RtListener listener = RtEndpointTest.get(endpoint.listen(RtEndpointTest.ANY_PORT, target));
      List<CompletableFuture<Void>> pushes = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        pushes.add(
            endpoint
                .connect(listener.localAddress())
                .thenCompose(connection -> connection.push(new byte[100])));
      }
      for (CompletableFuture<Void> push : pushes) {
        RtEndpointTest.get(push);
      }
    }
    assertThat(loops).hasSize(LOOPS); // all on one: once in two billion runs
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldSleepUnlessItIsToPoll(boolean isBusyPolling) throws Exception {
    RtEndpointBuilder builder = RtEndpoint.builder().nio();
    try (RtEndpoint endpoint = (isBusyPolling ? builder.busyPoll() : builder).open()) {
      RtListener listener =
          RtEndpointTest.get(endpoint.listen(RtEndpointTest.ANY_PORT, new RtTarget() {}));
      RtConnection connection = RtEndpointTest.get(endpoint.connect(listener.localAddress()));
      IoEventLoop loop = (IoEventLoop) connection.channel().eventLoop();
      assertThat(loop.isIoType(NioIoHandler.class)).isEqualTo(!isBusyPolling);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldConnectFromASocketEachUnlessTheyShareOne(boolean isShared) throws Exception {
    Set<SocketAddress> sockets = ConcurrentHashMap.newKeySet();
    RtTarget target = pushed(connection -> sockets.add(connection.channel().remoteAddress()));
    RtEndpointBuilder builder = RtEndpoint.builder();
    try (RtEndpoint server = RtEndpoint.open();
        RtEndpoint endpoint = (isShared ? builder.sharedPort() : builder).open()) {
      RtListener listener = RtEndpointTest.get(server.listen(RtEndpointTest.ANY_PORT, target));
      for (int i = 0; i < 4; i++) {
        RtConnection connection = RtEndpointTest.get(endpoint.connect(listener.localAddress()));
        RtEndpointTest.get(connection.push(new byte[100]));
      }
    }
    assertThat(sockets).hasSize(isShared ? 1 : 4);
  }

  @Test
  void shouldRefuseMoreThanItHas() {
    assertThatThrownBy(() -> RtEndpoint.builder().receiveLoops(0))
        .hasMessage("receiveLoops=0, valid: at least 1");
    try (RtEndpoint endpoint = RtEndpoint.builder().receiveLoops(2).open()) {
      CompletableFuture<RtListener> listening =
          endpoint.listen(RtEndpointTest.ANY_PORT, new RtTarget() {});
      assertThatThrownBy(() -> listening.get(20, TimeUnit.SECONDS))
          .hasMessageContaining("RECEIVE_LOOPS=2, valid: 1..1");
    }
  }
}
