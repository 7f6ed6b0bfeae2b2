package io.rtransport.loadgen.transceiver;

import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelStats;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** The channels of one side with what they count themselves, each read on its event loop. Any thread. */
final class RtChannelCounts {
  private final Queue<RtChannel> channels = new ConcurrentLinkedQueue<>();
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private volatile boolean portsShared;

  /** A channel with a socket of its own. */
  void addConnected(RtChannel channel) {
    channels.add(channel);
    open.add(channel);
  }

  /** A channel whose socket is shared by all of its event loop. */
  void addSharing(RtChannel channel) {
    portsShared = true;
    addConnected(channel);
  }

  private static RtChannelStats stats(RtChannel channel) throws Exception {
    return channel.stats().get();
  }

  TransferCounts transferCounts() throws Exception {
    long events = 0;
    long sent = 0;
    long received = 0;
    Map<Object, Long> callsByPort = new HashMap<>();
    for (RtChannel channel : channels) {
      RtChannelStats stats = stats(channel);
      events += stats.pipelineEvents();
      sent += stats.counters().getOrDefault(CounterId.DATAGRAMS_SENT, 0L);
      received += stats.counters().getOrDefault(CounterId.DATAGRAMS_RECEIVED, 0L);
      callsByPort.merge(
          portsShared ? channel.eventLoop() : channel, stats.socketCalls(), Math::max);
    }
    long calls = callsByPort.values().stream().mapToLong(Long::longValue).sum();
    return new TransferCounts(calls, sent, received, events);
  }

  Map<String, Object> details(boolean gso) throws Exception {
    Map<CounterId, Long> sums = new HashMap<>();
    Object mtu = null;
    for (RtChannel channel : channels) {
      RtChannelStats stats = stats(channel);
      stats.counters().forEach((id, count) -> sums.merge(id, count, Long::sum));
      int bytes = stats.datagramLengthBytes();
      mtu = bytes == 0 ? mtu : (Object) bytes;
    }
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("mtu", mtu);
    details.put("gso", gso);
    details.put("retransmits.early", sums.getOrDefault(CounterId.RETRANSMITS_EARLY, 0L));
    details.put("retransmits.probe", sums.getOrDefault(CounterId.RETRANSMITS_PROBE, 0L));
    details.put("retransmits.timeout", sums.getOrDefault(CounterId.RETRANSMITS_TIMEOUT, 0L));
    details.put("retransmits.moved", sums.getOrDefault(CounterId.RETRANSMITS_MOVED, 0L));
    details.put("spuriousRetransmits", sums.getOrDefault(CounterId.RETRANSMITS_SPURIOUS, 0L));
    Map<String, Object> counters = new LinkedHashMap<>();
    for (CounterId id : CounterId.values()) {
      if (sums.containsKey(id)) {
        counters.put(id.name(), sums.get(id));
      }
    }
    details.put("counters", counters);
    return details;
  }

  void close() {
    open.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
  }
}
