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
import io.rtransport.netty.RtServerChannel;
import io.rtransport.netty.control.AdpSettings;
import io.rtransport.netty.node.RtNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A running target: server channels on its addresses, one or several event loops, two threads that
 * read and force files, one that creates them. Open it, close it; any thread.
 */
public final class FileTarget implements AutoCloseable {
  private static final int DISK_THREADS = 2;
  private static final int DISK_QUEUE_MAX = 4_096;
  private static final int OPEN_FILES_MAX = 256;
  private static final long MESSAGE_LENGTH_MAX = 0xFFFF_FFFFL;

  /** Id in the register of the profile that it was started with. */
  private static final int PROFILE_ID = 1;

  private static final long SHUTDOWN_SECONDS = 3;

  /** Addresses of one server channel. */
  private static final int TOGETHER_MAX = 8;

  private final EventLoopGroup group;
  private final ThreadPoolExecutor disk;
  private final ThreadPoolExecutor starting;

  /** At most the store's places wait here, so the queue needs no limit. */
  private final ThreadPoolExecutor cleaning =
      new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());

  private final Map<CounterId, Long> ended = new EnumMap<>(CounterId.class);
  private final List<RtServerChannel> servers = new ArrayList<>();
  private List<InetSocketAddress> addresses = List.of();
  private volatile Map<CounterId, Long> loopCounters = Map.of();
  private final ChannelGroup children = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE);

  private FileTarget(EventLoopGroup group) {
    this.group = group;
    disk = executor(DISK_THREADS);
    starting = executor(1);
  }

  private static ThreadPoolExecutor executor(int threads) {
    return new ThreadPoolExecutor(
        threads, threads, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(DISK_QUEUE_MAX));
  }

  /**
   * Binds the resolved addresses, and begins to answer. Clients are told the concrete addresses of
   * one family, and use them as one; if there are more than eight, they are told none.
   *
   * @param loops the event loops to create, each behind each address
   * @param settings their profile goes into the register of the node, which can be set later
   * @throws IOException if an address cannot be bound; then nothing is left open
   */
  public static FileTarget open(
      List<InetSocketAddress> addresses,
      EventLoops loops,
      AdpSettings settings,
      FileStore store,
      TargetListener listener)
      throws IOException {
    FileTarget target = new FileTarget(loops.open());
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
    List<Object> keys = addresses.stream().map(address -> keyOf(address, addresses)).toList();
    Map<Object, List<InetSocketAddress>> groups = new LinkedHashMap<>();
    for (int i = 0; i < addresses.size(); i++) {
      groups.computeIfAbsent(keys.get(i), any -> new ArrayList<>()).add(addresses.get(i));
    }
    Map<Object, Iterator<InetSocketAddress>> bound = new HashMap<>();
    for (var each : groups.entrySet()) {
      List<InetSocketAddress> together = each.getValue();
      bootstrap.option(RtChannelOption.LISTEN, together.subList(1, together.size()));
      var binding = bootstrap.bind(together.get(0)).awaitUninterruptibly();
      if (!binding.isSuccess()) {
        target.close();
        throw new IOException(binding.cause().getMessage(), binding.cause());
      }
      RtServerChannel server = (RtServerChannel) binding.channel();
      target.servers.add(server);
      bound.put(each.getKey(), server.localAddresses().iterator());
    }
    target.addresses = keys.stream().map(key -> bound.get(key).next()).toList();
    return target;
  }

  /**
   * Returns an object that those addresses share which one server channel listens at: the concrete
   * ones of a family, if it takes so many. Others have one each.
   */
  private static Object keyOf(InetSocketAddress address, List<InetSocketAddress> all) {
    Class<?> family = address.getAddress().getClass();
    List<InetSocketAddress> concrete =
        all.stream()
            .filter(each -> each.getAddress().getClass() == family)
            .filter(each -> !each.getAddress().isAnyLocalAddress())
            .toList();
    boolean isAlone = address.getAddress().isAnyLocalAddress() || concrete.size() > TOGETHER_MAX;
    return isAlone ? new Object() : family;
  }

  /** Returns the register that its connections use. */
  public NodeRegister register() {
    return RtNode.register(group);
  }

  /** Returns the addresses on which it listens, with the ports that the system chose. */
  public List<InetSocketAddress> addresses() {
    return addresses;
  }

  /** Adds the counters of an ended connection. Called on the channel's event loop. */
  private void onEnded(RtChannel channel) {
    synchronized (ended) {
      channel.stats().getNow().counters().forEach((id, count) -> ended.merge(id, count, Long::sum));
    }
  }

  /** Returns the sums of the counters of ended connections, without zeros. */
  public Map<CounterId, Long> counters() {
    synchronized (ended) {
      return new EnumMap<>(ended);
    }
  }

  /**
   * Returns the sums of the event loops' counters, without zeros: for all connections, and for
   * packets that belong to none. After the close, returns the counts at that time.
   */
  public Map<CounterId, Long> loopCounters() {
    if (!servers.isEmpty() && !group.isShuttingDown()) {
      // All loops serve each address, so the first knows them all.
      loopCounters = servers.get(0).loopCounters().awaitUninterruptibly().getNow();
    }
    return loopCounters;
  }

  /** Stops listening, closes the connections, and lets the disk finish the work it has begun. */
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
