package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.transaction.PayloadSink;
import io.rtransport.core.transaction.PayloadSource;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A payload's source throws as it is released: it costs its connection, and nobody an end. */
class EndByThrowingSourceTest {
  private static final long TRIP_NS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Has as many bytes as are asked for, and throws when it is let go. */
  private static final class Throwing implements PayloadSource {
    int releases;

    @Override
    public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
      return length;
    }

    @Override
    public void release(long handle) {
      releases++;
      throw new IllegalStateException("release of " + handle);
    }
  }

  private final EndpointPair pair = new EndpointPair();
  private final Throwing source = new Throwing();
  private Peer client;
  private Peer server;

  @BeforeEach
  void connect() {
    Host target = pair.host();
    target.endpoint.acceptor(target);
    client = pair.host().connect(target, ConnectionConfig.builder().build());
    pair.runFor(TRIP_NS);
    server = target.accepted.get(0);
    server.isAcknowledging = false;
  }

  private void submit(Peer of, long handle, long length) {
    of.connection.verbs().submitPush(source, handle, length, ByteBuffer.allocate(0), 0, 0, 7, true);
  }

  @Test
  void shouldGiveEveryEndAndThrowTheFirstOnce() {
    for (int i = 0; i < 3; i++) {
      client.push(100); // of which nothing is kept but a tag
    }
    server.onOpen = rsn -> PayloadSink.LATER;
    submit(client, 1, 1_000_000);
    submit(client, 2, 1_000_000);
    client.connection.flush(pair.nowNs);
    pair.runFor(TRIP_NS);
    client.connection.verbs().submitPush(client, 0, 100, ByteBuffer.allocate(0), 0, 0, 7, true);

    assertThatThrownBy(() -> client.connection.abort(5, "over", pair.nowNs))
        .hasMessage("release of 1");
    client.connection.endByDefect(pair.nowNs);

    assertThat(source.releases).isEqualTo(2);
    assertThat(client.ends)
        .containsExactly(
            Outcome.UNKNOWN,
            Outcome.UNKNOWN,
            Outcome.UNKNOWN,
            Outcome.UNKNOWN,
            Outcome.UNKNOWN,
            Outcome.NOT_EXECUTED);
    assertThat(client.events).containsExactly("established", "closed");
  }

  /** What it holds of the node's budget goes back as well. */
  @Test
  void shouldGiveBackWhatItHolds() {
    client.onOpen = rsn -> rsn;
    server.push(10_000_000);
    submit(client, 1, 1_000_000);
    client.connection.flush(pair.nowNs);
    pair.runFor(EndpointPair.DELAY_NS * 3 + 1_000);
    assertThat(client.connection.solicitation().heldBytes()).isPositive();

    assertThatThrownBy(() -> client.connection.abort(5, "over", pair.nowNs))
        .hasMessage("release of 1");
    assertThat(client.connection.solicitation().heldBytes()).isZero();

    client.connection.endByDefect(pair.nowNs);
    assertThat(client.host.loop.solicitation().transactions().inUse()).isZero();
  }
}
