package io.rtransport.loadgen.transceiver;

import io.netty.channel.EventLoop;
import io.rtransport.loadgen.workload.IntegrityCounts;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Counters of all connections of one side, each with the event loop that may touch it. Any thread
 * may ask.
 */
final class Ledger {
  private record Entry(WorkCounter counter, EventLoop loop) {}

  private final List<Entry> entries = new CopyOnWriteArrayList<>();

  WorkCounter open(EventLoop loop) {
    WorkCounter counter = new WorkCounter();
    entries.add(new Entry(counter, loop));
    return counter;
  }

  IntegrityCounts received() throws Exception {
    IntegrityCounts sum = new IntegrityCounts();
    for (Entry entry : entries) {
      entry.loop.submit(() -> entry.counter.verifier.addTo(sum)).get();
    }
    return sum;
  }

  TransferCounts transferCounts(boolean datagrams) throws Exception {
    long[] sums = new long[3];
    for (Entry entry : entries) {
      entry
          .loop
          .submit(
              () -> {
                sums[0] += entry.counter.socketCalls;
                sums[1] += entry.counter.datagramsSent;
                sums[2] += entry.counter.datagramsReceived;
              })
          .get();
    }
    long unknown = TransferCounts.UNKNOWN;
    return new TransferCounts(
        sums[0], datagrams ? sums[1] : unknown, datagrams ? sums[2] : unknown, unknown);
  }
}
