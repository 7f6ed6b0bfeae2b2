import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelStats;
import io.rtransport.netty.RtChannels;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The program that {@code Entered} debugs. A client pushes messages of 64 bytes to a server over
 * loopback, in rounds. Client and server have an event loop each, of one thread. A round that is
 * counted begins and ends when nothing is on its way. The debugger stops at {@link #begin} and
 * {@link #end}. It knows {@link #write}, {@link #flush}, {@link #take}, {@link #completed} and
 * {@link #ask} by their names.
 *
 * <p>Arguments: pushes a round; their promise, {@code own} or {@code void}; rounds of warm-up;
 * rounds between {@code begin} and {@code end}.
 */
public final class OnePush {
  private static final int LENGTH_BYTES = 64;
  private static final long ROUND_NS_MAX = TimeUnit.SECONDS.toNanos(20);
  private static final long BETWEEN_QUESTIONS_NS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final Semaphore TAKEN = new Semaphore(0);

  private final RtChannel client;
  private final RtChannel child;
  private final int pushes;
  private final boolean isVoid;
  private long written;

  private OnePush(RtChannel client, RtChannel child, int pushes, boolean isVoid) {
    this.client = client;
    this.child = child;
    this.pushes = pushes;
    this.isVoid = isVoid;
  }

  public static void main(String[] args) throws Exception {
    EventLoopGroup clients = loop("client");
    EventLoopGroup servers = loop("server");
    CompletableFuture<RtChannel> accepted = new CompletableFuture<>();
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    var server =
        new ServerBootstrap()
            .group(servers)
            .channelFactory(RtChannels.server(NioDatagramChannel::new))
            .childHandler(new Taker(accepted))
            .bind(address)
            .sync()
            .channel();
    var client =
        new Bootstrap()
            .group(clients)
            .channelFactory(RtChannels.client(NioDatagramChannel::new))
            .handler(new ChannelInboundHandlerAdapter())
            .connect(server.localAddress())
            .sync()
            .channel();
    RtChannel child = accepted.get(20, TimeUnit.SECONDS);
    boolean isVoid = args[1].equals("void");
    OnePush rounds = new OnePush((RtChannel) client, child, Integer.parseInt(args[0]), isVoid);
    for (int i = Integer.parseInt(args[2]); i > 0; i--) {
      rounds.round();
    }
    for (int i = Integer.parseInt(args[3]); i > 0; i--) {
      rounds.awaitQuiet();
      begin();
      rounds.round();
      rounds.awaitQuiet();
      end();
    }
    client.close().sync();
    server.close().sync();
    clients.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    servers.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
  }

  private static EventLoopGroup loop(String name) {
    return new MultiThreadIoEventLoopGroup(
        1, new DefaultThreadFactory(name), NioIoHandler.newFactory());
  }

  /** A round to be counted begins: nothing is on its way. */
  private static void begin() {}

  /** It has ended: nothing is on its way again. */
  private static void end() {}

  /** Writes and flushes in one task of the client's loop. Waits for handler and promises. */
  private void round() throws Exception {
    List<ChannelFuture> promises =
        client
            .eventLoop()
            .submit(
                () -> {
                  List<ChannelFuture> all = write();
                  flush();
                  return all;
                })
            .get();
    written += pushes;
    if (!TAKEN.tryAcquire(pushes, ROUND_NS_MAX, TimeUnit.NANOSECONDS)) {
      throw new IllegalStateException("the server's handler was not given what was pushed");
    }
    for (ChannelFuture promise : promises) {
      if (!promise.isVoid()) {
        promise.get(ROUND_NS_MAX, TimeUnit.NANOSECONDS);
      }
    }
  }

  private List<ChannelFuture> write() {
    List<ChannelFuture> promises = new ArrayList<>();
    for (int i = 0; i < pushes; i++) {
      ByteBuf message = client.alloc().buffer(LENGTH_BYTES).writeZero(LENGTH_BYTES);
      ChannelPromise promise =
          isVoid ? client.voidPromise() : client.newPromise().addListener(OnePush::completed);
      promises.add(client.write(message, promise));
    }
    return promises;
  }

  private void flush() {
    client.flush();
  }

  /** The application's handler has a message. */
  private static void take(Object message) {
    ReferenceCountUtil.release(message);
    TAKEN.release();
  }

  /** The application at the client hears of the end of a push that has a promise of its own. */
  private static void completed(Future<?> promise) {}

  /**
   * Waits until all pushes have completed, each side has all that the other sent, and neither waits
   * for an acknowledgement: a side that does counts the time as held back by its application.
   */
  private void awaitQuiet() throws Exception {
    long startNs = System.nanoTime();
    long heldNs = -1;
    while (true) {
      RtChannelStats here = stats(client);
      RtChannelStats there = stats(child);
      long heldBeforeNs = heldNs;
      heldNs = heldNs(here) + heldNs(there);
      if (heldNs == heldBeforeNs
          && count(here, CounterId.TRANSACTIONS_COMPLETED) == written
          && hasAll(here, there)
          && hasAll(there, here)) {
        return;
      }
      if (System.nanoTime() - startNs > ROUND_NS_MAX) {
        throw new IllegalStateException("no quiet: " + here + ", " + there);
      }
      LockSupport.parkNanos(BETWEEN_QUESTIONS_NS);
    }
  }

  private static boolean hasAll(RtChannelStats receiver, RtChannelStats sender) {
    return count(receiver, CounterId.PACKETS_NUMBERED_RECEIVED)
            == count(sender, CounterId.PACKETS_NUMBERED_SENT)
        && count(receiver, CounterId.ACKS_RECEIVED) == count(sender, CounterId.ACKS_SENT);
  }

  private static long heldNs(RtChannelStats stats) {
    return stats.heldNs().values().stream().mapToLong(Long::longValue).sum();
  }

  private static long count(RtChannelStats stats, CounterId id) {
    return stats.counters().getOrDefault(id, 0L);
  }

  private static RtChannelStats stats(RtChannel side) throws Exception {
    return side.eventLoop().submit(() -> ask(side)).get();
  }

  /** On the loop of {@code side}. What RT does for this is no part of a push. */
  private static RtChannelStats ask(RtChannel side) {
    return side.stats().getNow();
  }

  private static final class Taker extends ChannelInboundHandlerAdapter {
    private final CompletableFuture<RtChannel> accepted;

    Taker(CompletableFuture<RtChannel> accepted) {
      this.accepted = accepted;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      accepted.complete((RtChannel) context.channel());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      take(message);
    }
  }
}
