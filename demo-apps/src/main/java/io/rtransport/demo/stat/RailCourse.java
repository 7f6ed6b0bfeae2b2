package io.rtransport.demo.stat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Shares of rails between two readings of a node. A single reading has shares since the paths were
 * opened, which say little about now. Used by one thread.
 */
public final class RailCourse {
  private Map<String, Long> bytesBefore;
  private long totalBefore;
  private long readNs;

  /**
   * Returns the reading with {@code intervalSeconds}, and with the shares of the traffic since the
   * reading before. The first reading keeps its own shares, and its interval is null. Without any
   * traffic a share is null.
   */
  public NodeState next(NodeState reading, long nowNs) {
    Map<String, Long> bytesNow = new HashMap<>();
    reading.list("rails").forEach(rail -> bytesNow.put(key(rail), bytes(rail)));
    long totalNow = bytes(reading.object("total"));
    NodeState result = reading.with("intervalSeconds", null);
    if (bytesBefore != null) {
      List<Object> rails = new ArrayList<>();
      for (NodeState rail : reading.list("rails")) {
        long bytes = bytes(rail) - bytesBefore.getOrDefault(key(rail), 0L);
        rails.add(rail.with("share", share(bytes, totalNow - totalBefore)).json());
      }
      result = reading.with("rails", rails).with("intervalSeconds", (nowNs - readNs) / 1e9);
    }
    bytesBefore = bytesNow;
    totalBefore = totalNow;
    readNs = nowNs;
    return result;
  }

  /** Counts fall where connections have ended: then nothing is known. */
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
