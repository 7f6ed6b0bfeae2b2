package io.rtransport.netty.internal.file;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory between files and packets: a limited number of equal blocks that all file transfers of the
 * process share. A transfer that finds no free block makes its own, one or two at a time. It goes
 * on more slowly, and no transfer waits for another. Any thread.
 */
public final class FileBlocks {
  public static final int BLOCK_BYTES = 256 << 10;

  /** Limit of the blocks of the process. */
  public static final int BLOCKS_MAX = 128;

  /** Limit of the blocks of one transfer. */
  public static final int BLOCKS_PER_TRANSFER_MAX = 14;

  public static final FileBlocks SHARED = new FileBlocks(BLOCKS_MAX);

  private final int max;
  private final AtomicInteger used = new AtomicInteger();
  private final AtomicInteger own = new AtomicInteger();
  private final ConcurrentLinkedQueue<ByteBuffer> free = new ConcurrentLinkedQueue<>();

  public FileBlocks(int max) {
    this.max = max;
  }

  /** Returns an empty block, or null if all are used. */
  public ByteBuffer take() {
    if (used.incrementAndGet() > max) {
      used.decrementAndGet();
      return null;
    }
    ByteBuffer block = free.poll();
    if (block != null) {
      return block.clear();
    }
    try {
      return ByteBuffer.allocateDirect(BLOCK_BYTES);
    } catch (OutOfMemoryError e) { // the limit of direct memory, which others use too
      used.decrementAndGet();
      return null;
    }
  }

  /** Makes a block outside the shared ones, for a transfer that found none or is short. */
  public ByteBuffer own(int lengthBytes) {
    ByteBuffer block = ByteBuffer.allocate(lengthBytes);
    own.incrementAndGet();
    return block;
  }

  /** Takes back a block that {@link #take} or {@link #own} gave, once. */
  public void give(ByteBuffer block) {
    if (block.isDirect()) {
      free.add(block);
      used.decrementAndGet();
    } else {
      own.decrementAndGet();
    }
  }

  public boolean hasFree() {
    return used.get() < max;
  }

  public int usedCount() {
    return used.get();
  }

  public int ownCount() {
    return own.get();
  }
}
