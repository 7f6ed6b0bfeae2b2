package io.rtransport.netty.port;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * How a port's socket reads: into the loop's kept buffers, and again only while the last read was a large one. A small one most likely
 * emptied the socket, and epoll and NIO are level-triggered: what is left wakes the loop again, which costs a busy socket less than an
 * idle one would pay for a second, empty, read each time.
 */
final class PortReadAllocator implements RecvByteBufAllocator {
  /** Reads in one batch, before others of the loop have their turn. */
  private static final int READS_MAX = 16;

  private final ReceiveBuffers buffers;
  private final int capacity;
  private final boolean coalesces;
  private final int readsMax;
  private long reads;

  /**
   * @param capacity of each read's buffer
   * @param coalesces whether one read may bring many packets
   * @param goesOn whether a batch may have more than one read
   */
  PortReadAllocator(ReceiveBuffers buffers, int capacity, boolean coalesces, boolean goesOn) {
    this.readsMax = goesOn ? READS_MAX : 1;
    this.buffers = buffers;
    this.capacity = capacity;
    this.coalesces = coalesces;
  }

  long reads() {
    return reads;
  }

  @Override
  @SuppressWarnings("deprecation")
  public Handle newHandle() {
    return new PortReadHandle();
  }

  /** One socket's. */
  private final class PortReadHandle implements ExtendedHandle {
    private int readsInBatch;
    private int attempted;
    private int last;

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      reads++;
      readsInBatch++;
      return buffers.take(capacity).bytes();
    }

    @Override
    public int guess() {
      return capacity;
    }

    @Override
    public void reset(ChannelConfig config) {
      readsInBatch = 0;
    }

    @Override
    public void incMessagesRead(int count) {
      // Packets are counted at their connection.
    }

    @Override
    public void lastBytesRead(int bytes) {
      last = bytes;
    }

    @Override
    public int lastBytesRead() {
      return last;
    }

    @Override
    public void attemptedBytesRead(int bytes) {
      attempted = bytes;
    }

    @Override
    public int attemptedBytesRead() {
      return attempted;
    }

    @Override
    public boolean continueReading() {
      return readsInBatch < readsMax && last > 0 && (!coalesces || last >= capacity / 2);
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
      return continueReading();
    }

    @Override
    public void readComplete() {
      // Told by the pipeline's channelReadComplete.
    }
  }
}
