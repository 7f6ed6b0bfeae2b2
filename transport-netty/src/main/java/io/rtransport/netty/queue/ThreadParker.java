package io.rtransport.netty.queue;

import io.rtransport.core.queue.Parker;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** Parks the thread that polls, which may be a virtual one. */
final class ThreadParker implements Parker {
  private final AtomicReference<Thread> thread = new AtomicReference<>();

  /**
   * Binds the calling thread, if none is bound.
   *
   * @throws IllegalStateException if another thread is bound
   */
  void checkThread(String verb) {
    Thread current = Thread.currentThread();
    Thread bound = thread.get();
    if (bound != current
        && (bound != null || !thread.compareAndSet(null, current))
        && thread.get() != current) {
      throw new IllegalStateException(
          verb
              + " by thread "
              + current.getName()
              + ", valid: the thread that polls these queues, "
              + thread.get().getName());
    }
  }

  @Override
  public long nowNs() {
    return System.nanoTime();
  }

  @Override
  public void park(long timeoutNs) {
    LockSupport.parkNanos(this, timeoutNs);
  }

  @Override
  public boolean isInterrupted() {
    return Thread.currentThread().isInterrupted();
  }

  @Override
  public void unpark() {
    LockSupport.unpark(thread.get());
  }

  @Override
  public void pause() {
    Thread.yield();
  }
}
