package io.rtransport.netty;

import io.netty.channel.ChannelConfig;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Whether a channel can be written: bytes written and not yet in a packet, and {@link OutboundMessage#OVERHEAD_BYTES} for each message,
 * against the config's water marks. Bytes in the window do not count. Crossings are reported once each, by a task, so never inside the user's write. Asked on any thread; counted on any thread, for a
 * write from outside the event loop counts from when it is made.
 */
final class Writability {
  private static final AtomicLongFieldUpdater<Writability> PENDING =
      AtomicLongFieldUpdater.newUpdater(Writability.class, "pendingBytes");
  private static final AtomicIntegerFieldUpdater<Writability> UNWRITABLE =
      AtomicIntegerFieldUpdater.newUpdater(Writability.class, "unwritable");

  private final ChannelConfig config;
  private final Runnable onCrossing;
  private volatile long pendingBytes;
  private volatile int unwritable;

  /**
   * @param onCrossing called on the thread that caused it: to schedule the event
   */
  Writability(ChannelConfig config, Runnable onCrossing) {
    this.config = config;
    this.onCrossing = onCrossing;
  }

  void add(long bytes) {
    if (bytes == 0) {
      return;
    }
    long pending = PENDING.addAndGet(this, bytes);
    if (unwritable == 0
        && pending > config.getWriteBufferHighWaterMark()
        && UNWRITABLE.compareAndSet(this, 0, 1)) {
      onCrossing.run();
    }
  }

  void remove(long bytes) {
    if (bytes == 0) {
      return;
    }
    long pending = PENDING.addAndGet(this, -bytes);
    if (unwritable == 1
        && pending < config.getWriteBufferLowWaterMark()
        && UNWRITABLE.compareAndSet(this, 1, 0)) {
      onCrossing.run();
    }
  }

  boolean isWritable() {
    return unwritable == 0;
  }

  long pendingBytes() {
    return pendingBytes;
  }

  /** Bytes that can be written before the channel becomes unwritable; 0 if it is. */
  long bytesBeforeUnwritable() {
    long left = config.getWriteBufferHighWaterMark() - pendingBytes + 1;
    return left > 0 && isWritable() ? left : 0;
  }

  /** Bytes that must leave before the channel becomes writable; 0 if it is. */
  long bytesBeforeWritable() {
    long over = pendingBytes - config.getWriteBufferLowWaterMark() + 1;
    return over > 0 && !isWritable() ? over : 0;
  }
}
