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
 * Decides whether a channel is writable. It compares the bytes that are written and not yet in a
 * packet, and {@code OutboundMessage.OVERHEAD_BYTES} for each message, with the config's water
 * marks. Bytes in the window do not count. On a long path they raise both marks, because as many
 * bytes should wait to follow them. Each crossing of a mark is reported once, by a task, so never
 * inside the user's write. Asked on any thread.
 *
 * <p>It keeps two counts. The first holds the bytes that the event loop counts. Only the loop
 * changes it, so a message written on the loop pays for no atomic instruction. The second holds the
 * bytes that other threads have written and the loop has not taken over yet.
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
   * @param wishes holds only the values that the application sets by {@link
   *     ChannelOutboundBuffer#setUserDefinedWritability}
   */
  public Writability(Channel channel, ChannelOutboundBuffer wishes) {
    this.channel = channel;
    this.config = channel.config();
    this.wishes = wishes;
  }

  /** Ends it: nothing can be written any more. */
  public void end() {
    isOver = true;
  }

  /** Counts a message that was queued. On the event loop. */
  public void add(long bytes) {
    QUEUED.lazySet(this, queuedBytes + bytes);
    judgeHigh();
  }

  /** Uncounts bytes of a message that are in a packet, or will never be. On the event loop. */
  public void remove(long bytes) {
    if (bytes != 0) {
      QUEUED.lazySet(this, queuedBytes - bytes);
      judgeLow();
    }
  }

  /**
   * Counts a message that was written outside the event loop, which has not seen it yet. Any
   * thread.
   */
  public void handOver(long bytes) {
    HANDED_OVER.addAndGet(this, bytes);
    judgeHigh();
  }

  /** Uncounts such a message: the event loop has it now, or it was cancelled before. Any thread. */
  public void endHandOver(long bytes) {
    HANDED_OVER.addAndGet(this, -bytes);
    judgeLow();
  }

  /** Sets the bytes that are in flight because the path is long. On the event loop. */
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

  /** Reports a crossing by a task of the event loop. On the thread that caused it. */
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
      // The loop has ended, and so has everyone who could be told.
    }
  }

  public boolean isWritable() {
    return unwritable == 0 && !isOver && wishes.isWritable();
  }

  public long pendingBytes() {
    return queuedBytes + handedOverBytes;
  }

  /**
   * Returns the bytes that can be written before the channel becomes unwritable; 0 if it is
   * unwritable.
   */
  public long bytesBeforeUnwritable() {
    long left = highBytes() - pendingBytes() + 1;
    return left > 0 && isWritable() ? left : 0;
  }

  /**
   * Returns the bytes that must leave before the channel becomes writable; 0 if it is writable,
   * {@code Long.MAX_VALUE} if it never will be.
   */
  public long bytesBeforeWritable() {
    if (isOver) {
      return Long.MAX_VALUE;
    }
    long over = pendingBytes() - lowBytes() + 1;
    return over > 0 && !isWritable() ? over : 0;
  }
}
