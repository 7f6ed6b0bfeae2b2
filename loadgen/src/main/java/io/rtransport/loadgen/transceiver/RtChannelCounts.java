package io.rtransport.loadgen.transceiver;

import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.rtransport.core.stats.Bound;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.PathReport;
import io.rtransport.core.text.HostPort;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelStats;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** Channels of one side with their own counters, each read on its event loop. Any thread. */
final class RtChannelCounts {
  /** Channels read in one task, about 100 µs. */
  private static final int CHANNELS_AT_ONCE = 32;

  /**
   * Prefix of details in nanoseconds, summed over the channels: how long each bound held one back.
   */
  static final String LIMITED = "limited.";

  /** The whole time of these parts. */
  static final String ELAPSED = "elapsed";

  private static final Set<Bound> BOUNDS = EnumSet.complementOf(EnumSet.of(Bound.NONE));

  private final long createdNs = System.nanoTime();
  private final Queue<RtChannel> channels = new ConcurrentLinkedQueue<>();
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private volatile boolean portsShared;

  /** Adds a channel with its own socket. */
  void addConnected(RtChannel channel) {
    channels.add(channel);
    open.add(channel);
  }

  /** Adds a channel whose socket all channels of its event loop share. */
  void addSharing(RtChannel channel) {
    portsShared = true;
    addConnected(channel);
  }

  /**
   * Reads the stats of all channels, a few in each task of their loop, with other tasks between
   * them. So the reads are not visible in the latencies. {@code each} is called by one thread at a
   * time.
   */
  private void forEachStats(BiConsumer<RtChannel, RtChannelStats> each) throws Exception {
    Map<EventLoop, List<RtChannel>> byLoop = new LinkedHashMap<>();
    for (RtChannel channel : channels) {
      byLoop.computeIfAbsent(channel.eventLoop(), loop -> new ArrayList<>()).add(channel);
    }
    for (Map.Entry<EventLoop, List<RtChannel>> entry : byLoop.entrySet()) {
      List<RtChannel> ofLoop = entry.getValue();
      for (int from = 0; from < ofLoop.size(); from += CHANNELS_AT_ONCE) {
        List<RtChannel> part =
            ofLoop.subList(from, Math.min(ofLoop.size(), from + CHANNELS_AT_ONCE));
        read(entry.getKey(), part, each);
      }
    }
  }

  private static void read(
      EventLoop loop, List<RtChannel> part, BiConsumer<RtChannel, RtChannelStats> each)
      throws Exception {
    if (loop.isShuttingDown()) { // takes no tasks; stats handle that
      for (RtChannel channel : part) {
        each.accept(channel, channel.stats().get());
      }
      return;
    }
    loop.submit(() -> part.forEach(channel -> each.accept(channel, channel.stats().getNow())))
        .get();
  }

  TransferCounts transferCounts() throws Exception {
    long[] sums = new long[3];
    Map<Object, Long> callsByPort = new HashMap<>();
    forEachStats(
        (channel, stats) -> {
          sums[0] += stats.pipelineEvents();
          sums[1] += stats.counters().getOrDefault(CounterId.DATAGRAMS_SENT, 0L);
          sums[2] += stats.counters().getOrDefault(CounterId.DATAGRAMS_RECEIVED, 0L);
          callsByPort.merge(
              portsShared ? channel.eventLoop() : channel, stats.socketCalls(), Math::max);
        });
    long calls = callsByPort.values().stream().mapToLong(Long::longValue).sum();
    return new TransferCounts(calls, sums[1], sums[2], sums[0]);
  }

  Map<String, Object> details(boolean gso) throws Exception {
    Map<CounterId, Long> sums = new HashMap<>();
    Map<Bound, Long> heldNs = new EnumMap<>(Bound.class);
    long[] elapsedNs = new long[1];
    int[] mtu = new int[1];
    Map<String, Long> resends = new LinkedHashMap<>();
    forEachStats(
        (channel, stats) -> {
          for (PathReport path : stats.paths()) {
            if (path.resentOn() > 0) { // else a server keeps the address of each client
              resends.merge(name(path.remote()), path.resentOn(), Long::sum);
            }
          }
          stats.counters().forEach((id, count) -> sums.merge(id, count, Long::sum));
          stats.heldNs().forEach((bound, ns) -> heldNs.merge(bound, ns, Long::sum));
          elapsedNs[0] += System.nanoTime() - createdNs;
          mtu[0] = stats.datagramLengthBytes() == 0 ? mtu[0] : stats.datagramLengthBytes();
        });
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("mtu", mtu[0] == 0 ? null : mtu[0]);
    details.put("gso", gso);
    details.put("retransmits.early", sums.getOrDefault(CounterId.RETRANSMITS_EARLY, 0L));
    details.put("retransmits.probe", sums.getOrDefault(CounterId.RETRANSMITS_PROBE, 0L));
    details.put("retransmits.timeout", sums.getOrDefault(CounterId.RETRANSMITS_TIMEOUT, 0L));
    details.put("retransmits.moved", sums.getOrDefault(CounterId.RETRANSMITS_MOVED, 0L));
    details.put("spuriousRetransmits", sums.getOrDefault(CounterId.RETRANSMITS_SPURIOUS, 0L));
    for (Bound bound : BOUNDS) {
      details.put(LIMITED + key(bound), heldNs.getOrDefault(bound, 0L));
    }
    details.put(LIMITED + ELAPSED, elapsedNs[0]);
    Map<String, Object> counters = new LinkedHashMap<>();
    for (CounterId id : CounterId.values()) {
      if (sums.containsKey(id)) {
        counters.put(id.name(), sums.get(id));
      }
    }
    details.put("counters", counters);
    details.put("railResends", resends);
    return details;
  }

  private static String name(InetSocketAddress address) {
    return new HostPort(address.getAddress().getHostAddress(), address.getPort()).toString();
  }

  private static String key(Bound bound) {
    return bound.name().toLowerCase(Locale.ROOT);
  }

  void close() {
    open.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
  }
}
