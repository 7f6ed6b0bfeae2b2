package io.rtransport.netty.internal.file;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Threads that read and write files if the application gives no executor. Four tasks run at a time.
 * A task that has run for 100 ms while others wait does not count any more, because its disk may
 * hang. Another task then runs beside it, so files on other disks go on. With those there are at
 * most 64 threads.
 *
 * <p>A thread is made when it is needed and ends when it has been idle for 10 s. A transfer has at
 * most one task here at a time, so the queue is at most as long as the number of transfers. Any
 * thread.
 */
public final class FileThreads implements Executor {
  public static final int RUNNING_MAX = 4;
  public static final int THREADS_MAX = 64;
  public static final long STUCK_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long IDLE_MILLIS = 10_000;
  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(FileThreads.class);

  /** Tasks that wait for their turn, in order. */
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

  /** Tasks whose turn has come and that no thread has taken yet. They count as running. */
  private final ArrayDeque<Runnable> ready = new ArrayDeque<>();

  private final List<Worker> workers = new ArrayList<>();
  private final ThreadFactory factory = new DefaultThreadFactory("rt-files", true);
  private final LongSupplier clock;
  private final Consumer<Runnable> timer;
  private final long idleMillis;
  private int idle;

  /** Number of tasks that run and are not stuck. */
  private int running;

  private boolean isWatched;

  /**
   * @param clock nanoseconds
   * @param timer runs its argument once, {@link #STUCK_NS} later
   */
  public FileThreads(LongSupplier clock, Consumer<Runnable> timer, long idleMillis) {
    this.clock = clock;
    this.timer = timer;
    this.idleMillis = idleMillis;
  }

  public static Executor shared() {
    return Lazy.EXECUTOR;
  }

  @Override
  public synchronized void execute(Runnable task) {
    waiting.add(task);
    runNext();
    watch();
  }

  /** Gives turns to waiting tasks, as long as there are turns and threads. */
  private void runNext() {
    while (!waiting.isEmpty() && running < RUNNING_MAX) {
      if (idle <= ready.size() && workers.size() == THREADS_MAX) {
        return;
      }
      running++;
      ready.add(waiting.poll());
      if (idle >= ready.size()) {
        notify();
      } else {
        start(new Worker());
      }
    }
  }

  private void start(Worker worker) {
    workers.add(worker);
    try {
      factory.newThread(worker).start();
    } catch (OutOfMemoryError e) { // no thread is available
      workers.remove(worker);
      if (workers.isEmpty()) {
        running--;
        ready.pollLast();
        throw new RejectedExecutionException("no thread for a file", e);
      } // else an existing thread takes the task
    }
  }

  private void watch() {
    if (!isWatched && !waiting.isEmpty()) {
      isWatched = true;
      timer.accept(this::look);
    }
  }

  /** Looks for tasks that keep others from running. */
  private synchronized void look() {
    isWatched = false;
    if (!waiting.isEmpty()) {
      long nowNs = clock.getAsLong();
      for (Worker worker : workers) {
        if (worker.isRunning && !worker.isStuck && nowNs - worker.sinceNs >= STUCK_NS) {
          worker.isStuck = true;
          running--;
        }
      }
      runNext();
    }
    watch();
  }

  /**
   * Returns the next task for {@code worker}. Returns null if the worker has been idle for long,
   * and forgets it then.
   */
  private synchronized Runnable next(Worker worker) {
    if (worker.isRunning) {
      worker.isRunning = false;
      running -= worker.isStuck ? 0 : 1;
      worker.isStuck = false;
      idle++; // until it polls below
      runNext();
      idle--;
    }
    Runnable task = ready.poll();
    if (task == null) {
      task = await();
    }
    if (task == null) {
      workers.remove(worker);
      return null;
    }
    worker.isRunning = true;
    worker.sinceNs = clock.getAsLong();
    return task;
  }

  private Runnable await() {
    long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(idleMillis);
    idle++;
    try {
      for (Runnable task = ready.poll(); ; task = ready.poll()) {
        long millis = TimeUnit.NANOSECONDS.toMillis(untilNs - System.nanoTime());
        if (task != null || millis <= 0) {
          return task;
        }
        wait(millis);
      }
    } catch (InterruptedException e) { // not by RT: a new thread is made when needed
      return ready.poll();
    } finally {
      idle--;
    }
  }

  /** Returns the number of threads, for tests. */
  public synchronized int threadCount() {
    return workers.size();
  }

  private final class Worker implements Runnable {
    // Guarded by the executor.
    boolean isRunning;
    boolean isStuck;
    long sinceNs;

    @Override
    public void run() {
      for (Runnable task = next(this); task != null; task = next(this)) {
        try {
          task.run();
        } catch (Throwable e) { // its turn must go on after any exception
          LOGGER.warn("a task that moves a file has failed", e);
        }
      }
    }
  }

  private static final class Lazy {
    static final FileThreads EXECUTOR =
        new FileThreads(
            System::nanoTime,
            look -> GlobalEventExecutor.INSTANCE.schedule(look, STUCK_NS, TimeUnit.NANOSECONDS),
            IDLE_MILLIS);
  }
}
