package io.rtransport.netty.node;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bound of the bytes that a node keeps for one peer: payloads and headers of messages that have no
 * end yet, be the peer there or away. Bytes are taken on the caller's thread, so a caller that is
 * faster than the event loop meets the bound too. Any thread.
 */
final class KeptBytes {
  private final long bytesMax;
  private final AtomicLong bytes = new AtomicLong();

  KeptBytes(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** Keeps {@code more} bytes, or keeps nothing and returns false if that is beyond the bound. */
  boolean take(long more) {
    long kept = bytes.get();
    while (more <= bytesMax - kept) {
      if (bytes.compareAndSet(kept, kept + more)) {
        return true;
      }
      kept = bytes.get();
    }
    return false;
  }

  /** Keeps {@code less} bytes no longer. */
  void give(long less) {
    bytes.addAndGet(-less);
  }

  @Override
  public String toString() {
    return "bytes kept=" + bytes + ", keptBytesMax=" + bytesMax;
  }
}
