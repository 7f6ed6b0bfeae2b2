package io.rtransport.netty.internal.stat;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What was read of all event loops of this process.
 *
 * @param loopCount event loops that have had a channel
 * @param answeredCount those that were read in time. A loop that is busy for longer is missing
 * @param all their sums
 */
public record NodeStat(int loopCount, int answeredCount, LoopStat all) {
  /** Reads loops at the same time, and waits for them on an executor that is none of them. */
  private static final class Reading {
    private final List<LoopDriver> drivers;
    private final List<LoopStat> answers = new ArrayList<>();
    private final Consumer<NodeStat> then;
    private int open;

    Reading(List<LoopDriver> drivers, Consumer<NodeStat> then) {
      this.drivers = drivers;
      this.then = then;
      this.open = drivers.size();
    }

    void begin(EventExecutor own, long limitMillis) {
      if (drivers.isEmpty()) {
        end();
        return;
      }
      List<Promise<LoopStat>> promises = new ArrayList<>();
      for (LoopDriver driver : drivers) {
        Promise<LoopStat> promise = own.newPromise();
        promise.addListener(read -> onRead(promise));
        promises.add(promise);
        LoopReading.begin(driver, promise);
      }
      own.schedule(
          () -> promises.forEach(each -> each.cancel(false)), limitMillis, TimeUnit.MILLISECONDS);
    }

    private void onRead(Promise<LoopStat> promise) {
      if (promise.isSuccess()) {
        answers.add(promise.getNow());
      }
      if (--open == 0) {
        end();
      }
    }

    private void end() {
      LoopStat all = new LoopStat();
      answers.forEach(all::add);
      then.accept(new NodeStat(drivers.size(), answers.size(), all));
    }
  }

  /**
   * Reads all loops.
   *
   * @param own calls this method, and then {@code then} once; no loop that is read
   * @param limitMillis time after which a loop is left out, ms
   */
  public static void read(EventExecutor own, long limitMillis, Consumer<NodeStat> then) {
    new Reading(LoopDrivers.all(), then).begin(own, limitMillis);
  }
}
