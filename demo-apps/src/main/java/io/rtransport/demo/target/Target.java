package io.rtransport.demo.target;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.core.adp.RoceAcclRegister;
import io.rtransport.core.stats.CounterId;
import io.rtransport.demo.socket.EventLoops;
import io.rtransport.demo.store.FileStore;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelOption;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.RtNode;
import io.rtransport.netty.RtServerChannel;
import io.rtransport.netty.control.AdpSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A running target: server channels on its addresses, one or several event loops, two threads that
 * read and force files, one that makes them. Open it, close it; any thread.
 */
public final class Target implements AutoCloseable {
  private static final int DISK_THREADS = 2;
  private static final int DISK_QUEUE_MAX = 4_096;
  private static final int OPEN_FILES_MAX = 256;
  private static final long MESSAGE_LENGTH_MAX = 0xFFFF_FFFFL;

  /** As which the profile that it was started with stands in the register. */
  private static final int PROFILE_ID = 1;

  private static final long SHUTDOWN_SECONDS = 3;

  private final EventLoopGroup group;
  private final ThreadPoolExecutor disk;
  private final ThreadPoolExecutor starting;

  /** No more than the store's places wait here, so its queue needs no bound. */
  private final ThreadPoolExecutor cleaning =
      new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());

  private final Map<CounterId, Long> ended = new EnumMap<>(CounterId.class);
  private final List<RtServerChannel> servers = new ArrayList<>();
  private volatile Map<CounterId, Long> loopCounters = Map.of();
  private final ChannelGroup children = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE);

  private Target(EventLoopGroup group) {
    this.group = group;
    disk = executor(DISK_THREADS);
    starting = executor(1);
  }

  private static ThreadPoolExecutor executor(int threads) {
    return new ThreadPoolExecutor(
        threads, threads, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(DISK_QUEUE_MAX));
  }

  /**
   * Binds the addresses, resolved ones, and begins to answer.
   *
   * @param loops which event loops it makes, each behind each address
   * @param settings their profile goes into the register of the node, where it can be set anew
   * @throws IOException if an address cannot be bound; nothing stays behind then
   */
  public static Target open(
      List<InetSocketAddress> addresses,
      EventLoops loops,
      AdpSettings settings,
      FileStore store,
      TargetListener listener)
      throws IOException {
    Target target = new Target(loops.open());
    if (settings.selection() != null) {
      target.register().set(RoceAcclRegister.encode(settings.selection(), PROFILE_ID));
    }
    Semaphore openFiles = new Semaphore(OPEN_FILES_MAX);
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(target.group)
            .channelFactory(RtChannels.server(loops.kind()::newSocket))
            .option(RtChannelOption.MESSAGE_LENGTH_MAX, MESSAGE_LENGTH_MAX)
            .option(RtChannelOption.PATH_MTU_DISCOVERY, true)
            .option(RtChannelOption.PROFILE_PARAMETERS, settings.parameters())
            .option(RtChannelOption.RECEIVE_LOOPS, loops.count())
            .childOption(
                ChannelOption.SO_LINGER, (int) SHUTDOWN_SECONDS) // close() waits for its drain
            .childOption(RtChannelOption.ACKNOWLEDGE, RtChannelOption.Acknowledge.EXPLICIT)
            .childHandler(
                new ChannelInitializer<RtChannel>() {
                  @Override
                  protected void initChannel(RtChannel channel) {
                    TargetHandler handler =
                        new TargetHandler(
                            store,
                            target.disk,
                            target.starting,
                            target.cleaning,
                            openFiles,
                            listener);
                    channel.config().setOption(RtChannelOption.PAYLOAD_SINKS, handler);
                    channel.pipeline().addLast(handler);
                    target.children.add(channel);
                    channel.closeFuture().addListener(closed -> target.onEnded(channel));
                  }
                });
    for (InetSocketAddress address : addresses) {
      var bound = bootstrap.bind(address).awaitUninterruptibly();
      if (!bound.isSuccess()) {
        target.close();
        throw new IOException(bound.cause().getMessage(), bound.cause());
      }
      target.servers.add((RtServerChannel) bound.channel());
    }
    return target;
  }

  /** What its connections take. */
  public NodeRegister register() {
    return RtNode.register(group);
  }

  /** Where it listens, with the ports that the system picked. */
  public List<InetSocketAddress> addresses() {
    return servers.stream().map(RtServerChannel::localAddress).toList();
  }

  /** On the channel's event loop. */
  private void onEnded(RtChannel channel) {
    synchronized (ended) {
      channel.stats().getNow().counters().forEach((id, count) -> ended.merge(id, count, Long::sum));
    }
  }

  /** What the connections that have ended counted, together; zeros left out. */
  public Map<CounterId, Long> counters() {
    synchronized (ended) {
      return new EnumMap<>(ended);
    }
  }

  /**
   * What the event loops have counted, together: for all connections, and for packets that belong
   * to none. Zeros left out. Once closed, what they had counted then.
   */
  public Map<CounterId, Long> loopCounters() {
    if (!servers.isEmpty() && !group.isShuttingDown()) {
      // Each address is served by all loops, so that the first knows them all.
      loopCounters = servers.get(0).loopCounters().awaitUninterruptibly().getNow();
    }
    return loopCounters;
  }

  /** Stops listening, closes the connections, and lets the disk finish what it has begun. */
  @Override
  public void close() {
    servers.forEach(
        server -> server.close().awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS));
    children.close().awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    loopCounters();
    group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    end(starting);
    end(cleaning);
    end(disk);
  }

  private static void end(ThreadPoolExecutor executor) {
    executor.shutdown();
    try {
      if (!executor.awaitTermination(SHUTDOWN_SECONDS, TimeUnit.SECONDS)) {
        executor.shutdownNow();
      }
    } catch (InterruptedException e) {
      executor.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
