package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A read batch whose packets come in one turn of the loop and its end in another, as io_uring's
 * may, with a deadline between them.
 */
@Timeout(30)
class PiecemealReadTest {
  private static final InetSocketAddress CLIENT = new InetSocketAddress("127.0.0.1", 1);
  private static final InetSocketAddress SERVER = new InetSocketAddress("127.0.0.1", 2);

  private final ManualSide client = new ManualSide(0, CLIENT, SERVER);
  private final ManualSide server = new ManualSide(1, SERVER, CLIENT);

  @AfterEach
  void stop() {
    client.node.close();
    server.node.close();
  }

  private final Inbox atServer = new Inbox();

  /** A client whose first message the server has had, and answered in vain. */
  private Channel connect() {
    Channel channel = ManualSide.connect(client, server, atServer, new Inbox());
    channel.writeAndFlush(EchoTest.text("one"));
    client.run();
    server.take(client.sent, () -> {});
    server.sent.clear(); // its completion is lost, so the server has a deadline
    assertThat(atServer.waiting()).isEqualTo(1);
    return channel;
  }

  @Test
  void shouldHearWhatHasComeBeforeADeadlineThatFallsIntoTheBatch() {
    connect().writeAndFlush(EchoTest.text("two"));
    client.run();
    server.take(
        client.sent,
        () -> {
          server.nowNs = TimeUnit.SECONDS.toNanos(10);
          server.run();
          assertThat(server.sent).as("sent at the deadline").isNotEmpty();
          assertThat(atServer.waiting()).as("heard before it").isEqualTo(2);
        });
    assertThat(LoopDrivers.of(server.node.loop()).receiveBuffers().freeCount())
        .isEqualTo(LoopDrivers.of(server.node.loop()).receiveBuffers().keptCount());
  }

  /** A read that is cancelled tells nobody of its end. */
  @Test
  void shouldHearWhatHasComeThoughTheBatchNeverEnds() {
    Channel channel = connect();
    server.port.readInPieces();
    channel.writeAndFlush(EchoTest.text("two"));
    client.run();
    server.take(
        client.sent,
        () -> {
          server.run();
          assertThat(atServer.waiting()).as("heard in a task").isEqualTo(2);
          assertThat(server.sent).as("its completion").isNotEmpty();
        });
  }
}
