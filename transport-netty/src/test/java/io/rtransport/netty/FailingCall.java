package io.rtransport.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One call of many that fails, as the system's may: of an allocator's, for want of memory, or of a
 * socket's writes.
 */
public final class FailingCall {
  private final int n;
  private final AtomicInteger calls = new AtomicInteger();
  private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);

  /**
   * @param n which call fails, from 1; 0 for none
   */
  public FailingCall(int n) {
    this.n = n;
  }

  private boolean isDue() {
    return calls.incrementAndGet() == n;
  }

  public boolean hasFailed() {
    return calls.get() >= n;
  }

  /** Bytes of the allocator that have not been released. */
  public long heldBytes() {
    return memory.metric().usedDirectMemory() + memory.metric().usedHeapMemory();
  }

  /** Fails as Netty's do when direct memory is used up. */
  public ByteBufAllocator allocator() {
    return new AbstractByteBufAllocator(true) {
      @Override
      protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        requireMemory();
        return memory.heapBuffer(initialCapacity, maxCapacity);
      }

      @Override
      protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        requireMemory();
        return memory.directBuffer(initialCapacity, maxCapacity);
      }

      @Override
      public boolean isDirectBufferPooled() {
        return false;
      }
    };
  }

  private void requireMemory() {
    if (isDue()) {
      throw new OutOfMemoryError("the test's call " + n);
    }
  }

  /**
   * For a socket's pipeline: a write fails as where the kernel has no buffers, and nothing is sent.
   */
  public ChannelHandler writes() {
    return new ChannelOutboundHandlerAdapter() {
      @Override
      public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (isDue()) {
          ReferenceCountUtil.release(message);
          promise.tryFailure(new IOException("the test's call " + n));
        } else {
          ctx.write(message, promise);
        }
      }
    };
  }
}
