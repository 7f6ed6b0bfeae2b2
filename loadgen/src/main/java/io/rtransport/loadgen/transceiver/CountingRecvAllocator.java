package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Counter of a channel's receive calls. Netty tells its allocator's handle the result of each call.
 */
final class CountingRecvAllocator implements RecvByteBufAllocator {
  private final RecvByteBufAllocator allocator;
  private final WorkCounter counter;

  CountingRecvAllocator(RecvByteBufAllocator allocator, WorkCounter counter) {
    this.allocator = allocator;
    this.counter = counter;
  }

  @Override
  @SuppressWarnings("deprecation") // required by the interface, never called
  public Handle newHandle() {
    return new CountingHandle((ExtendedHandle) allocator.newHandle());
  }

  private final class CountingHandle implements ExtendedHandle {
    private final ExtendedHandle handle;

    CountingHandle(ExtendedHandle handle) {
      this.handle = handle;
    }

    @Override
    public void lastBytesRead(int bytes) {
      counter.socketCalls++;
      handle.lastBytesRead(bytes);
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator alloc) {
      return handle.allocate(alloc);
    }

    @Override
    public int guess() {
      return handle.guess();
    }

    @Override
    public void reset(ChannelConfig config) {
      handle.reset(config);
    }

    @Override
    public void incMessagesRead(int numMessages) {
      handle.incMessagesRead(numMessages);
    }

    @Override
    public int lastBytesRead() {
      return handle.lastBytesRead();
    }

    @Override
    public void attemptedBytesRead(int bytes) {
      handle.attemptedBytesRead(bytes);
    }

    @Override
    public int attemptedBytesRead() {
      return handle.attemptedBytesRead();
    }

    @Override
    public boolean continueReading() {
      return handle.continueReading();
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreDataSupplier) {
      return handle.continueReading(maybeMoreDataSupplier);
    }

    @Override
    public void readComplete() {
      handle.readComplete();
    }
  }
}
