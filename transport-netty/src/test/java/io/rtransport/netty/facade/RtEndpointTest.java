package io.rtransport.netty.facade;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.Pull;
import io.rtransport.netty.Push;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.RtException;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.RtSink;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions by futures and callbacks, over real sockets. */
@Timeout(60)
class RtEndpointTest {
  static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  /** Keeps pushes until the test answers them. */
  static class Keeping implements RtTarget {
    final BlockingQueue<InboundPush> pushes = new LinkedBlockingQueue<>();

    @Override
    public void onPush(RtConnection connection, InboundPush push) {
      pushes.add(push);
    }

    InboundPush next() throws InterruptedException {
      InboundPush push = pushes.poll(20, TimeUnit.SECONDS);
      assertThat(push).as("push within 20 s").isNotNull();
      return push;
    }
  }

  static RtEndpoint open(boolean isNio) {
    return isNio ? RtEndpoint.builder().nio().open() : RtEndpoint.open();
  }

  static RtConnection connect(RtEndpoint endpoint, RtTarget target) throws Exception {
    return get(endpoint.connect(get(endpoint.listen(ANY_PORT, target)).localAddress()));
  }

  static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  static RtException failureOf(CompletableFuture<?> future) {
    ExecutionException failure =
        org.assertj.core.api.Assertions.catchThrowableOfType(
            ExecutionException.class, () -> future.get(20, TimeUnit.SECONDS));
    assertThat(failure).as("a failed future").hasCauseInstanceOf(RtException.class);
    return (RtException) failure.getCause();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldEndAPushWhenTheTargetAnswers(boolean isNio) throws Exception {
    try (RtEndpoint endpoint = open(isNio)) {
      Keeping target = new Keeping();
      RtConnection connection = connect(endpoint, target);
      byte[] large = new byte[100_000]; // solicited
      new Random(7).nextBytes(large);
      CompletableFuture<Void> taken = connection.push("one".getBytes(UTF_8), "h".getBytes(UTF_8));
      CompletableFuture<Void> refused = connection.push(new byte[0]);
      CompletableFuture<Void> solicited = connection.push(large);
      InboundPush first = target.next();
      assertThat(first.header()).isEqualTo("h".getBytes(UTF_8));
      assertThat(first.payload()).isEqualTo("one".getBytes(UTF_8));
      assertThat(first.lengthBytes()).isEqualTo(3);
      assertThat(first.sink()).isNull();
      InboundPush second = target.next();
      assertThat(second.payload()).isEmpty();
      assertThat(taken).isNotDone();
      assertThat(refused).isNotDone();
      assertThat(first.acknowledge()).isTrue();
      assertThat(first.fail(1, "late")).as("the first answer counts").isFalse();
      assertThat(second.fail(77, "no thanks")).isTrue();
      assertThat(get(taken)).isNull();
      RtException failure = failureOf(refused);
      assertThat(failure.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(failure.code()).isEqualTo(77);
      assertThat(failure).hasMessageContaining("no thanks");
      InboundPush third = target.next();
      assertThat(third.payload()).isEqualTo(large);
      third.acknowledge();
      get(solicited);
      assertThat(get(connection.stats()).counters())
          .containsEntry(CounterId.TRANSACTIONS_COMPLETED, 2L);
    }
  }

  @Test
  void shouldListenAtSeveralAddressesAndNameTheOneThatIsTaken() throws Exception {
    InetSocketAddress second = new InetSocketAddress(InetAddress.getByName("127.0.0.2"), 0);
    try (RtEndpoint endpoint = RtEndpoint.open()) {
      RtListener listener = get(endpoint.listen(ANY_PORT, List.of(second), new Keeping()));
      assertThat(listener.localAddresses()).hasSize(2).startsWith(listener.localAddress());
      RtConnection connection = get(endpoint.connect(listener.localAddresses().get(1)));
      await()
          .until(
              () ->
                  get(connection.stats()).counters().getOrDefault(CounterId.PATHS_OPENED, 0L) == 1);
      InetSocketAddress taken = listener.localAddresses().get(1);
      assertThatThrownBy(() -> get(endpoint.listen(ANY_PORT, List.of(taken), new Keeping())))
          .hasCauseInstanceOf(BindException.class)
          .hasMessageContaining(taken.toString());
      assertThatThrownBy(() -> get(listener.join(taken)))
          .hasCauseInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("address=" + taken);
      get(listener.leave(taken));
      assertThat(listener.localAddresses()).hasSize(1);
      assertThat(get(listener.join(taken))).isEqualTo(taken);
      assertThat(listener.localAddresses()).hasSize(2);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldPullBytesAndRefusalsAndIntoSinks(boolean isNio) throws Exception {
    byte[] stored = new byte[300_000];
    new Random(8).nextBytes(stored);
    RtTarget target =
        new RtTarget() {
          @Override
          public void onPull(RtConnection connection, RtPullRequest request) {
            int length = Integer.parseInt(new String(request.header(), UTF_8));
            if (length < 0) {
              request.fail(404, "no such thing");
            } else {
              request.respond(Arrays.copyOf(stored, length));
            }
          }
        };
    try (RtEndpoint endpoint = open(isNio)) {
      RtConnection connection = connect(endpoint, target);
      assertThat(get(connection.pull(header(0), 10))).isEmpty();
      assertThat(get(connection.pull(header(1_000), 1_000)))
          .isEqualTo(Arrays.copyOf(stored, 1_000));
      assertThat(get(connection.pull(header(300_000), 1 << 20))).isEqualTo(stored);
      RtException missing = failureOf(connection.pull(header(-1), 10));
      assertThat(missing.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(missing.code()).isEqualTo(404);
      Gathering sink = new Gathering(300_000);
      assertThat(get(connection.pull(Pull.into(sink, header(300_000), 300_000L)))).isNull();
      assertThat(sink.bytes.array()).isEqualTo(stored);
      RtException full =
          failureOf(connection.pull(Pull.into(new Gathering(10), header(300_000), 300_000L)));
      assertThat(full.outcome()).as("the peer did answer").isEqualTo(Outcome.COMPLETED);
      assertThat(full).hasRootCauseMessage("full");
      assertThatThrownBy(() -> connection.pull(header(0), -1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("lengthBytesMax=-1");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldGiveATransactionUpWithItsFutureAndAtItsDeadline(boolean isNio) throws Exception {
    LinkedBlockingQueue<RtPullRequest> asked = new LinkedBlockingQueue<>();
    Keeping target =
        new Keeping() {
          @Override
          public void onPull(RtConnection connection, RtPullRequest request) {
            asked.add(request);
          }
        };
    try (RtEndpoint endpoint = open(isNio)) {
      RtConnection connection = connect(endpoint, target);
      CompletableFuture<byte[]> pull = connection.pull(header(1), 10);
      assertThat(asked.poll(20, TimeUnit.SECONDS)).isNotNull();
      assertThat(pull.cancel(true)).isTrue();
      assertThat(pull).isCancelled();
      assertThat(pull.cancel(true)).as("as of any future").isTrue();
      assertThatThrownBy(pull::get)
          .satisfies(cause -> assertThat(RtException.outcomeOf(cause)).isEqualTo(Outcome.UNKNOWN));
      assertThatThrownBy(pull.thenApply(bytes -> bytes)::join)
          .isInstanceOf(CompletionException.class)
          .satisfies(cause -> assertThat(RtException.outcomeOf(cause)).isEqualTo(Outcome.UNKNOWN));
      Pull late =
          Pull.of(header(2), 10).deadline(Duration.ofSeconds(1)); // it is to be there by then
      RtException overdue = failureOf(connection.pull(late));
      assertThat(overdue.outcome()).isEqualTo(Outcome.UNKNOWN);
      assertThat(overdue.code()).isEqualTo(CloseCode.DEADLINE.code());

      ByteBuf payload = Unpooled.wrappedBuffer(new byte[10]);
      CompletableFuture<Void> push = connection.push(Push.of(payload));
      InboundPush arrived = target.next();
      push.cancel(false);
      assertThat(push).isCancelled();
      assertThat(arrived.acknowledge()).as("the application had it already").isTrue();
      await().until(() -> payload.refCnt() == 0);
      assertThat(get(connection.stats()).counters())
          .containsEntry(CounterId.TRANSACTIONS_CANCELLED, 3L)
          .containsEntry(CounterId.DEADLINES_EXCEEDED, 1L);
    }
  }

  @Test
  void shouldTryEveryAddressOfAName() throws Exception {
    AddressResolverGroup<InetSocketAddress> names =
        new AddressResolverGroup<>() {
          @Override
          protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
            return new InetNameResolver(executor) {
              @Override
              protected void doResolve(String name, Promise<InetAddress> promise) throws Exception {
                promise.setSuccess(InetAddress.getByName("127.0.0.2"));
              }

              @Override
              protected void doResolveAll(String name, Promise<List<InetAddress>> promise)
                  throws Exception {
                promise.setSuccess(
                    List.of(
                        InetAddress.getByName("127.0.0.2"), InetAddress.getByName("127.0.0.1")));
              }
            }.asAddressResolver();
          }
        };
    try (RtEndpoint endpoint = RtEndpoint.builder().names(RtChannels.everyAddress(names)).open()) {
      int port = get(endpoint.listen(ANY_PORT, new Keeping())).localAddress().getPort();
      InetSocketAddress name = InetSocketAddress.createUnresolved("several.test", port);
      assertThat(get(endpoint.connect(name)).remoteAddress())
          .isEqualTo(new InetSocketAddress("127.0.0.1", port));
    }
  }

  @Test
  void shouldEndAPullWhoseAnswerWasGivenUpOrThatWasNeverBegun() throws Exception {
    RtTarget target =
        new RtTarget() {
          @Override
          public void onPull(RtConnection connection, RtPullRequest request) {
            request.respond(new byte[10]);
          }
        };
    Pull late = Pull.of(header(2), 10);
    try (RtEndpoint endpoint = RtEndpoint.open()) {
      RtConnection connection = connect(endpoint, target);
      Pull pull = Pull.of(header(1), 10);
      pull.answer().cancel(false);
      assertThat(failureOf(connection.pull(pull)).outcome()).isEqualTo(Outcome.COMPLETED);
      endpoint.close();
      assertThat(failureOf(connection.pull(late)).outcome()).isEqualTo(Outcome.NOT_EXECUTED);
      assertThat(late.answer()).isCompletedExceptionally();
    }
  }

  /** A sink's own exception may be of a type that says of a write that it never left. */
  @Test
  void shouldSayThatThePeerHasAnsweredWhateverThePullsSinkThrows() throws Exception {
    RtTarget target =
        new RtTarget() {
          @Override
          public void onPull(RtConnection connection, RtPullRequest request) {
            request.respond(new byte[10]);
          }
        };
    RtSink closed =
        new RtSink() {
          @Override
          protected void write(long offset, ByteBuffer from, int index, int length)
              throws IOException {
            throw new ClosedChannelException();
          }
        };
    try (RtEndpoint endpoint = RtEndpoint.open()) {
      RtConnection connection = connect(endpoint, target);
      RtException failure = failureOf(connection.pull(Pull.into(closed, header(1), 10)));
      assertThat(failure.outcome()).isEqualTo(Outcome.COMPLETED);
      assertThat(failure).hasRootCauseInstanceOf(ClosedChannelException.class);
    }
  }

  private static byte[] header(int length) {
    return Integer.toString(length).getBytes(UTF_8);
  }

  /** Takes so many bytes. */
  private static final class Gathering extends RtSink {
    final ByteBuffer bytes;

    Gathering(int capacity) {
      bytes = ByteBuffer.allocate(capacity);
    }

    @Override
    protected void write(long offset, ByteBuffer from, int index, int length) throws IOException {
      if (offset + length > bytes.capacity()) {
        throw new IOException("full");
      }
      bytes.put((int) offset, from, index, length);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldServeBothSidesInTheOrderOfTheirPushes(boolean isNio) throws Exception {
    CompletableFuture<Void> pushed = new CompletableFuture<>();
    RtTarget greeting =
        new RtTarget() {
          @Override
          public void onConnect(RtConnection connection) {
            connection.push(header(0));
            connection.push(header(1)).thenAccept(pushed::complete);
          }
        };
    Keeping own = new Keeping();
    try (RtEndpoint endpoint = open(isNio)) {
      RtListener listener = get(endpoint.listen(ANY_PORT, greeting));
      RtConnection connection = get(endpoint.connect(listener.localAddress(), own));
      for (int i = 0; i < 2; i++) {
        InboundPush push = own.next();
        assertThat(push.payload()).isEqualTo(header(i));
        push.acknowledge();
      }
      get(pushed);
      RtException push = failureOf(connection.push(new byte[1]));
      assertThat(push.outcome()).as("no callback for it").isEqualTo(Outcome.FAILED);
      assertThat(failureOf(connection.pull(new byte[1], 1)).outcome()).isEqualTo(Outcome.FAILED);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldFailWhatACallbackThrowsOver(boolean isNio) throws Exception {
    RtTarget broken =
        new RtTarget() {
          @Override
          public void onPush(RtConnection connection, InboundPush push) {
            throw new IllegalStateException("a defect of the application");
          }

          @Override
          public void onPull(RtConnection connection, RtPullRequest request) {
            throw new IllegalStateException("a defect of the application");
          }

          @Override
          public void onConnect(RtConnection connection) {
            throw new IllegalStateException("a defect of the application");
          }
        };
    try (RtEndpoint endpoint = open(isNio)) {
      RtListener listener = get(endpoint.listen(ANY_PORT, broken));
      RtConnection connection = get(endpoint.connect(listener.localAddress(), broken));
      for (CompletableFuture<?> future :
          Arrays.asList(connection.push(new byte[10]), connection.pull(new byte[1], 10))) {
        RtException failure = failureOf(future);
        assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(failure.isFromTransport()).isTrue();
        assertThat(failure.code()).isEqualTo(CloseCode.APPLICATION_ERROR.code());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldRefuseToWaitOnAnEventLoop(boolean isNio) throws Exception {
    CompletableFuture<Throwable> caught = new CompletableFuture<>();
    CompletableFuture<Throwable> derived = new CompletableFuture<>();
    RtTarget waiting =
        new RtTarget() {
          @Override
          public void onPush(RtConnection connection, InboundPush push) {
            caught.complete(catching(() -> connection.pull(new byte[1], 1).join()));
            derived.complete(
                catching(
                    () ->
                        connection
                            .pull(new byte[1], 1)
                            .thenApply(bytes -> bytes.length)
                            .get(1, TimeUnit.SECONDS)));
            push.acknowledge();
          }
        };
    try (RtEndpoint endpoint = open(isNio)) {
      RtConnection connection = connect(endpoint, waiting);
      get(connection.push(new byte[1]));
      assertThat(get(caught)).isInstanceOf(BlockingOperationException.class);
      assertThat(get(derived)).isInstanceOf(BlockingOperationException.class);
    }
  }

  private static Throwable catching(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    return org.assertj.core.api.Assertions.catchThrowable(call);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldSayWhatWasAgreedInsteadOfSendingMore(boolean isNio) throws Exception {
    try (RtEndpoint endpoint = open(isNio)) {
      RtConnection connection = connect(endpoint, new Keeping());
      RtException failure = failureOf(connection.push(new byte[1], new byte[513]));
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_EXECUTED);
      assertThat(failure).hasMessageContaining("513");
    }
  }
}
