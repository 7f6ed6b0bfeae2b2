package io.rtransport.simulator;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Notices a world in which one step never ends. Virtual time then stands still, no invariant is
 * checked, and a run would hang silently. Only real time shows it. A world takes a tenth of a
 * second. The limit allows for a machine on which much else runs.
 */
final class SimWatchdog {
  static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(120);
  private static final long PERIOD_SECONDS = 1;
  private static final int FRAMES = 12;

  private record World(long seed, long startNs) {}

  private final Map<Thread, World> running = new ConcurrentHashMap<>();

  /** Notes that this thread begins a world. */
  void begin(long seed, long nowNs) {
    running.put(Thread.currentThread(), new World(seed, nowNs));
  }

  /** Notes that this thread's world is over. */
  void end() {
    running.remove(Thread.currentThread());
  }

  /** Describes the worlds that have run for longer than the limit; null if there is none. */
  String stuck(long nowNs) {
    StringBuilder text = new StringBuilder();
    running.forEach(
        (thread, world) -> {
          if (nowNs - world.startNs > LIMIT_NS) {
            text.append(
                String.format(
                    "seed %d: %s: a step does not end, after %d s%n",
                    world.seed, Invariant.PROGRESS, LIMIT_NS / 1_000_000_000));
            StackTraceElement[] frames = thread.getStackTrace();
            for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
              text.append(String.format("  at %s%n", frames[i]));
            }
          }
        });
    return text.isEmpty() ? null : text.toString();
  }

  /**
   * Starts the check, every second on its own daemon thread, until it is shut down. It calls {@code
   * onStuck}, which must end the process.
   */
  ScheduledExecutorService start(Consumer<String> onStuck) {
    ScheduledExecutorService clock =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "sim-watchdog");
              thread.setDaemon(true);
              return thread;
            });
    clock.scheduleAtFixedRate(
        () -> {
          String text = stuck(System.nanoTime());
          if (text != null) {
            onStuck.accept(text);
          }
        },
        PERIOD_SECONDS,
        PERIOD_SECONDS,
        TimeUnit.SECONDS);
    return clock;
  }
}
