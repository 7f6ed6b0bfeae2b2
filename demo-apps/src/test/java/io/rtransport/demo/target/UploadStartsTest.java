package io.rtransport.demo.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.rtransport.demo.protocol.ErrorCode;
import io.rtransport.demo.protocol.RequestHeader;
import io.rtransport.demo.store.Checksum;
import io.rtransport.demo.store.FileStore;
import io.rtransport.demo.store.StoreName;
import io.rtransport.demo.store.Upload;
import io.rtransport.netty.Pull;
import io.rtransport.netty.Push;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelOption;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.RtException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files are made beside the event loop: here by the test, when it likes. */
@Timeout(60)
class UploadStartsTest {
  private static final int SMALL = 100;
  private static final int LARGE = 100_000;

  @TempDir Path root;
  private final BlockingQueue<Runnable> starting = new LinkedBlockingQueue<>();
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private volatile boolean isRefusing;
  private FileStore store;
  private RtChannel client;

  @BeforeEach
  void open() throws Exception {
    store = FileStore.open(root);
    Channel server =
        new ServerBootstrap()
            .group(group)
            .channelFactory(RtChannels.server(NioDatagramChannel::new))
            .childOption(RtChannelOption.ACKNOWLEDGE, RtChannelOption.Acknowledge.EXPLICIT)
            .childHandler(
                new ChannelInitializer<RtChannel>() {
                  @Override
                  protected void initChannel(RtChannel channel) {
                    channel.config().setOption(RtChannelOption.PAYLOAD_SINKS, handler());
                    channel.pipeline().addLast((ChannelHandler) channel.config().payloadSinks());
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .sync()
            .channel();
    client = connect(server.localAddress());
  }

  private TargetHandler handler() {
    return new TargetHandler(
        store, Runnable::run, this::start, this::start, new Semaphore(1), new Silent());
  }

  private void start(Runnable task) {
    if (isRefusing) {
      throw new RejectedExecutionException();
    }
    starting.add(task);
  }

  private RtChannel connect(SocketAddress server) throws Exception {
    return (RtChannel)
        new Bootstrap()
            .group(group)
            .channelFactory(RtChannels.client(NioDatagramChannel::new))
            .option(RtChannelOption.ORDERED, true)
            .handler(new ChannelInboundHandlerAdapter())
            .connect(server)
            .sync()
            .channel();
  }

  @AfterEach
  void close() throws Exception {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    Runnable left = starting.poll();
    while (left != null) {
      left.run();
      left = starting.poll();
    }
    store.close();
  }

  private static Push push(String name, int sizeBytes) {
    byte[] content = new byte[sizeBytes];
    byte[] sum = Checksum.digest().digest(content);
    return Push.of(
        Unpooled.wrappedBuffer(content, sum), RequestHeader.store(name, sizeBytes).encode());
  }

  private Runnable awaitStart() throws InterruptedException {
    Runnable task = starting.poll(20, TimeUnit.SECONDS);
    assertThat(task).as("a file to be made").isNotNull();
    return task;
  }

  private static void assertStored(ChannelFuture push) throws InterruptedException {
    assertThat(push.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(push.cause()).isNull();
  }

  private static void assertRefused(ChannelFuture push, ErrorCode code)
      throws InterruptedException {
    assertThat(push.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(((RtException) push.cause()).code()).isEqualTo(code.code());
  }

  private long parts() throws IOException {
    try (Stream<Path> files = Files.list(root.resolve(".rt-incoming"))) {
      return files.filter(file -> file.toString().endsWith(".part")).count();
    }
  }

  /** All that the store may hold at once can begin: no upload was forgotten without an end. */
  private void assertNoneIsHeld() throws IOException {
    List<Upload> uploads = new ArrayList<>();
    for (int i = 0; i < FileStore.UPLOADS_MAX; i++) {
      uploads.add(store.begin(InetAddress.getLoopbackAddress(), this, StoreName.of("f" + i), 1));
    }
    uploads.forEach(Upload::abandon);
  }

  @Test
  void shouldMakeNoFileOnTheEventLoop() throws Exception {
    for (int size : new int[] {SMALL, LARGE}) {
      ChannelFuture push = client.writeAndFlush(push("f" + size, size));
      Runnable start = awaitStart();
      // The same event loop, and another connection: it goes on while the file is being made.
      RtChannel other = connect(client.remoteAddress());
      for (int i = 0; i < 20; i++) {
        Pull echo = Pull.of(RequestHeader.echo(i).encode(), Long.BYTES);
        assertStored(other.writeAndFlush(echo));
        echo.answer().get().release();
      }
      assertThat(parts()).isZero();
      assertThat(push.isDone()).isFalse();
      start.run();
      assertStored(push);
      assertThat(root.resolve("f" + size)).hasSize(size);
      other.close().sync();
    }
    assertThat(starting).isEmpty();
    assertNoneIsHeld();
  }

  @Test
  void shouldStoreTwoPushesOfOneRequest() throws Exception {
    ChannelFuture first = client.writeAndFlush(push("a", LARGE));
    ChannelFuture second = client.writeAndFlush(push("a", LARGE));
    awaitStart().run();
    assertStored(first);
    awaitStart().run();
    assertStored(second);
    assertNoneIsHeld();
  }

  @Test
  void shouldRefuseWhatTheStoreRefuses() throws Exception {
    Files.createDirectory(root.resolve("taken"));
    ChannelFuture push = client.writeAndFlush(push("taken", LARGE));
    awaitStart().run();
    assertRefused(push, ErrorCode.NOT_A_FILE);
    assertRefused(client.writeAndFlush(push("..", LARGE)), ErrorCode.BAD_NAME);
    assertThat(starting).as("a bad name needs no disk").isEmpty();
    isRefusing = true;
    assertRefused(client.writeAndFlush(push("a", LARGE)), ErrorCode.BUSY);
    assertNoneIsHeld();
  }

  @Test
  void shouldForgetAFileWhosePushWasGivenUpMeanwhile() throws Exception {
    Push given = push("a", LARGE);
    ChannelFuture push = client.writeAndFlush(given);
    Runnable start = awaitStart();
    given.cancel();
    assertThat(push.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(push.cause()).isInstanceOf(RtException.class);
    start.run();
    assertThat(parts()).isEqualTo(1);
    awaitStart().run(); // a second later it is forgotten, beside the event loop too
    assertThat(parts()).isZero();
    assertNoneIsHeld();
    ChannelFuture again = client.writeAndFlush(push("a", LARGE));
    awaitStart().run();
    assertStored(again);
  }

  @Test
  void shouldForgetAFileWhoseConnectionHasEndedMeanwhile() throws Exception {
    client.config().setOption(ChannelOption.SO_LINGER, 0);
    client.writeAndFlush(push("a", LARGE));
    Runnable start = awaitStart();
    client.close().sync();
    start.run();
    awaitStart().run();
    assertThat(parts()).isZero();
    assertNoneIsHeld();
  }

  private static final class Silent implements TargetListener {
    @Override
    public void onStored(String name, long sizeBytes, SocketAddress from) {}

    @Override
    public void onRefused(String what, String why, SocketAddress from) {}

    @Override
    public void onLost(String why, SocketAddress from) {}
  }
}
