package io.rtransport.loadgen.report;

import io.rtransport.loadgen.rig.RunOutcome;
import io.rtransport.loadgen.transceiver.QueueSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The report's part about RT's queues: how their consumers were woken. The counts are those of
 * {@code RtQueueCounter}, from the start of the measured time to the end of the drain. Stateless.
 */
final class QueueReport {
  private static final double MICRO_NS = 1e3;

  private static final List<String> COUNTS =
      List.of("wakeUps", "interruptsDue", "suppressed", "refused");

  private QueueReport() {}

  /** Returns the counts of both sides; null where RT was not used through queues. */
  static Map<String, Object> of(RunOutcome outcome) {
    QueueSettings settings = outcome.options().settings().queue();
    if (settings == null) {
      return null;
    }
    Map<String, Object> queue = new LinkedHashMap<>();
    queue.put("delayMicros", settings.isSelfTuning() ? null : settings.delayNs() / MICRO_NS);
    queue.put("selfTuning", settings.isSelfTuning());
    queue.put("wakeAtOnce", settings.wakeAtOnce());
    for (String count : COUNTS) {
      Map<String, Object> pair = new LinkedHashMap<>();
      pair.put("client", detail(outcome.client(), count));
      pair.put("server", detail(outcome.server(), count));
      queue.put(count, pair);
    }
    return queue;
  }

  private static Object detail(Map<String, Object> side, String count) {
    return side.get("details") instanceof Map<?, ?> details ? details.get("queue." + count) : null;
  }
}
