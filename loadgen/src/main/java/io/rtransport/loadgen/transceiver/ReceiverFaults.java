package io.rtransport.loadgen.transceiver;

import io.rtransport.loadgen.impair.Impairment;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Faults of the packets that one side's channels receive, and their counts for the report. Each
 * channel has its own faults. They are drawn from the run's seed, the order of the channels and, so
 * that both sides differ, the side. Any thread.
 */
final class ReceiverFaults {
  /** Step between the seeds of neighbours. */
  private static final long STEP = 0x9E37_79B9_7F4A_7C15L;

  private record Impaired(RtChannel channel, FaultInjectionHandler handler) {}

  private final Faults faults;
  private final long seed;
  private final List<Impaired> impaired = new CopyOnWriteArrayList<>();
  private int channels;

  ReceiverFaults(Impairment impairment, long seed) {
    this.seed = seed;
    faults =
        new Faults(
            impairment.loss(),
            impairment.duplicate(),
            impairment.reorder(),
            impairment.corrupt(),
            impairment.delayNs(),
            impairment.jitterNs());
  }

  void addTo(RtChannel channel) {
    FaultInjectionHandler handler =
        new FaultInjectionHandler(faults, Faults.NONE, nextSeed(channel.parent() != null));
    impaired.add(new Impaired(channel, handler.addTo(channel)));
  }

  /** Returns the next seed. Every channel of a run has another. */
  synchronized long nextSeed(boolean isServer) {
    long number = 2L * channels++ + (isServer ? 1 : 0);
    return new SplittableRandom(seed + number * STEP).nextLong();
  }

  /** Returns the faults of datagrams, under the proxy's keys. Not to be called on an event loop. */
  Map<String, Object> counts() throws Exception {
    long[] sums = new long[5];
    for (Impaired each : impaired) {
      FaultInjectionHandler handler = each.handler;
      each.channel
          .eventLoop()
          .submit(
              () -> {
                sums[0] += handler.packetCount();
                sums[1] += handler.lostCount();
                sums[2] += handler.duplicatedCount();
                sums[3] += handler.corruptedCount();
                sums[4] += handler.reorderedCount();
              })
          .get();
    }
    Map<String, Object> counts = new LinkedHashMap<>();
    counts.put("datagrams", sums[0]);
    counts.put("dropped", sums[1]);
    counts.put("queueDropped", 0L);
    counts.put("duplicated", sums[2]);
    counts.put("corrupted", sums[3]);
    counts.put("reordered", sums[4]);
    return counts;
  }
}
