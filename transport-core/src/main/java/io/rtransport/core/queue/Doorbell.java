package io.rtransport.core.queue;

import java.lang.invoke.VarHandle;

/**
 * Tells an event loop that other threads have left work for it, at most once until the loop has
 * answered. So a loop that is busy gets one task for many posts, and a loop that sleeps is woken
 * once.
 *
 * <p>Order of memory: a thread makes its work visible, fences, and looks whether the bell rings.
 * The loop answers, fences, and looks for work. One of both sees the other.
 */
public final class Doorbell {
  private static final int RINGING = 0;

  private final SharedWords words = new SharedWords(1);

  /**
   * Rings, after the caller has left work. Any thread.
   *
   * @return whether the caller must have the loop come: it did not ring before
   */
  public boolean ring() {
    VarHandle.fullFence(); // Between leaving work and the look whether the bell rings.
    return words.getAcquire(RINGING) == 0 && words.compareAndSet(RINGING, 0, 1);
  }

  /** Answers: the loop looks for work after this call. The event loop. */
  public void answer() {
    words.setRelease(RINGING, 0);
    VarHandle.fullFence(); // Between the answer and the look for work.
  }
}
