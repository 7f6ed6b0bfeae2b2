package io.rtransport.loadgen.impair;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Kills and restores rails at their times, and keeps a record of it. Used by one thread. */
public final class RailSchedule {
  private static final double SECOND_NS = 1e9;

  private final EventLoop loop;
  private final List<RailProxy> rails;
  private final List<RailEvent> events;
  private final List<Future<?>> planned = new ArrayList<>();

  /** What has happened, in order. Confined to the loop. */
  private final List<Map<String, Object>> happened = new ArrayList<>();

  /** Creates the schedule of rails that live on {@code loop}. */
  public RailSchedule(EventLoop loop, List<RailProxy> rails, List<RailEvent> events) {
    this.loop = loop;
    this.rails = rails;
    this.events = events;
  }

  /** Starts the clock. The times of the events count from {@code startNs}. */
  public void start(long startNs) {
    for (RailEvent event : events) {
      long waitNs = Math.max(0, startNs + event.atNs() - System.nanoTime());
      planned.add(loop.schedule(() -> happen(event, startNs), waitNs, TimeUnit.NANOSECONDS));
    }
  }

  /** Drops the events that have not happened. */
  public void cancel() {
    planned.forEach(future -> future.cancel(false));
  }

  private void happen(RailEvent event, long startNs) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("rail", event.rail());
    map.put("kind", event.isRestore() ? "restore" : "kill" + event.state().suffix());
    String failure = null;
    try {
      rails.get(event.rail()).become(event.state());
    } catch (IllegalStateException e) {
      failure = e.getMessage() + ": " + e.getCause().getMessage();
    }
    map.put("atSeconds", (System.nanoTime() - startNs) / SECOND_NS);
    map.put("failure", failure);
    happened.add(map);
  }

  /**
   * Returns what has happened, in order: of each {@code rail}, {@code kind}, {@code atSeconds},
   * {@code failure}. Waits for the loop: not to be called on it.
   */
  public List<Map<String, Object>> happened() throws Exception {
    return loop.submit(() -> List.copyOf(happened)).get();
  }
}
