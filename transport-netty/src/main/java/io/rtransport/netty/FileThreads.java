package io.rtransport.netty;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads that read and write files where the application gives no executor. Made when the first file is moved; idle ones end. */
final class FileThreads {
  static final int THREADS_MAX = 4;

  private static final long IDLE_SECONDS = 10;

  private FileThreads() {}

  /** A transfer has one task here at a time, so the queue is as long as there are transfers. */
  static Executor shared() {
    return Lazy.EXECUTOR;
  }

  private static final class Lazy {
    static final ThreadPoolExecutor EXECUTOR = create();

    private static ThreadPoolExecutor create() {
      ThreadPoolExecutor executor =
          new ThreadPoolExecutor(
              THREADS_MAX,
              THREADS_MAX,
              IDLE_SECONDS,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              new DefaultThreadFactory("rt-files", true));
      executor.allowCoreThreadTimeOut(true);
      return executor;
    }
  }
}
