package io.rtransport.netty.port;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.function.BooleanSupplier;

/**
 * Decides how a port's socket reads: into the loop's kept buffers, and again while more is likely.
 * After a large read more is likely. After a small read the result of the last second read decides.
 *
 * <p>A busy socket, whose peer sends run after short run, should be emptied in one turn; else each
 * run costs both sides a turn and an acknowledgement. An idle socket, which gets one packet at a
 * time, should not pay for a second, empty read each time. epoll and NIO are level-triggered, so
 * the rest wakes the loop again. While due timers wait for packets in the sockets, each batch goes
 * on until a read finds nothing or the batch is at its limit.
 */
final class PortReadAllocator implements RecvByteBufAllocator {
  /** Limit of the reads in one batch; then other work of the loop has its turn. */
  static final int READS_MAX = 32;

  /**
   * Bytes after which a batch ends. The memory of one turn, messages included, should stay in the
   * second-level cache.
   */
  static final int BATCH_BYTES_MAX = 64 << 10;

  /**
   * Highest number of batches that end with their first small read, after a second read found
   * nothing.
   */
  static final int SHYNESS_MAX = 64;

  private final ReceiveBuffers buffers;
  private final int capacity;
  private final boolean coalesces;
  private final int chainLength;
  private final BooleanSupplier mustEmpty;
  private long reads;
  private boolean isEmptied = true;

  /**
   * @param capacity capacity of the buffer of each read, bytes
   * @param coalesces whether one read may bring many packets
   * @param chainLength datagrams that one read asks for together, which then are a batch; 1 means
   *     single reads, up to {@link #READS_MAX} in a batch
   * @param mustEmpty whether timers wait for packets in the socket
   */
  PortReadAllocator(
      ReceiveBuffers buffers,
      int capacity,
      boolean coalesces,
      int chainLength,
      BooleanSupplier mustEmpty) {
    this.buffers = buffers;
    this.capacity = capacity;
    this.coalesces = coalesces;
    this.chainLength = chainLength;
    this.mustEmpty = mustEmpty;
  }

  long reads() {
    return reads;
  }

  /** Returns whether the last batch ended because there was nothing more. */
  boolean isEmptied() {
    return isEmptied;
  }

  private boolean isChain() {
    return chainLength > 1;
  }

  @Override
  @SuppressWarnings("deprecation")
  public Handle newHandle() {
    return new PortReadHandle();
  }

  /** Read handle of one socket. */
  private final class PortReadHandle implements ExtendedHandle {
    private int readsInBatch;
    private int bytesInBatch;
    private int datagramsInBatch;
    private int attempted;
    private int last;

    /**
     * Batches that end with a small first read, after a second read found nothing. The number
     * doubles each time.
     */
    private int shyness;

    /** Number of these batches that are still to come. */
    private int shyBatches;

    /** Whether the current read tests if a second read still finds nothing. */
    private boolean isTry;

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      reads++;
      readsInBatch++;
      last = 0; // default: NIO's channel does not report a read that brought nothing
      return buffers.take(capacity).bytes();
    }

    @Override
    public int guess() {
      return capacity;
    }

    @Override
    public void reset(ChannelConfig config) {
      readsInBatch = 0;
      bytesInBatch = 0;
      datagramsInBatch = 0;
    }

    @Override
    public void incMessagesRead(int count) {
      datagramsInBatch += count;
    }

    @Override
    public void lastBytesRead(int bytes) {
      last = bytes;
      bytesInBatch += Math.max(0, bytes);
      if (isTry) {
        onTried(bytes > 0);
      }
    }

    private void onTried(boolean hasPaid) {
      isTry = false;
      shyness = hasPaid ? 0 : Math.min(SHYNESS_MAX, 2 * shyness + 1);
      shyBatches = shyness;
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
      if (isChain() || readsInBatch >= READS_MAX || bytesInBatch >= BATCH_BYTES_MAX || last <= 0) {
        return false;
      }
      boolean isLarge = coalesces && last >= capacity / 2;
      if (isLarge || readsInBatch > 1 || mustEmpty.getAsBoolean()) {
        return true;
      }
      if (shyBatches > 0) {
        shyBatches--;
        return false;
      }
      isTry = true;
      return true;
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
      return continueReading();
    }

    @Override
    public void readComplete() {
      isEmptied = isChain() ? datagramsInBatch < chainLength : last <= 0;
      if (isTry) {
        onTried(false);
      }
    }
  }
}
