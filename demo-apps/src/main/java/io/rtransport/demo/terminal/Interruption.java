package io.rtransport.demo.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C (or SIGTERM) as a request to end: the command hears of it by {@link #onRequest} or waits
 * for it, prints what was measured so far and ends with a status of its own, which becomes the
 * process's. A command that does not end within five seconds is ended by the JVM. Any thread.
 */
public final class Interruption {
  private static final long GRACE_SECONDS = 5;

  private final List<Runnable> callbacks = new ArrayList<>();
  private final CountDownLatch requested = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile int status;

  /**
   * An interruption that the signals of this process request. Once a process, by its main method.
   */
  public static Interruption ofProcess() {
    Interruption interruption = new Interruption();
    Runtime.getRuntime().addShutdownHook(new Thread(interruption::onShutdown, "rt-interruption"));
    return interruption;
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

  public boolean isRequested() {
    return requested.getCount() == 0;
  }

  /**
   * Runs {@code callback} once when the end is requested, at once if it was. What is returned takes
   * it back.
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

  /** Waits until the end is requested, at most this long; whether it is. */
  public boolean awaitRequest(long timeoutNs) throws InterruptedException {
    return requested.await(timeoutNs, TimeUnit.NANOSECONDS);
  }

  /** Ends the process with this status, whichever of main thread and signal comes first. */
  public void end(int status) {
    this.status = status;
    ended.countDown();
    System.exit(status);
  }

  private void onShutdown() {
    if (ended.getCount() != 0) {
      request();
    }
    try {
      if (ended.await(GRACE_SECONDS, TimeUnit.SECONDS)) {
        System.out.flush();
        Runtime.getRuntime().halt(status);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
