package io.rtransport.netty.facade;

import static io.rtransport.netty.facade.RtEndpointTest.ANY_PORT;
import static io.rtransport.netty.facade.RtEndpointTest.failureOf;
import static io.rtransport.netty.facade.RtEndpointTest.get;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.netty.RtException;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.RtSink;
import io.rtransport.netty.RtStreamSink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a target of the facade says of a push before it comes, and what its initiator learns. */
@Timeout(60)
class OfferTest {
  private static final byte[] LONG = new byte[200_000];

  /** Takes pushes as its {@link #onOffer} says, and answers no pull for now. */
  private static class Choosing implements RtTarget {
    final List<InboundPush> taken = new CopyOnWriteArrayList<>();
    final List<RtPullRequest> pulls = new CopyOnWriteArrayList<>();

    @Override
    public void onPush(RtConnection connection, InboundPush push) {
      taken.add(push);
      push.acknowledge();
    }

    @Override
    public void onPull(RtConnection connection, RtPullRequest request) {
      pulls.add(request);
    }
  }

  private static RtConnection connect(RtEndpoint endpoint, RtTarget target) throws Exception {
    return get(endpoint.connect(get(endpoint.listen(ANY_PORT, target)).localAddress()));
  }

  @Test
  void shouldTakeAPushAsAStream() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Choosing target =
        new Choosing() {
          @Override
          public RtSink onOffer(RtConnection connection, long lengthBytes, byte[] header) {
            return new RtStreamSink() {
              @Override
              protected int fragment(ByteBuf fragment) throws IOException {
                int count = fragment.readableBytes();
                fragment.readBytes(bytes, count);
                fragment.release();
                return count;
              }
            };
          }
        };
    try (RtEndpoint endpoint = RtEndpoint.builder().nio().open()) {
      get(connect(endpoint, target).push(LONG));
      assertThat(bytes.toByteArray()).isEqualTo(LONG);
      assertThat(target.taken.get(0).sink()).isInstanceOf(RtStreamSink.class);
    }
  }

  @Test
  void shouldPutAPushOffUntilItIsAskedForAgain() throws Exception {
    List<RtSink.Later> offered = new CopyOnWriteArrayList<>();
    Choosing target =
        new Choosing() {
          @Override
          public RtSink onOffer(RtConnection connection, long lengthBytes, byte[] header) {
            if (!offered.isEmpty()) {
              return null;
            }
            offered.add(RtSink.later());
            return offered.get(0);
          }
        };
    try (RtEndpoint endpoint = RtEndpoint.builder().nio().open()) {
      CompletableFuture<Void> push = connect(endpoint, target).push(LONG);
      await().until(() -> !offered.isEmpty());
      assertThat(push).isNotDone();
      offered.get(0).askAgain();
      get(push);
      assertThat(target.taken.get(0).payload()).isEqualTo(LONG);
    }
  }

  @Test
  void shouldRefuseAPushBeforeItComes() throws Exception {
    Choosing target =
        new Choosing() {
          @Override
          public RtSink onOffer(RtConnection connection, long lengthBytes, byte[] header) {
            return RtSink.refuse(507);
          }
        };
    try (RtEndpoint endpoint = RtEndpoint.builder().nio().open()) {
      RtException failure = failureOf(connect(endpoint, target).push(LONG));
      assertThat(failure.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(failure.code()).isEqualTo(507);
      assertThat(target.taken).isEmpty();
    }
  }

  @Test
  void shouldLetFuturesOvertakeEachOtherWithoutOrder() throws Exception {
    ConnectionConfig unordered = ConnectionConfig.builder().ordered(false).build();
    Choosing target = new Choosing();
    try (RtEndpoint endpoint = RtEndpoint.builder().nio().handshake(unordered).open()) {
      RtConnection connection = connect(endpoint, target);
      CompletableFuture<byte[]> longPoll = connection.pull(new byte[0], 100);
      get(connection.push(LONG));
      assertThat(longPoll).isNotDone();
      target.pulls.get(0).respond("news".getBytes(UTF_8));
      assertThat(get(longPoll)).asString().isEqualTo("news");
    }
  }

  @Test
  void shouldSayOfAnyFailureWhatBecameOfTheTransaction() {
    assertThat(
            RtException.outcomeOf(
                new RtException(Outcome.UNKNOWN, CloseCode.RESET.code(), "", true)))
        .isEqualTo(Outcome.UNKNOWN);
    assertThat(RtException.outcomeOf(new RtException(Outcome.FAILED, 7, "", false)))
        .isEqualTo(Outcome.FAILED);
    for (Exception unsent :
        new Exception[] {
          new ClosedChannelException(),
          new ChannelOutputShutdownException("written, and not flushed"),
          new CancellationException(),
          new IllegalArgumentException(),
          new UnsupportedOperationException()
        }) {
      assertThat(RtException.outcomeOf(unsent)).as("%s", unsent).isEqualTo(Outcome.NOT_EXECUTED);
    }
    assertThat(RtException.outcomeOf(new IOException("a handler's own")))
        .isEqualTo(Outcome.UNKNOWN);
    assertThat(RtException.outcomeOf(new AssertionError())).isEqualTo(Outcome.UNKNOWN);
  }
}
