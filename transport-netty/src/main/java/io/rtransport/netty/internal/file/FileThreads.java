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
 * The threads that read and write files where the application gives no executor. Four tasks run at
 * once. One that has run for 100 ms while others wait counts no more, for its disk may hang:
 * another runs beside it, so that files on other disks go on. With those there are 64 threads at
 * the most.
 *
 * <p>Threads are made when they are needed and end when they have been idle for 10 s. A transfer
 * has one task here at a time, so the queue is as long as there are transfers. Any thread.
 */
public final class FileThreads implements Executor {
  public static final int RUNNING_MAX = 4;
  public static final int THREADS_MAX = 64;
  public static final long STUCK_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long IDLE_MILLIS = 10_000;
  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(FileThreads.class);

  /** Those that wait for their turn, in order. */
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

  /** Those whose turn has come and that no thread has taken up yet. They count as running. */
  private final ArrayDeque<Runnable> ready = new ArrayDeque<>();

  private final List<Worker> workers = new ArrayList<>();
  private final ThreadFactory factory = new DefaultThreadFactory("rt-files", true);
  private final LongSupplier clock;
  private final Consumer<Runnable> timer;
  private final long idleMillis;
  private int idle;

  /** Tasks that run and are not stuck. */
  private int running;

  private boolean isWatched;

  /**
   * @param clock nanoseconds
   * @param timer runs what it is given once, {@link #STUCK_NS} later
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

  /** Gives turns to those that wait, as long as there are turns and threads. */
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
    } catch (OutOfMemoryError e) { // no thread to be had
      workers.remove(worker);
      if (workers.isEmpty()) {
        running--;
        ready.pollLast();
        throw new RejectedExecutionException("no thread for a file", e);
      } // else one that there is takes it up
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
   * The next task for {@code worker}; null when it has been idle for long: then it is forgotten.
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
    } catch (InterruptedException e) { // by nobody of ours: another thread is made when needed
      return ready.poll();
    } finally {
      idle--;
    }
  }

  /** Threads that there are, for tests. */
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
        } catch (Throwable e) { // its turn must go on whatever it throws
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
