package io.rtransport.demo.showcase;

import io.rtransport.core.stats.CounterId;
import io.rtransport.demo.terminal.LatencySummary;
import io.rtransport.demo.terminal.Units;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Results of the demo. {@link Showcase} fills it step by step, so that an interrupted demo shows
 * the results so far.
 */
public final class ShowcaseResult {
  private final List<File> files = new ArrayList<>();
  private final LatencySummary latency = new LatencySummary();
  private final Map<CounterId, Long> counters = new java.util.EnumMap<>(CounterId.class);
  private final int expectedFiles;
  private final int railCount;
  private RailKill kill;
  private String problem;
  private Long initiatorPid;
  private Long targetPid;
  private long datagramsDropped;
  private long elapsedNs;
  private long bytesMoved;
  private Long initiatorRssBytes;
  private Long targetRssBytes;
  private Map<String, Long> queue;

  ShowcaseResult(int expectedFiles, int railCount) {
    this.expectedFiles = expectedFiles;
    this.railCount = railCount;
  }

  /**
   * One file. Its sums are lower-case hexadecimal, or null; {@code reason} is null after success.
   */
  public record File(
      String name,
      long sizeBytes,
      String sha256Sent,
      String sha256Stored,
      String sha256Pulled,
      boolean isSolicited,
      String reason) {
    boolean isVerified() {
      return sha256Sent != null
          && sha256Sent.equals(sha256Stored)
          && sha256Sent.equals(sha256Pulled);
    }
  }

  void add(File file) {
    files.add(file);
  }

  LatencySummary latency() {
    return latency;
  }

  void count(CounterId id, long count) {
    counters.merge(id, count, Long::sum);
  }

  void processes(long initiator, long target) {
    initiatorPid = initiator;
    targetPid = target;
  }

  void peakRss(Long initiator, Long target) {
    initiatorRssBytes = initiator;
    targetRssBytes = target;
  }

  /** Sets the kill of a rail; null: there is none. */
  void kill(RailKill ofRail) {
    kill = ofRail;
  }

  /** Sets what the initiator's queues have counted. */
  void queue(Map<String, Long> counts) {
    queue = counts;
  }

  void dropped(long datagrams) {
    datagramsDropped = datagrams;
  }

  void moved(long bytes, long ns) {
    bytesMoved = bytes;
    elapsedNs = ns;
  }

  boolean isMoved() {
    return elapsedNs > 0;
  }

  /** Sets why the demo could not continue. The first call counts. */
  void problem(String text) {
    problem = problem == null ? text : problem;
  }

  /** Returns whether every file arrived, is on the target's disk and came back, byte for byte. */
  public boolean isVerified() {
    return problem == null
        && files.size() == expectedFiles
        && files.stream().allMatch(File::isVerified);
  }

  public List<File> files() {
    return files;
  }

  private long count(CounterId id) {
    return counters.getOrDefault(id, 0L);
  }

  /** Returns the figures, for people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            "%s moved in %s, %s; datagrams: %d sent, %d thrown away",
            Units.bytes(bytesMoved),
            Units.seconds(elapsedNs),
            Units.rate(bytesMoved, elapsedNs),
            count(CounterId.DATAGRAMS_SENT),
            datagramsDropped));
    lines.add(
        String.format(
            "resent: %d early, %d by probe, %d by timeout",
            count(CounterId.RETRANSMITS_EARLY),
            count(CounterId.RETRANSMITS_PROBE),
            count(CounterId.RETRANSMITS_TIMEOUT)));
    if (railCount > 1) {
      lines.add(
          String.format(
              "%d rails: %d paths opened beside the first, by both sides; %d packets moved",
              railCount, count(CounterId.PATHS_OPENED), count(CounterId.RETRANSMITS_MOVED)));
    }
    if (kill != null) {
      lines.add(kill.line(count(CounterId.RETRANSMITS_MOVED)));
    }
    if (queue != null) {
      lines.add(
          String.format(
              "queues: %d posted, %d refused for want of room; consumer woken %d times, %d interrupts due, %d suppressed",
              queue.get("posted"),
              queue.get("refused"),
              queue.get("wakeUps"),
              queue.get("interruptsDue"),
              queue.get("suppressed")));
    }
    if (latency.count() > 0) {
      lines.add(latency.count() + " small round trips, min/avg/max/mdev = " + latency.asPing());
    }
    if (problem != null) {
      lines.add("it could not go on: " + problem);
    }
    return lines;
  }

  /** Returns the figures, for scripts: a stable contract. */
  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("verified", isVerified());
    json.put("initiatorPid", initiatorPid);
    json.put("targetPid", targetPid);
    json.put("files", files.stream().map(ShowcaseResult::json).toList());
    json.put("rails", railCount);
    json.put("pathsOpened", count(CounterId.PATHS_OPENED));
    json.put("datagramsSent", count(CounterId.DATAGRAMS_SENT));
    json.put("datagramsDropped", datagramsDropped);
    Map<String, Object> retransmits = new LinkedHashMap<>();
    retransmits.put("early", count(CounterId.RETRANSMITS_EARLY));
    retransmits.put("probe", count(CounterId.RETRANSMITS_PROBE));
    retransmits.put("timeout", count(CounterId.RETRANSMITS_TIMEOUT));
    retransmits.put("moved", count(CounterId.RETRANSMITS_MOVED));
    json.put("retransmits", retransmits);
    json.put("kill", kill == null ? null : kill.json(count(CounterId.RETRANSMITS_MOVED)));
    json.put("api", queue == null ? "channel" : "queue");
    json.put("queue", queue);
    json.put("seconds", elapsedNs / 1e9);
    json.put("latencyMicros", latency.micros());
    Map<String, Object> peakRssBytes = new LinkedHashMap<>();
    peakRssBytes.put("initiator", initiatorRssBytes);
    peakRssBytes.put("target", targetRssBytes);
    json.put("peakRssBytes", peakRssBytes);
    json.put("problem", problem);
    return json;
  }

  private static Map<String, Object> json(File file) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", file.name());
    json.put("bytes", file.sizeBytes());
    json.put("sha256Sent", file.sha256Sent());
    json.put("sha256Stored", file.sha256Stored());
    json.put("sha256Pulled", file.sha256Pulled());
    json.put("solicited", file.isSolicited());
    return json;
  }
}
