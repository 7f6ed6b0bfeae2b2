package io.rtransport.demo.stat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Shares of rails between two readings of a node. A single reading has shares since the paths were
 * opened, which say little about now. Used by one thread.
 */
public final class RailShares {
  /** Counters that grow when paths come or go, alone or with their connections. */
  private static final List<String> COMINGS_AND_GOINGS =
      List.of("CONNECTIONS_ESTABLISHED", "CONNECTIONS_CLOSED", "PATHS_OPENED", "PATHS_CLOSED");

  private Map<String, Long> bytesBefore;
  private List<Long> pathsBefore;
  private long totalBefore;
  private long readNs;

  /**
   * Returns the reading with {@code intervalSeconds}, and with the shares of the traffic since the
   * reading before. The first reading keeps its own shares, and its interval is null. A share is
   * null without any traffic, and if paths came or went since then: the counts are those of the
   * open paths.
   */
  public NodeState next(NodeState reading, long nowNs) {
    Map<String, Long> bytesNow = new HashMap<>();
    reading.list("rails").forEach(rail -> bytesNow.put(key(rail), bytes(rail)));
    List<Long> pathsNow = paths(reading);
    long totalNow = bytes(reading.object("total"));
    NodeState result = reading.with("intervalSeconds", null);
    if (bytesBefore != null) {
      long total = pathsNow.equals(pathsBefore) ? totalNow - totalBefore : 0;
      List<Object> rails = new ArrayList<>();
      for (NodeState rail : reading.list("rails")) {
        Long before = bytesBefore.get(key(rail));
        Double share = before == null ? null : share(bytes(rail) - before, total);
        rails.add(rail.with("share", share).json());
      }
      result = reading.with("rails", rails).with("intervalSeconds", (nowNs - readNs) / 1e9);
    }
    bytesBefore = bytesNow;
    pathsBefore = pathsNow;
    totalBefore = totalNow;
    readNs = nowNs;
    return result;
  }

  /** Returns numbers that are others after any path has come or gone, and in another process. */
  private static List<Long> paths(NodeState reading) {
    List<Long> numbers = new ArrayList<>();
    numbers.add(reading.number("pid"));
    numbers.add(reading.object("total").number("pathsOpen"));
    Map<?, ?> counters = (Map<?, ?>) reading.json().get("counters");
    for (String name : COMINGS_AND_GOINGS) {
      numbers.add(counters.get(name) instanceof Number count ? count.longValue() : 0L);
    }
    return numbers;
  }

  private static Double share(long bytes, long total) {
    return bytes < 0 || total <= 0 || bytes > total ? null : (double) bytes / total;
  }

  private static long bytes(NodeState of) {
    return of.number("bytesSent") + of.number("bytesReceived");
  }

  private static String key(NodeState rail) {
    return rail.text("local") + " " + rail.text("peer") + " " + rail.number("number");
  }
}
