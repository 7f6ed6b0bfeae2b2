package io.rtransport.loadgen;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends a command early when the user interrupts it, or when the parent process that asked for it
 * ({@code RT_LOAD_PARENT=1}) closes its standard input, and holds the JVM's end back until the
 * command has said what it measured.
 */
final class Interrupts {
  /** A drain, an answer of the server and a report fit in. */
  private static final long FINISH_SECONDS_MAX = 20;

  private final CountDownLatch finished = new CountDownLatch(1);
  private final Thread hook;

  private Interrupts(Runnable stop) {
    hook = new Thread(() -> stopAndWait(stop), "rt-load-interrupt");
  }

  /** From now on an interrupt runs {@code stop}. */
  static Interrupts end(Runnable stop) {
    Interrupts interrupts = new Interrupts(stop);
    Runtime.getRuntime().addShutdownHook(interrupts.hook);
    if ("1".equals(System.getenv("RT_LOAD_PARENT"))) {
      Thread watcher = new Thread(() -> waitForEnd(stop), "rt-load-parent");
      watcher.setDaemon(true);
      watcher.start();
    }
    return interrupts;
  }

  private void stopAndWait(Runnable stop) {
    stop.run();
    try {
      if (finished.await(FINISH_SECONDS_MAX, TimeUnit.SECONDS)) {
        // What was measured has been said: this is success, not the signal's status.
        System.out.flush();
        Runtime.getRuntime().halt(LoadErrors.OK);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void waitForEnd(Runnable stop) {
    try {
      while (System.in.read() >= 0) {
        // Nothing is said, only ended.
      }
    } catch (IOException e) {
      // As good as the end.
    }
    stop.run();
  }

  /** The command is done. */
  void finished() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending, and waits for this.
    }
    finished.countDown();
  }
}
