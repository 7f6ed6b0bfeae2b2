package io.rtransport.netty.internal.loop;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Reads the counters of event loops, each on its own loop, or after that loop has ended. Stateless.
 */
public final class LoopCounters {
  private LoopCounters() {}

  public static void onLoopOrAfter(EventLoop loop, Runnable action) {
    try {
      loop.execute(action);
    } catch (RejectedExecutionException e) {
      loop.terminationFuture().addListener(ended -> action.run());
    }
  }

  /** Returns a copy of the counters that are not 0. On the event loop of {@code counters}. */
  public static Map<CounterId, Long> nonZero(Counters counters) {
    Map<CounterId, Long> counts = new EnumMap<>(CounterId.class);
    for (CounterId id : CounterId.values()) {
      long value = counters.value(id);
      if (value != 0) {
        counts.put(id, value);
      }
    }
    return counts;
  }

  /**
   * Returns the sums of the counters of all loops of {@code drivers}, which are asked one after the
   * other.
   */
  public static Future<Map<CounterId, Long>> of(EventLoop own, Supplier<List<LoopDriver>> drivers) {
    Promise<Map<CounterId, Long>> promise = GlobalEventExecutor.INSTANCE.newPromise();
    onLoopOrAfter(
        own,
        () -> {
          List<LoopDriver> asked = drivers.get();
          if (asked.isEmpty() && !own.isTerminated()) {
            asked = List.of(LoopDrivers.of(own));
          }
          addCounters(asked, 0, new EnumMap<>(CounterId.class), promise);
        });
    return promise;
  }

  private static void addCounters(
      List<LoopDriver> drivers,
      int next,
      Map<CounterId, Long> sums,
      Promise<Map<CounterId, Long>> promise) {
    if (next == drivers.size()) {
      promise.trySuccess(sums);
      return;
    }
    LoopDriver driver = drivers.get(next);
    onLoopOrAfter(
        driver.loop(),
        () -> {
          nonZero(driver.counters()).forEach((id, value) -> sums.merge(id, value, Long::sum));
          addCounters(drivers, next + 1, sums, promise);
        });
  }
}
