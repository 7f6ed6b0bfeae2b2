package io.rtransport.netty;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memory between files and packets: blocks of equal length that all file transfers of the
 * process share, so many at the most. A transfer that finds none free makes a block of its own, no
 * more than one or two at a time, and so goes on, only slower: no transfer waits for another. Any
 * thread.
 */
final class FileBlocks {
  static final int BLOCK_BYTES = 256 << 10;

  /** Blocks of the process. */
  static final int BLOCKS_MAX = 128;

  /** Blocks of one transfer. */
  static final int BLOCKS_PER_TRANSFER_MAX = 14;

  static final FileBlocks SHARED = new FileBlocks(BLOCKS_MAX);

  private final int max;
  private final AtomicInteger used = new AtomicInteger();
  private final AtomicInteger own = new AtomicInteger();
  private final ConcurrentLinkedQueue<ByteBuffer> free = new ConcurrentLinkedQueue<>();

  FileBlocks(int max) {
    this.max = max;
  }

  /** An empty block, or null when all are used. */
  ByteBuffer take() {
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
    } catch (OutOfMemoryError e) { // of direct memory, which others use too
      used.decrementAndGet();
      return null;
    }
  }

  /** A block beside these, for a transfer that found none, or is short. */
  ByteBuffer own(int lengthBytes) {
    ByteBuffer block = ByteBuffer.allocate(lengthBytes);
    own.incrementAndGet();
    return block;
  }

  /** Takes back what {@link #take} or {@link #own} gave, once. */
  void give(ByteBuffer block) {
    if (block.isDirect()) {
      free.add(block);
      used.decrementAndGet();
    } else {
      own.decrementAndGet();
    }
  }

  boolean hasFree() {
    return used.get() < max;
  }

  int usedCount() {
    return used.get();
  }

  int ownCount() {
    return own.get();
  }
}
