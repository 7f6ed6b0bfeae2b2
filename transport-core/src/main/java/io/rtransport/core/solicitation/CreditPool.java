package io.rtransport.core.solicitation;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Credit that all connections of a node together may allow their peers beyond the initial credit.
 * Thread-safe: several loops share it. It is used only when a connection's allowance doubles, so
 * one atomic word is enough.
 */
public final class CreditPool {
  private volatile long capacityBytes;
  private final AtomicLong usedBytes = new AtomicLong();
  private final AtomicInteger sharers = new AtomicInteger();

  /**
   * @param capacityBytes ≥ 0; 0 leaves every connection at its initial credit
   */
  public CreditPool(long capacityBytes) {
    if (capacityBytes < 0) {
      throw new IllegalArgumentException("capacityBytes=" + capacityBytes + " must be at least 0");
    }
    this.capacityBytes = capacityBytes;
  }

  /** Takes up to {@code bytes}; returns how many. */
  long take(long bytes) {
    while (true) {
      long used = usedBytes.get();
      long taken = Math.min(bytes, capacityBytes - used);
      if (taken <= 0) {
        return 0;
      }
      if (usedBytes.compareAndSet(used, used + taken)) {
        return taken;
      }
    }
  }

  /** Returns the most bytes that the pool gives. */
  public long capacityBytes() {
    return capacityBytes;
  }

  /**
   * Raises the capacity. Connections that want some of it get it when they next ask.
   *
   * @param bytes less than the present capacity changes nothing
   */
  public synchronized void raise(long bytes) {
    capacityBytes = Math.max(capacityBytes, bytes);
  }

  void giveBack(long bytes) {
    long left = usedBytes.addAndGet(-bytes);
    assert left >= 0 : "credit pool gave back more than was taken: " + left;
  }

  void onSharer(int change) {
    sharers.addAndGet(change);
  }

  /** Returns whether connections that hold more than their share should give some back. */
  boolean isShort() {
    long capacity = capacityBytes;
    return usedBytes.get() > capacity - (capacity >> 3);
  }

  /** Returns an equal part for each connection that has ever wanted some. */
  long shareBytes() {
    return capacityBytes / Math.max(1, sharers.get());
  }

  public long usedBytes() {
    return usedBytes.get();
  }
}
