package io.rtransport.demo.showcase;

import io.rtransport.core.stats.CounterId;
import io.rtransport.demo.initiator.PushedFile;
import io.rtransport.netty.handler.FaultInjectionHandler;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * Makes the second rail dark, both ways, while the largest file is pulled: from its half on, until
 * it is whole. The transport is not told. Measures the longest pause of the bytes that are written
 * here, before and from then on, whether this side noticed, and how soon the rail takes packets
 * again. Thread-safe.
 */
final class RailKill {
  /** Shortest file with a half to speak of. */
  static final long FILE_BYTES_MIN = 1 << 20;

  /** The rail, and the index of its path: the first one that the initiator opens. */
  private static final int RAIL = 1;

  private static final long RETURN_NS_MAX = TimeUnit.SECONDS.toNanos(3);

  private final FaultInjectionHandler fault;
  private final Supplier<Map<CounterId, Long>> counters;
  private final PushedFile file;
  private long bytes;
  private long lastNs;
  private long pauseNsBefore;
  private long pauseNsAfter;
  private long darkFromNs;
  private long darkUntilNs;
  private long returnedNs;
  private long suspectedBefore;
  private boolean isDark;

  /** Whether this side suspected a path from the pull on; null: not known. */
  private Boolean isNoticed;

  private RailKill(
      FaultInjectionHandler fault, Supplier<Map<CounterId, Long>> counters, PushedFile file) {
    this.fault = fault;
    this.counters = counters;
    this.file = file;
  }

  /**
   * Returns the kill; null if no file is long enough.
   *
   * @param counters reads those of this side's connection; null: they cannot be read
   */
  static RailKill of(
      FaultInjectionHandler fault,
      Supplier<Map<CounterId, Long>> counters,
      List<PushedFile> pushed) {
    PushedFile largest = null;
    for (PushedFile each : pushed) {
      boolean isLong = each.isDone() && each.sizeBytes() >= FILE_BYTES_MIN;
      if (isLong && (largest == null || each.sizeBytes() > largest.sizeBytes())) {
        largest = each;
      }
    }
    return largest == null ? null : new RailKill(fault, counters, largest);
  }

  /** Returns what is called with the bytes of a file that is about to be pulled. */
  synchronized LongConsumer watch(PushedFile pulled, LongConsumer onBytes) {
    if (pulled != file) {
      return onBytes;
    }
    Map<CounterId, Long> counts = counters.get();
    suspectedBefore = counts == null ? 0 : suspected(counts);
    return onBytes.andThen(this::onWritten);
  }

  private synchronized void onWritten(long more) {
    long nowNs = System.nanoTime();
    if (bytes > 0 && darkFromNs == 0) {
      pauseNsBefore = Math.max(pauseNsBefore, nowNs - lastNs);
    } else if (bytes > 0) {
      pauseNsAfter = Math.max(pauseNsAfter, nowNs - lastNs);
    }
    lastNs = nowNs;
    bytes += more;
    if (darkFromNs == 0 && bytes >= file.sizeBytes() / 2) {
      darkFromNs = nowNs;
      isDark = true;
      fault.darkPaths(1 << RAIL);
    }
  }

  /** Makes the rail light again after the pull of its file, whether that went well or not. */
  synchronized void onPulled(PushedFile pulled) {
    if (pulled == file && isDark) {
      isDark = false;
      fault.darkPaths(0);
      darkUntilNs = System.nanoTime();
      look(counters.get());
    }
  }

  private static long suspected(Map<CounterId, Long> counts) {
    return counts.getOrDefault(CounterId.PATHS_SUSPECTED, 0L);
  }

  private void look(Map<CounterId, Long> counts) {
    isNoticed = counts == null ? isNoticed : Boolean.valueOf(suspected(counts) > suspectedBefore);
  }

  /** Returns whether more round trips may show that the rail takes packets again. */
  synchronized boolean awaitsReturn() {
    long nowNs = System.nanoTime();
    if (darkUntilNs == 0 || returnedNs != 0 || nowNs - darkUntilNs > RETURN_NS_MAX) {
      return false;
    }
    Map<CounterId, Long> counts = counters.get();
    look(counts);
    if (counts == null || !isNoticed) {
      return false;
    }
    // The first answer of a path that was opened counts as a return too.
    long expected = counts.getOrDefault(CounterId.PATHS_OPENED, 0L) + suspected(counts);
    if (counts.getOrDefault(CounterId.PATHS_RETURNED, 0L) < expected) {
      return true;
    }
    returnedNs = System.nanoTime();
    return false;
  }

  /** Returns the figures for people. */
  synchronized String line(long moved) {
    if (darkFromNs == 0) {
      return "no rail was killed: the pull of " + file.name() + " did not come to its half";
    }
    return String.format(
        Locale.ROOT,
        "rail %d was dark for %s while %s was pulled: longest pause %s (before: %s), %d datagrams"
            + " lost there, %d packets moved by both sides; %s",
        RAIL,
        millis(darkUntilNs - darkFromNs),
        file.name(),
        millis(pauseNsAfter),
        millis(pauseNsBefore),
        fault.darkCount(),
        moved,
        outcome());
  }

  private String outcome() {
    if (Boolean.FALSE.equals(isNoticed)) {
      return "THE KILL WAS NOT NOTICED: this side suspected no path";
    }
    return returnedNs == 0
        ? "not seen to come back"
        : "back " + millis(returnedNs - darkUntilNs) + " later";
  }

  private static String millis(long ns) {
    return String.format(Locale.ROOT, "%.1f ms", ns / 1e6);
  }

  /** Returns the figures for scripts; null if no rail was killed. */
  synchronized Map<String, Object> json(long moved) {
    if (darkFromNs == 0) {
      return null;
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("rail", RAIL);
    json.put("file", file.name());
    json.put("darkMillis", (darkUntilNs - darkFromNs) / 1e6);
    Map<String, Object> gapMillis = new LinkedHashMap<>();
    gapMillis.put("before", pauseNsBefore / 1e6);
    gapMillis.put("after", pauseNsAfter / 1e6);
    json.put("gapMillis", gapMillis);
    json.put("datagramsLost", fault.darkCount());
    json.put("moved", moved);
    json.put("noticed", isNoticed);
    json.put("returnedMillis", returnedNs == 0 ? null : (returnedNs - darkUntilNs) / 1e6);
    return json;
  }
}
