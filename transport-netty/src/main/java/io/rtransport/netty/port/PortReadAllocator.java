package io.rtransport.netty.port;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.function.BooleanSupplier;

/**
 * How a port's socket reads: into the loop's kept buffers, and again while there is likely to be
 * more. After a large read there is. After a small one it depends on what came of reading again the
 * last time: a busy socket, whose peer sends run after short run, is to be emptied in one turn, or
 * each run costs both sides a turn and an acknowledgement; an idle one, that has a packet at a
 * time, is not to pay for a second, empty, read each time. epoll and NIO are level-triggered, so
 * what is left wakes the loop again. While timers that are due wait for what the sockets hold, each
 * batch goes on until it finds nothing or is as long as a batch may be.
 */
final class PortReadAllocator implements RecvByteBufAllocator {
  /** Reads in one batch, before others of the loop have their turn. */
  static final int READS_MAX = 32;

  /**
   * Bytes after which a batch ends: what a turn touches, messages and all, is to stay in the
   * second-level cache.
   */
  static final int BATCH_BYTES_MAX = 64 << 10;

  /**
   * Batches that end with their first small read, at the most, after reading again found nothing.
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
   * @param capacity of each read's buffer
   * @param coalesces whether one read may bring many packets
   * @param chainLength datagrams that one read asks for together and that are a batch; 1: reads of
   *     one each, a batch is up to {@link #READS_MAX}
   * @param mustEmpty whether timers wait for what the socket holds
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

  /** Whether the last batch ended because there was nothing more. */
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

  /** One socket's. */
  private final class PortReadHandle implements ExtendedHandle {
    private int readsInBatch;
    private int bytesInBatch;
    private int datagramsInBatch;
    private int attempted;
    private int last;

    /**
     * Batches that end with a small first read after reading again found nothing: twice as many
     * each time.
     */
    private int shyness;

    /** Those of them that are still to come. */
    private int shyBatches;

    /** Whether the read under way finds out whether that still holds. */
    private boolean isTry;

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      reads++;
      readsInBatch++;
      last = 0; // until told otherwise: NIO's channel says nothing of a read that brought nothing
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
