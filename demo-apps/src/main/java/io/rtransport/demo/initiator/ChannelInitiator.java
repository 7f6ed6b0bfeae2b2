package io.rtransport.demo.initiator;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.rtransport.core.text.HostPort;
import io.rtransport.demo.protocol.Listing;
import io.rtransport.demo.protocol.RequestHeader;
import io.rtransport.demo.socket.EventLoops;
import io.rtransport.demo.socket.Hosts;
import io.rtransport.demo.transfer.FilePayload;
import io.rtransport.demo.transfer.FileSink;
import io.rtransport.netty.Pull;
import io.rtransport.netty.Push;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelOption;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.RtPayload;
import io.rtransport.netty.RtSink;
import io.rtransport.netty.control.AdpSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** A connection to a target through a channel: files are streamed, of any length. */
public final class ChannelInitiator implements TargetConnection {
  /** Longest set-up over all addresses together. An absent target is then reported within 5 s. */
  private static final long CONNECT_NS_MAX = 4_000_000_000L;

  /**
   * Longest wait of a close for its drain. After that, the shutdown of the event loop closes its
   * sockets immediately.
   */
  private static final long CLOSE_MILLIS_MAX = 3_000;

  private static final long MESSAGE_LENGTH_MAX = 0xFFFF_FFFFL;

  private final EventLoopGroup group;
  private final RtChannel channel;

  private ChannelInitiator(EventLoopGroup group, RtChannel channel) {
    this.group = group;
    this.channel = channel;
  }

  /**
   * Connects to the first address that answers.
   *
   * @param field name of the option that gave the addresses
   * @throws RequestException if none answers, with the reason of the last
   */
  public static ChannelInitiator connect(String field, List<HostPort> targets)
      throws RequestException {
    return connect(field, targets, AdpSettings.NONE);
  }

  /** Connects with a profile and its parameters. */
  public static ChannelInitiator connect(String field, List<HostPort> targets, AdpSettings settings)
      throws RequestException {
    return connect(
        field, targets, EventLoops.one(), channel -> settings.applyTo(channel.config()::setOption));
  }

  /**
   * Connects over given event loops.
   *
   * @param loops the event loops to create
   * @param prepare sees the channel before it connects
   */
  public static ChannelInitiator connect(
      String field, List<HostPort> targets, EventLoops loops, Consumer<RtChannel> prepare)
      throws RequestException {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (HostPort target : targets) {
      addresses.addAll(List.of(Hosts.resolve(field, target)));
    }
    EventLoopGroup group = loops.open();
    int timeoutMillis = (int) (CONNECT_NS_MAX / 1_000_000 / addresses.size());
    Throwable reason = null;
    for (InetSocketAddress address : addresses) {
      ChannelFuture connected =
          new Bootstrap()
              .group(group)
              .channelFactory(RtChannels.client(loops.kind()::newSocket))
              .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
              .option(
                  ChannelOption.SO_LINGER,
                  (int) (CLOSE_MILLIS_MAX / 1_000)) // close() waits for its drain
              .option(RtChannelOption.MESSAGE_LENGTH_MAX, MESSAGE_LENGTH_MAX)
              .option(RtChannelOption.PATH_MTU_DISCOVERY, true)
              .handler(initializer(prepare))
              .connect(address)
              .awaitUninterruptibly();
      if (connected.isSuccess()) {
        return new ChannelInitiator(group, (RtChannel) connected.channel());
      }
      reason = connected.cause();
    }
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    throw RequestException.of(
        "no target answers at "
            + String.join(", ", targets.stream().map(HostPort::toString).toList())
            + ": "
            + reason.getMessage());
  }

  private static ChannelHandler initializer(Consumer<RtChannel> prepare) {
    return new ChannelInitializer<RtChannel>() {
      @Override
      protected void initChannel(RtChannel channel) {
        prepare.accept(channel);
        channel.pipeline().addLast(new Losses());
      }
    };
  }

  /** Returns the target's address. */
  public InetSocketAddress remoteAddress() {
    return channel.remoteAddress();
  }

  @Override
  public RtChannel channel() {
    return channel;
  }

  @Override
  public boolean isOpen() {
    return channel.isActive();
  }

  /**
   * Pushes a file's bytes and their SHA-256, which are the payload. Returns when the target has
   * stored them durably. Takes ownership of the payload.
   */
  public void store(String name, RtPayload payload) throws IOException {
    long sizeBytes = payload.lengthBytes() - RequestHeader.SHA256_LENGTH;
    await(channel.writeAndFlush(new Push(payload, RequestHeader.store(name, sizeBytes).encode())));
  }

  /** Pulls a file's bytes and their SHA-256 into a sink. Returns when all of them have arrived. */
  public void fetch(String name, long sizeBytes, RtSink sink) throws IOException {
    await(
        channel.writeAndFlush(
            Pull.into(
                sink,
                RequestHeader.fetch(name, sizeBytes).encode(),
                sizeBytes + RequestHeader.SHA256_LENGTH)));
  }

  /** Returns the target's files, in the order of their names. Needs memory for all of them. */
  public List<Listing.Entry> list() throws IOException {
    List<Listing.Entry> all = new ArrayList<>();
    String after = "";
    while (true) {
      List<Listing.Entry> page =
          Listing.decode(pull(RequestHeader.list(after), Listing.PAGE_LENGTH_MAX), after);
      if (page == null) {
        throw RequestException.of("the target's listing makes no sense");
      }
      if (page.isEmpty()) {
        return all;
      }
      all.addAll(page);
      after = page.get(page.size() - 1).name();
    }
  }

  @Override
  public byte[] store(String name, FileChannel file, long sizeBytes, LongConsumer onBytes)
      throws IOException {
    FilePayload payload = new FilePayload(file, sizeBytes, onBytes, () -> {});
    store(name, payload);
    return payload.sha256();
  }

  @Override
  public Sums fetch(String name, long sizeBytes, FileChannel file, LongConsumer onBytes)
      throws IOException {
    FileSink sink = new FileSink(file, onBytes);
    fetch(name, sizeBytes, sink);
    return new Sums(sink.sha256(), sink.sha256Sent());
  }

  @Override
  public byte[] pull(RequestHeader header, int lengthBytesMax) throws IOException {
    Pull pull = Pull.of(header.encode(), lengthBytesMax);
    await(channel.writeAndFlush(pull));
    ByteBuf answer = pull.answer().join();
    try {
      return ByteBufUtil.getBytes(answer);
    } finally {
      answer.release();
    }
  }

  private static void await(ChannelFuture end) throws RequestException {
    end.awaitUninterruptibly();
    if (!end.isSuccess()) {
      throw RequestException.of(end.cause());
    }
  }

  @Override
  public void abort() {
    channel.config().setOption(ChannelOption.SO_LINGER, 0);
    channel.close();
  }

  @Override
  public void close() {
    channel.close().awaitUninterruptibly(CLOSE_MILLIS_MAX, TimeUnit.MILLISECONDS);
    group.shutdownGracefully(0, CLOSE_MILLIS_MAX, TimeUnit.MILLISECONDS).awaitUninterruptibly();
  }

  /** Ignores a lost connection: every outstanding request already fails with the reason. */
  private static final class Losses extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
