package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.rtransport.core.wire.PacketBurst;
import io.rtransport.netty.port.MemoryPort;
import io.rtransport.netty.port.PortFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A read batch whose packets come in one turn of the loop and its end in another, as io_uring's may, with a deadline between them. */
@Timeout(30)
class PiecemealReadTest {
  private static final InetSocketAddress CLIENT = new InetSocketAddress("127.0.0.1", 1);
  private static final InetSocketAddress SERVER = new InetSocketAddress("127.0.0.1", 2);

  private final Side client = new Side(0, CLIENT, SERVER);
  private final Side server = new Side(1, SERVER, CLIENT);

  /** A node, and what it has sent. */
  private static final class Side implements MemoryPort.Wire {
    final ManualNode node;
    final Queue<ByteBuffer> sent = new ArrayDeque<>();
    final InetSocketAddress to;
    final PortFactory ports;
    MemoryPort port;
    long nowNs;

    Side(int index, InetSocketAddress at, InetSocketAddress to) {
      this.node = new ManualNode(index, index);
      this.to = to;
      ports =
          (context, config, local, remote) -> {
            port = new MemoryPort(context, this, at, to);
            return port;
          };
    }

    void run() {
      node.run(nowNs);
    }

    void take(Queue<ByteBuffer> packets, Runnable beforeItsEnd) {
      PacketBurst burst = new PacketBurst();
      packets.forEach(p -> burst.add(p, 0, p.remaining(), 0, PacketBurst.TRANSIENT));
      packets.clear();
      port.receive(burst, i -> to, beforeItsEnd);
      run();
    }

    @Override
    public void send(ByteBuffer buffer, int offset, int length, InetSocketAddress ignored) {
      sent.add(ByteBuffer.allocate(length).put(0, buffer, offset, length));
    }

    @Override
    public boolean hasRoom() {
      return true;
    }
  }

  private void exchange() {
    do {
      client.run();
      server.take(client.sent, () -> {});
      client.take(server.sent, () -> {});
    } while (!client.sent.isEmpty() || !server.sent.isEmpty());
  }

  @AfterEach
  void stop() {
    client.node.close();
    server.node.close();
  }

  private final Inbox atServer = new Inbox();

  /** A client whose first message the server has had, and answered in vain. */
  private Channel connect() {
    new ServerBootstrap()
        .group(server.node.loop())
        .channelFactory(RtChannels.server(server.ports))
        .childHandler(atServer)
        .bind(SERVER);
    server.run();
    Channel channel =
        new Bootstrap()
            .group(client.node.loop())
            .channelFactory(RtChannels.client(client.ports))
            .handler(new Inbox())
            .connect(SERVER)
            .channel();
    exchange();
    assertThat(channel.isActive()).isTrue();
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
    assertThat(LoopDriver.of(server.node.loop()).receiveBuffers().freeCount())
        .isEqualTo(LoopDriver.of(server.node.loop()).receiveBuffers().keptCount());
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
