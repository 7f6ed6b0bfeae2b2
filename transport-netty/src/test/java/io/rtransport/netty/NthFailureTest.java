package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.util.NetUtil;
import io.rtransport.core.proof.ProofShare;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Nth call that allocates a buffer, or hands a datagram to the socket, fails, for N from 1 to
 * 300, at either end of a connection: no promise hangs, nothing leaks, and what else lives on the
 * two event loops does not notice.
 */
@Tag("proof")
@Timeout(600)
class NthFailureTest {
  private static final int LAST_CALL = 300;

  /**
   * Copies made for the socket are of acknowledgements and of set-up only: a connection makes few.
   */
  private static final int LAST_SOCKET_BUFFER = 5;

  private static final int TOGETHER = 40;
  private static final int STEPS_MAX = 1_000;
  private static final int STEPS_AFTERWARDS = 5;
  private static final int SMALL_BYTES = 200;
  private static final int LARGE_BYTES = 60_000;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final InetSocketAddress ANYWHERE = new InetSocketAddress(NetUtil.LOCALHOST4, 0);

  private TransportKind kind;
  private EventLoopGroup servers;
  private EventLoopGroup clients;
  private RtServerChannel otherServer;
  private RtChannel bystander;

  /** Whose call fails. */
  private enum Place {
    CLIENT_MESSAGE_BUFFER,
    SERVER_MESSAGE_BUFFER,
    CLIENT_SOCKET_BUFFER,
    SERVER_SOCKET_BUFFER,
    CLIENT_SOCKET_WRITE,
    SERVER_SOCKET_WRITE
  }

  /** Takes everything and answers pulls. */
  private static final class Server extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof RtPullRequest pull) {
        pull.respond(new byte[(int) pull.lengthBytesMax()]);
      } else if (message instanceof RtPush push) {
        push.release();
      } else {
        ((ByteBuf) message).release();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      // its peer hears of it
    }
  }

  private void begin(TransportKind transport) throws Exception {
    kind = transport;
    servers = new MultiThreadIoEventLoopGroup(1, kind.handlers());
    clients = new MultiThreadIoEventLoopGroup(1, kind.handlers());
    otherServer = listen(new FailingCall(0), Place.CLIENT_SOCKET_WRITE);
    bystander =
        (RtChannel)
            connect(new FailingCall(0), Place.SERVER_SOCKET_WRITE, otherServer).sync().channel();
  }

  private void end() throws Exception {
    bystander.close().sync();
    otherServer.close().sync();
    assertBuffersReturned(clients);
    assertBuffersReturned(servers);
    clients.shutdownGracefully(50, 20_000, TimeUnit.MILLISECONDS).sync();
    servers.shutdownGracefully(50, 20_000, TimeUnit.MILLISECONDS).sync();
  }

  private static void assertBuffersReturned(EventLoopGroup group) throws Exception {
    EventLoop loop = group.next();
    int held =
        loop.submit(
                () -> {
                  var buffers = LoopDrivers.of(loop).receiveBuffers();
                  return buffers.keptCount() - buffers.freeCount();
                })
            .get(20, TimeUnit.SECONDS);
    assertThat(held).as("receive buffers that somebody still holds").isZero();
  }

  static Stream<Arguments> places() {
    return Stream.of(TransportKind.values())
        .flatMap(kind -> Stream.of(Place.values()).map(place -> Arguments.of(kind, place)));
  }

  @ParameterizedTest
  @MethodSource("places")
  void shouldSurviveTheFailureOfTheNthCall(TransportKind transport, Place place) throws Exception {
    begin(transport);
    boolean isRare = place == Place.CLIENT_SOCKET_BUFFER || place == Place.SERVER_SOCKET_BUFFER;
    int last = isRare ? LAST_SOCKET_BUFFER : LAST_CALL;
    int wanted = new ProofShare().times(12, last);
    SplittableRandom random = new SplittableRandom(ProofShare.seed("NthFailureTest " + place));
    int failures = 0;
    int runs = 0;
    long ended = 0;
    for (int n = 1; n <= last; n++) {
      if (random.nextInt(last) >= wanted) {
        continue;
      }
      FailingCall call = new FailingCall(n);
      ended += run(place, call, n);
      runs++;
      failures += call.hasFailed() ? 1 : 0;
    }
    end();
    int expected =
        isRare
            ? runs / 2
            : runs * 9 / 10; // how many acknowledgements a run copies is the network's
    assertThat(failures).as("calls that failed of " + runs).isGreaterThanOrEqualTo(expected);
    System.out.printf(
        "%s, %s: %d runs, %d failed calls, %,d transactions that ended otherwise than well%n",
        transport, place, runs, failures, ended);
  }

  /** How many promises failed. */
  private long run(Place place, FailingCall call, int n) throws Exception {
    RtServerChannel server = listen(call, place);
    ChannelFuture connecting = connect(call, place, server);
    assertThat(connecting.await(20, TimeUnit.SECONDS)).as("connect, N=%d", n).isTrue();
    long failed = 0;
    if (connecting.isSuccess()) {
      RtChannel client = (RtChannel) connecting.channel();
      List<ByteBuf> payloads = new ArrayList<>();
      for (ChannelFuture end : together(client, payloads)) {
        failed += isFailed(end, place, n);
      }
      int afterwards = 0;
      for (int i = 0; i < STEPS_MAX && client.isActive() && afterwards < STEPS_AFTERWARDS; i++) {
        failed += isFailed(client.writeAndFlush(push(SMALL_BYTES, payloads)), place, n);
        failed += isFailed(client.writeAndFlush(pull(SMALL_BYTES)), place, n);
        afterwards += call.hasFailed() ? 1 : 0;
      }
      assertThat(client.close().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(payloads).allMatch(payload -> payload.refCnt() == 0);
    }
    assertThat(server.close().await(20, TimeUnit.SECONDS)).isTrue();
    assertBystanderWorks(n);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(call.heldBytes()).as("%s, N=%d: bytes held", place, n).isZero());
    return failed;
  }

  private static int isFailed(ChannelFuture end, Place place, int n) throws InterruptedException {
    assertThat(end.await(20, TimeUnit.SECONDS)).as("%s, N=%d: a promise hangs", place, n).isTrue();
    return end.isSuccess() ? 0 : 1;
  }

  /** Many at once, of all kinds. */
  private static List<ChannelFuture> together(RtChannel client, List<ByteBuf> payloads) {
    List<ChannelFuture> ends = new ArrayList<>();
    for (int i = 0; i < TOGETHER; i++) {
      ends.add(client.write(push(SMALL_BYTES, payloads)));
      if (i % 2 == 0) {
        client.flush(); // some together, some alone
      }
      if (i % (TOGETHER / 2) == 0) {
        ends.add(client.writeAndFlush(pull(LARGE_BYTES)));
        ends.add(client.writeAndFlush(Pull.into(new Nowhere(), new byte[] {2}, LARGE_BYTES)));
        ends.add(client.writeAndFlush(push(LARGE_BYTES, payloads)));
      }
    }
    client.flush();
    return ends;
  }

  private static Push push(int lengthBytes, List<ByteBuf> payloads) {
    ByteBuf payload = Unpooled.directBuffer(lengthBytes).writeZero(lengthBytes);
    payloads.add(payload);
    return Push.of(payload, new byte[] {1});
  }

  private static Pull pull(int lengthBytes) {
    Pull pull = Pull.of(new byte[] {2}, lengthBytes);
    pull.answer().thenAccept(ByteBuf::release);
    return pull;
  }

  /** Takes an answer's bytes as a stream. */
  private static final class Nowhere extends RtStreamSink {
    @Override
    protected int fragment(ByteBuf fragment) {
      int count = fragment.readableBytes();
      fragment.release();
      return count;
    }
  }

  private void assertBystanderWorks(int n) throws Exception {
    ChannelFuture echo = bystander.writeAndFlush(Unpooled.wrappedBuffer(new byte[100]));
    assertThat(echo.await(20, TimeUnit.SECONDS)).as("the bystander after N=%d", n).isTrue();
    assertThat(echo.cause()).as("the bystander after N=%d", n).isNull();
  }

  private RtServerChannel listen(FailingCall call, Place place) throws Exception {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(servers)
            .channelFactory(
                RtChannels.server(
                    sockets(call, place, Place.SERVER_SOCKET_BUFFER, Place.SERVER_SOCKET_WRITE)))
            .childHandler(
                new ChannelInitializer<RtChannel>() {
                  @Override
                  protected void initChannel(RtChannel child) {
                    child.pipeline().addLast(new Server());
                  }
                });
    if (place == Place.SERVER_MESSAGE_BUFFER) {
      bootstrap.childOption(ChannelOption.ALLOCATOR, call.allocator());
    }
    return (RtServerChannel) bootstrap.bind(ANYWHERE).sync().channel();
  }

  private ChannelFuture connect(FailingCall call, Place place, RtServerChannel server) {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(clients)
            .channelFactory(
                RtChannels.client(
                    sockets(call, place, Place.CLIENT_SOCKET_BUFFER, Place.CLIENT_SOCKET_WRITE)))
            .handler(new Server());
    if (place == Place.CLIENT_MESSAGE_BUFFER) {
      bootstrap.option(ChannelOption.ALLOCATOR, call.allocator());
    }
    return bootstrap.connect(server.localAddress());
  }

  private Supplier<DatagramChannel> sockets(
      FailingCall call, Place place, Place buffers, Place writes) {
    return () -> {
      DatagramChannel socket = kind.sockets().get();
      if (place == writes) {
        socket.pipeline().addLast(call.writes());
      }
      if (place == buffers) {
        socket.config().setAllocator(call.allocator());
      }
      return socket;
    };
  }
}
