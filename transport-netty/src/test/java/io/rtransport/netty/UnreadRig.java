package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A server that reads when it is told to, and five that connect to it, on virtual time. */
final class UnreadRig implements AutoCloseable {
  private static final int CLIENTS = 5;

  /** What a child reads, in words. */
  static final class Words extends ChannelInboundHandlerAdapter {
    final List<String> said = new ArrayList<>();
    int batches;

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      batches++;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof RtPullRequest request) {
        said.add("pull");
        request.respond(Unpooled.copiedBuffer("answer", StandardCharsets.UTF_8));
      } else if (message instanceof RtPush push) {
        said.add("push " + push.header().length + "+" + sum(push.content()));
        push.release();
      } else {
        said.add(sum((ByteBuf) message));
        ((ByteBuf) message).release();
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event == ChannelInputShutdownEvent.INSTANCE) {
        said.add("end");
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      said.add("inactive");
    }
  }

  /** Length and contents of a message. */
  static String sum(ByteBuf bytes) {
    byte[] content = new byte[bytes.readableBytes()];
    bytes.getBytes(bytes.readerIndex(), content);
    return content.length + "#" + Arrays.hashCode(content);
  }

  static ByteBuf message(int length, int seed) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (seed + 31 * i + (i >> 8));
    }
    return Unpooled.wrappedBuffer(bytes);
  }

  final InetSocketAddress at = new InetSocketAddress("127.0.0.1", 7_000);
  final ManualSide server = new ManualSide(1, at, at);
  final ManualSide[] clients = new ManualSide[CLIENTS];
  final Channel[] channels = new Channel[CLIENTS];
  final ChannelFuture[] connects = new ChannelFuture[CLIENTS];
  final List<RtChannel> children = new ArrayList<>();
  final List<Words> words = new ArrayList<>();
  final RtServerChannel listening;
  private int carried;
  private long nowNs;

  UnreadRig(Consumer<ServerBootstrap> options) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(server.node.loop())
            .channelFactory(RtChannels.server(server.ports))
            .option(ChannelOption.AUTO_READ, false)
            .childHandler(
                SocketPair.initializer(
                    child -> {
                      children.add((RtChannel) child);
                      words.add(new Words());
                      child.pipeline().addLast(words.get(words.size() - 1));
                    }));
    options.accept(bootstrap);
    listening = (RtServerChannel) bootstrap.bind(at).channel();
    server.run();
    for (int i = 0; i < CLIENTS; i++) {
      clients[i] = new ManualSide(i + 2, new InetSocketAddress("127.0.0.1", 7_001 + i), at);
    }
  }

  static UnreadRig withBacklog(int backlog) {
    return new UnreadRig(b -> b.option(ChannelOption.SO_BACKLOG, backlog));
  }

  /** Begins to connect client {@code i}, and lets packets go to and fro. */
  Channel connect(int i) {
    return connect(i, b -> {});
  }

  Channel connect(int i, Consumer<Bootstrap> options) {
    Bootstrap bootstrap = bootstrap(i);
    options.accept(bootstrap);
    connects[i] = bootstrap.connect(at);
    channels[i] = connects[i].channel();
    exchange();
    return channels[i];
  }

  /** Client {@code i} has its ACCEPT, and is about to send what confirms it. */
  void begin(int i) {
    connects[i] = bootstrap(i).connect(at);
    channels[i] = connects[i].channel();
    clients[i].run();
    server.take(clients[i].sent, packet -> addressOf(clients[i]), () -> {});
    carryFromServer();
  }

  private Bootstrap bootstrap(int i) {
    return new Bootstrap()
        .group(clients[i].node.loop())
        .channelFactory(RtChannels.client(clients[i].ports))
        .handler(new ChannelInboundHandlerAdapter());
  }

  /** Runs all sides and carries packets until all are silent. */
  void exchange() {
    boolean isQuiet;
    do {
      server.run();
      isQuiet = server.sent.isEmpty();
      carryFromServer();
      for (ManualSide client : clients) {
        client.run();
        if (!client.sent.isEmpty()) {
          isQuiet = false;
          InetSocketAddress from = addressOf(client);
          server.take(client.sent, packet -> from, () -> {});
        }
      }
    } while (!isQuiet);
  }

  InetSocketAddress addressOf(ManualSide client) {
    return client.port.localAddress();
  }

  /** What the server has sent is lost. */
  void loseFromServer() {
    server.sent.clear();
    carried = server.destinations.size();
  }

  void carryFromServer() {
    List<ArrayDeque<ByteBuffer>> queues = new ArrayList<>();
    for (ManualSide client : clients) {
      queues.add(new ArrayDeque<>());
    }
    for (ByteBuffer packet : server.sent) {
      queues.get(server.destinations.get(carried++).getPort() - 7_001).add(packet);
    }
    server.sent.clear();
    for (int i = 0; i < CLIENTS; i++) {
      if (!queues.get(i).isEmpty()) {
        clients[i].take(queues.get(i), () -> {});
      }
    }
  }

  /** Lets {@code millis} pass, in steps at which packets are carried. */
  void pass(long millis) {
    long step = Math.min(100, Math.max(1, millis / 100));
    for (long passed = 0; passed < millis; passed += step) {
      move(step);
      exchange();
    }
  }

  void move(long millis) {
    nowNs += TimeUnit.MILLISECONDS.toNanos(millis);
    server.nowNs = nowNs;
    for (ManualSide client : clients) {
      client.nowNs = nowNs;
    }
  }

  /** The application asks for a connection. */
  void read() {
    listening.read();
    exchange();
  }

  /** The children accepted so far, as numbers of their clients. */
  List<Integer> accepted() {
    return children.stream().map(child -> child.remoteAddress().getPort() - 7_001).toList();
  }

  /** What the server has counted. */
  long counted(CounterId id) {
    return counted(server, id);
  }

  long counted(ManualSide side, CounterId id) {
    return LoopDrivers.of(side.node.loop()).counters().value(id);
  }

  RtException failureOf(ChannelFuture write) {
    assertThat(write.isDone()).isTrue();
    assertThat(write.cause()).isInstanceOf(RtException.class);
    return (RtException) write.cause();
  }

  /** Everything ends: nothing of it is left at either side. */
  @Override
  public void close() {
    for (Channel channel : channels) {
      if (channel != null) {
        channel.close();
      }
    }
    exchange();
    listening.close();
    exchange();
    pass(20_000);
    assertThat(server.node.left()).as("left at the server").isEmpty();
    for (ManualSide client : clients) {
      assertThat(client.node.left()).as("left at a client").isEmpty();
      client.node.close();
    }
    server.node.close();
  }
}
