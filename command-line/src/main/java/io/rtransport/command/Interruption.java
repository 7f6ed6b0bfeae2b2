package io.rtransport.command;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C (or SIGTERM) as a request to end. The command hears of it by {@link #onRequest} or waits
 * for it. It prints the results so far, and ends with its own status, which becomes the process's.
 * The JVM ends a command that takes longer than its grace period. Any thread.
 *
 * <p>The signals of a process request an end from {@link #ofProcess} to {@link #release}. Before
 * and after that, a signal ends the JVM as usual.
 */
public final class Interruption {
  private final List<Runnable> callbacks = new ArrayList<>();
  private final CountDownLatch requested = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private Thread hook;
  private volatile int status;

  /** Creates an interruption that only {@link #request} triggers. */
  public Interruption() {}

  /**
   * Creates an interruption that the signals of this process also trigger.
   *
   * @param grace how long the JVM's end waits for {@link #release} after a signal
   */
  public static Interruption ofProcess(Duration grace) {
    Interruption interruption = new Interruption();
    interruption.hook = new Thread(() -> interruption.onShutdown(grace), "rt-interruption");
    Runtime.getRuntime().addShutdownHook(interruption.hook);
    return interruption;
  }

  /** Makes the end of this process's standard input request the end, too. */
  public void requestAtEndOfInput() {
    Thread thread = new Thread(this::awaitEndOfInput, "rt-stdin");
    thread.setDaemon(true);
    thread.start();
  }

  private void awaitEndOfInput() {
    try {
      while (System.in.read() >= 0) {
        // The input carries no commands; only its end counts.
      }
    } catch (IOException e) {
      // Counts as the end.
    }
    request();
  }

  /** Asks the command to end. */
  public void request() {
    List<Runnable> due;
    synchronized (callbacks) {
      requested.countDown();
      due = List.copyOf(callbacks);
      callbacks.clear();
    }
    due.forEach(Runnable::run);
  }

  /** Returns whether the command was asked to end. */
  public boolean isRequested() {
    return requested.getCount() == 0;
  }

  /**
   * Runs {@code callback} once when the end is requested, immediately if it already was. The
   * returned object removes the callback.
   */
  public Runnable onRequest(Runnable callback) {
    synchronized (callbacks) {
      if (!isRequested()) {
        callbacks.add(callback);
        return () -> remove(callback);
      }
    }
    callback.run();
    return () -> {};
  }

  private void remove(Runnable callback) {
    synchronized (callbacks) {
      callbacks.remove(callback);
    }
  }

  /** Waits until the end is requested. */
  public void awaitRequest() throws InterruptedException {
    requested.await();
  }

  /** Waits until the end is requested, at most for the given time. Returns whether it is. */
  public boolean awaitRequest(long timeoutNs) throws InterruptedException {
    return requested.await(timeoutNs, TimeUnit.NANOSECONDS);
  }

  /**
   * Tells that the command has printed everything.
   *
   * @param status of the process, if a signal has requested the end; the process then ends
   *     immediately
   */
  public void release(int status) {
    this.status = status;
    if (hook != null) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // A signal came first: the JVM is ending, and its hook waits for this.
      }
    }
    released.countDown();
  }

  /** Releases, and ends the process with this status, even if a signal came first. */
  public void end(int status) {
    release(status);
    System.exit(status);
  }

  private void onShutdown(Duration grace) {
    request();
    try {
      if (released.await(grace.toNanos(), TimeUnit.NANOSECONDS)) {
        // The command's own status, not the signal's.
        System.out.flush();
        Runtime.getRuntime().halt(status);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
