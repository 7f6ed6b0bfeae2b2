package io.rtransport.loadgen.rig;

import io.rtransport.loadgen.transceiver.Transceiver;
import io.rtransport.loadgen.transceiver.TransferCounts;
import io.rtransport.loadgen.workload.IntegrityCounts;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Resources that one side used in the measured time, and its receptions. It is marked at the start
 * and at the end, on the client directly and on the server by the control connection. The result is
 * a map that is sent as JSON.
 */
final class SideMeter {
  private record Mark(
      long cpuNs,
      long wakeups,
      long allocatedBytes,
      TransferCounts transfer,
      Map<String, Object> details,
      long lateNs) {
    /**
     * Takes the mark at the start. Reading the counters of connections allocates memory and, one
     * connection at a time, wakes loops. It is done before the measured time begins and after it
     * ends, so it does not count. If busy loops make it take long, the process's resources are
     * counted from before it.
     */
    static Mark start(Transceiver transceiver) throws Exception {
      long atNs = System.nanoTime();
      Mark before = process(null, null, 0);
      Map<String, Object> details = transceiver.details();
      TransferCounts transfer = transceiver.transferCounts();
      long tookNs = System.nanoTime() - atNs;
      return tookNs < LATE_NS
          ? process(transfer, details, 0)
          : new Mark(
              before.cpuNs, before.wakeups, before.allocatedBytes, transfer, details, tookNs);
    }

    private static Mark process(TransferCounts transfer, Map<String, Object> details, long lateNs) {
      long wakeups = ProcessProbe.wakeups();
      return new Mark(
          ProcessProbe.cpuNs(), wakeups, ProcessProbe.allocatedBytes(), transfer, details, lateNs);
    }

    static Mark end(Transceiver transceiver) throws Exception {
      long allocatedBytes = ProcessProbe.allocatedBytes();
      long cpuNs = ProcessProbe.cpuNs();
      long wakeups = ProcessProbe.wakeups();
      return new Mark(cpuNs, wakeups, allocatedBytes, transceiver.transferCounts(), null, 0);
    }
  }

  /** Longer reads of counters are reported. */
  private static final long LATE_NS = 1_000_000_000;

  private final Transceiver transceiver;
  private Mark start;
  private Mark end;

  SideMeter(Transceiver transceiver) {
    this.transceiver = transceiver;
  }

  /** Makes both marks once in the warm-up, so that their code has run before it is measured. */
  void rehearse() throws Exception {
    markStart();
    markEnd();
  }

  void markStart() throws Exception {
    start = Mark.start(transceiver);
  }

  void markEnd() throws Exception {
    end = Mark.end(transceiver);
  }

  /** Returns the messages of the measured time that have arrived so far. */
  long received() throws Exception {
    return transceiver.received().counts().measuredMessages();
  }

  /** Returns the result, after the drain. */
  Map<String, Object> result() throws Exception {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("cpuSeconds", (end.cpuNs - start.cpuNs) / 1e9);
    result.put("countersLateSeconds", start.lateNs / 1e9);
    result.put("wakeups", difference(end.wakeups, start.wakeups));
    result.put("allocatedBytes", end.allocatedBytes - start.allocatedBytes);
    result.put("socketCalls", difference(end.transfer.socketCalls(), start.transfer.socketCalls()));
    result.put(
        "pipelineEvents",
        difference(end.transfer.pipelineEvents(), start.transfer.pipelineEvents()));
    result.put(
        "datagramsSent", difference(end.transfer.datagramsSent(), start.transfer.datagramsSent()));
    result.put(
        "datagramsReceived",
        difference(end.transfer.datagramsReceived(), start.transfer.datagramsReceived()));
    IntegrityCounts received = transceiver.received();
    IntegrityCounts.Counts counts = received.counts();
    result.put("measuredMessages", counts.measuredMessages());
    result.put("measuredBytes", counts.measuredBytes());
    result.put("duplicated", counts.duplicated());
    result.put("corrupted", counts.corrupted());
    result.put("outOfOrder", counts.outOfOrder());
    result.put("receiveGapNsMax", received.gapNsMax());
    result.put("details", sinceStart(transceiver.details()));
    result.put("directBytes", ProcessProbe.directBytes());
    result.put("heapUsedBytes", ProcessProbe.heapUsedBytes());
    return result;
  }

  /**
   * Counts resends, the sender's limits and what queues count from the start of the measured time
   * to the end of the drain. All other details stay unchanged.
   */
  private Map<String, Object> sinceStart(Map<String, Object> details) {
    Map<String, Object> since = new LinkedHashMap<>(details);
    since.replaceAll(
        (key, value) ->
            isCounted(key)
                    && value instanceof Long count
                    && start.details.get(key) instanceof Long at
                ? (Object) (count - at)
                : value);
    return since;
  }

  private static boolean isCounted(String key) {
    return key.startsWith("retransmits.")
        || key.startsWith("limited.")
        || key.startsWith("queue.")
        || key.equals("spuriousRetransmits");
  }

  /** Returns the difference, or null where one of the two is unknown. */
  private static Long difference(long end, long start) {
    return end < 0 || start < 0 ? null : end - start;
  }
}
