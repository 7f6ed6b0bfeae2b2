package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.netty.internal.loop.LinkApplication;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection that a server accepts, and for whose channel it has no memory. */
@Timeout(60)
class NoChannelTest {
  private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 1);
  private static final InetSocketAddress CLIENT = new InetSocketAddress("10.0.0.2", 2);

  /** Fails where a link is made. */
  private static final class NoMemory implements LinkApplication {
    @Override
    public PushSupplier pushSupplier() {
      throw new OutOfMemoryError("the test's channel");
    }

    @Override
    public void onEntry(Connection connection, OutboxEntry entry) {
      throw new AssertionError("no connection has a link");
    }
  }

  @Test
  void shouldEndThatConnectionAndTellItsPeer() {
    LogWatch log = new LogWatch();
    ManualSide client = new ManualSide(1, CLIENT, SERVER);
    ManualSide server = new ManualSide(2, SERVER, CLIENT);
    server.applications = (ch, connection) -> new NoMemory();
    try {
      Channel channel =
          ManualSide.tryConnect(
              client,
              server,
              SocketPair.initializer(SocketPair.nothing()),
              SocketPair.initializer(SocketPair.nothing()));
      for (int i = 0; i < 60; i++) {
        ManualSide.exchange(client, server);
        client.nowNs += TimeUnit.SECONDS.toNanos(1);
        server.nowNs += TimeUnit.SECONDS.toNanos(1);
      }
      assertThat(channel.isOpen()).isFalse();
      assertThat(((RtChannel) channel).closeReason().code())
          .isEqualTo(CloseCode.INTERNAL_ERROR.code());
      assertThat(server.node.left()).isEmpty();
      assertThat(log.first()).containsOnlyOnce("no channel for a connection of /10.0.0.2:2");
    } finally {
      client.node.close();
      server.node.close();
      log.close();
    }
  }
}
