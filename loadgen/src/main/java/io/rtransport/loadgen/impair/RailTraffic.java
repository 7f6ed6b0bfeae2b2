package io.rtransport.loadgen.impair;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What came into each rail, both ways, in each quarter of a second from the measured time on. */
public final class RailTraffic {
  private static final long STEP_NS = 250_000_000;
  private static final double SECOND_NS = 1e9;

  private final EventLoop loop;
  private final List<RailProxy> rails;

  // Confined to the loop.
  private final List<Map<String, Object>> steps = new ArrayList<>();
  private long[] before;
  private Future<?> repeated;

  /** Creates the course of rails that live on {@code loop}. */
  public RailTraffic(EventLoop loop, List<RailProxy> rails) {
    this.loop = loop;
    this.rails = rails;
  }

  /** Starts at {@code startNs}. Only the first start counts. */
  public void start(long startNs) {
    loop.execute(
        () -> {
          if (repeated == null) {
            long waitNs = Math.max(0, startNs - System.nanoTime());
            repeated =
                loop.scheduleAtFixedRate(
                    () -> look(startNs), waitNs, STEP_NS, TimeUnit.NANOSECONDS);
          }
        });
  }

  private void look(long startNs) {
    long[] now = rails.stream().mapToLong(RailProxy::receivedNow).toArray();
    if (before != null) {
      List<Long> received = new ArrayList<>();
      for (int i = 0; i < now.length; i++) {
        received.add(now[i] - before[i]);
      }
      Map<String, Object> step = new LinkedHashMap<>();
      step.put("toSeconds", (System.nanoTime() - startNs) / SECOND_NS);
      step.put("received", received);
      steps.add(step);
    }
    before = now;
  }

  /**
   * Ends the course and returns its steps: of each {@code toSeconds}, and {@code received} of each
   * rail. Waits for the loop: not to be called on it.
   */
  public List<Map<String, Object>> steps() throws Exception {
    return loop.submit(
            () -> {
              if (repeated != null) {
                repeated.cancel(false);
              }
              return List.copyOf(steps);
            })
        .get();
  }
}
