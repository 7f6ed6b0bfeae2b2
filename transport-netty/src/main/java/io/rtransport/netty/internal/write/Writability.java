package io.rtransport.netty.internal.write;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Whether a channel can be written: bytes written and not yet in a packet, and {@code
 * OutboundMessage.OVERHEAD_BYTES} for each message, against the config's water marks. Bytes in the
 * window do not count; on a long path they raise both marks, for as much should wait to follow
 * them. Crossings are reported once each, by a task, so never inside the user's write. Asked on any
 * thread.
 *
 * <p>Two accounts: what the event loop counts, which it alone changes, so that a message written on
 * the loop pays for no atomic instruction; and what other threads have written and the loop has not
 * taken over yet.
 */
public final class Writability {
  private static final AtomicIntegerFieldUpdater<Writability> UNWRITABLE =
      AtomicIntegerFieldUpdater.newUpdater(Writability.class, "unwritable");

  private static final AtomicLongFieldUpdater<Writability> QUEUED =
      AtomicLongFieldUpdater.newUpdater(Writability.class, "queuedBytes");

  private static final AtomicLongFieldUpdater<Writability> HANDED_OVER =
      AtomicLongFieldUpdater.newUpdater(Writability.class, "handedOverBytes");

  private static final AtomicLongFieldUpdater<Writability> LONG_PATH =
      AtomicLongFieldUpdater.newUpdater(Writability.class, "longPathBytes");

  private final Channel channel;
  private final ChannelConfig config;
  private final ChannelOutboundBuffer wishes;
  private volatile long handedOverBytes;
  private volatile long queuedBytes;
  private volatile long longPathBytes;
  private volatile int unwritable;
  private volatile boolean isOver;

  /**
   * @param wishes holds nothing but what the application says by {@link
   *     ChannelOutboundBuffer#setUserDefinedWritability}
   */
  public Writability(Channel channel, ChannelOutboundBuffer wishes) {
    this.channel = channel;
    this.config = channel.config();
    this.wishes = wishes;
  }

  /** Nothing can be written any more. */
  public void end() {
    isOver = true;
  }

  /** A message was queued. On the event loop. */
  public void add(long bytes) {
    QUEUED.lazySet(this, queuedBytes + bytes);
    judgeHigh();
  }

  /** Bytes of a message are in a packet, or will never be. On the event loop. */
  public void remove(long bytes) {
    if (bytes != 0) {
      QUEUED.lazySet(this, queuedBytes - bytes);
      judgeLow();
    }
  }

  /** A message was written outside the event loop, which has not seen it yet. On any thread. */
  public void handOver(long bytes) {
    HANDED_OVER.addAndGet(this, bytes);
    judgeHigh();
  }

  /** The message is the event loop's now, or was cancelled before. On any thread. */
  public void endHandOver(long bytes) {
    HANDED_OVER.addAndGet(this, -bytes);
    judgeLow();
  }

  /** So much is in flight because the path is long. On the event loop. */
  public void longPathBytes(long bytes) {
    if (bytes != longPathBytes) {
      boolean isMore = bytes > longPathBytes;
      LONG_PATH.lazySet(this, bytes);
      if (isMore) {
        judgeLow();
      }
    }
  }

  private long highBytes() {
    return config.getWriteBufferHighWaterMark() + longPathBytes;
  }

  private long lowBytes() {
    return config.getWriteBufferLowWaterMark() + longPathBytes;
  }

  private void judgeHigh() {
    if (unwritable == 0 && pendingBytes() > highBytes() && UNWRITABLE.compareAndSet(this, 0, 1)) {
      onCrossing();
    }
  }

  private void judgeLow() {
    if (unwritable == 1 && pendingBytes() < lowBytes() && UNWRITABLE.compareAndSet(this, 1, 0)) {
      onCrossing();
    }
  }

  /** Tells of it by a task of the event loop. On the thread that caused it. */
  private void onCrossing() {
    Runnable event = () -> channel.pipeline().fireChannelWritabilityChanged();
    EventLoop eventLoop = channel.eventLoop();
    try {
      if (eventLoop instanceof SingleThreadEventLoop loop && loop.inEventLoop()) {
        loop.executeAfterEventLoopIteration(() -> loop.execute(event));
      } else {
        eventLoop.execute(event);
      }
    } catch (RejectedExecutionException e) {
      // The loop has ended, and with it everybody who could hear of it.
    }
  }

  public boolean isWritable() {
    return unwritable == 0 && !isOver && wishes.isWritable();
  }

  public long pendingBytes() {
    return queuedBytes + handedOverBytes;
  }

  /** Bytes that can be written before the channel becomes unwritable; 0 if it is. */
  public long bytesBeforeUnwritable() {
    long left = highBytes() - pendingBytes() + 1;
    return left > 0 && isWritable() ? left : 0;
  }

  /**
   * Bytes that must leave before the channel becomes writable; 0 if it is, a great many if it never
   * will.
   */
  public long bytesBeforeWritable() {
    if (isOver) {
      return Long.MAX_VALUE;
    }
    long over = pendingBytes() - lowBytes() + 1;
    return over > 0 && !isWritable() ? over : 0;
  }
}
