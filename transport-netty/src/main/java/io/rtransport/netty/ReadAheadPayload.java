package io.rtransport.netty;

import io.rtransport.netty.internal.file.FileBlocks;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Payload whose bytes an executor reads ahead, in blocks, so that the event loop copies from memory
 * only. Reading begins when the first byte is asked for. One task at a time reads the bytes in
 * order. It stops when enough is ahead, and the next copy starts it again. A copy that finds too
 * few bytes comes out short, and {@link #ready} follows.
 *
 * <p>The object is its own lock: the event loop copies and releases while a task reads. The last to
 * end, the release or the task, gives back the blocks and closes the source.
 */
abstract class ReadAheadPayload extends RtPayload {
  /** Limit of the blocks that are read and not yet in packets. */
  static final int AHEAD_BLOCKS = 8;

  /** Length of a block of the payload's own, used if the process has no block free. */
  private static final int OWN_BLOCK_BYTES = 64 << 10;

  private final FileBlocks blocks;
  private final long lengthBytes;

  /** Blocks that are read and not released, in order. The first holds {@link #firstOffset}. */
  private final ArrayDeque<ByteBuffer> read = new ArrayDeque<>();

  private long firstOffset;
  private long readOffset;
  private Executor executor;
  private IOException failure;
  private boolean isReading;
  private boolean isAwaited;
  private boolean isReleased;
  private boolean isClosed;

  ReadAheadPayload(FileBlocks blocks, long lengthBytes) {
    this.blocks = blocks;
    this.lengthBytes = lengthBytes;
  }

  /**
   * Reads from {@code offset} of the message. Returns the number of bytes, at least one, or less
   * than one at the end. On the executor.
   */
  abstract int readAt(long offset, ByteBuffer to) throws IOException;

  /** Tells that nothing is read any more. Once; on the executor if anything was read. */
  abstract void closeSource();

  @Override
  final void attach(TransferContext context) {
    synchronized (this) {
      executor = context.fileExecutor();
    }
  }

  @Override
  public final long lengthBytes() {
    return lengthBytes;
  }

  @Override
  boolean isPrompt() {
    return true;
  }

  @Override
  protected synchronized int copy(long offset, ByteBuffer to, int index, int length)
      throws IOException {
    // The bytes copied last may be asked for once more, so a block is freed one copy later.
    while (!read.isEmpty() && firstOffset + read.peek().limit() <= offset) {
      firstOffset += read.peek().limit();
      blocks.give(read.poll());
    }
    int copied = 0;
    long at = firstOffset;
    for (ByteBuffer block : read) {
      int from = (int) (offset + copied - at);
      at += block.limit();
      if (from >= block.limit()) {
        continue;
      }
      int count = Math.min(length - copied, block.limit() - from);
      to.put(index + copied, block, from, count);
      copied += count;
      if (copied == length) {
        break;
      }
    }
    isAwaited = copied < length;
    readOn();
    if (isAwaited && failure != null) { // no task will report more bytes
      throw failure;
    }
    return copied;
  }

  private boolean isRoom() {
    return readOffset < lengthBytes
        && failure == null
        && !isReleased
        && read.size() < AHEAD_BLOCKS
        && (isShort() || blocks.hasFree());
  }

  /** Returns whether the payload lacks bytes to send. Then it goes on with a block of its own. */
  private boolean isShort() {
    return read.isEmpty() || isAwaited;
  }

  private void readOn() {
    if (isReading || !isRoom()) {
      return;
    }
    isReading = true;
    try {
      executor.execute(this::readBlocks);
    } catch (RejectedExecutionException e) {
      isReading = false;
      fail(new IOException("the executor of files takes no more", e));
    }
  }

  private void readBlocks() {
    boolean isMore = true;
    while (isMore) {
      ByteBuffer block = null;
      IOException reason = null;
      try {
        block = take();
        reason = block == null ? null : fill(block);
      } catch (OutOfMemoryError e) {
        reason = new IOException("no memory to read a file", e);
      }
      boolean isTold;
      synchronized (this) {
        if (block != null && (isReleased || reason != null)) {
          blocks.give(block);
        } else if (block != null) {
          readOffset += block.limit();
          read.add(block);
        }
        if (reason != null) {
          fail(reason);
        }
        isMore = isRoom() && (block != null || isShort());
        isTold = isAwaited && !isReleased && (block != null || reason != null);
        isAwaited &= !isTold;
        isReading = isMore;
        if (!isMore && isReleased) {
          giveAll();
        }
      }
      if (isTold) {
        tell();
      }
      if (!isMore) {
        closeIfOver();
      }
    }
  }

  private ByteBuffer take() {
    int wanted;
    boolean isNeeded;
    synchronized (this) {
      wanted = (int) Math.min(FileBlocks.BLOCK_BYTES, lengthBytes - readOffset);
      isNeeded = isShort();
    }
    ByteBuffer block = wanted <= OWN_BLOCK_BYTES && isNeeded ? null : blocks.take();
    if (block == null && isNeeded) {
      block = blocks.own(Math.min(wanted, OWN_BLOCK_BYTES));
    }
    return block == null ? null : block.limit(Math.min(wanted, block.capacity()));
  }

  /**
   * Reads one block. Returns the reason of a failure, or null. Only this task changes readOffset.
   */
  private IOException fill(ByteBuffer block) {
    long at = readOffset;
    try {
      while (block.hasRemaining()) {
        if (readAt(at + block.position(), block) <= 0) {
          throw new EOFException(
              "the file ends at " + (at + block.position()) + " of " + lengthBytes + " bytes");
        }
      }
      block.flip();
      if (at + block.limit() == lengthBytes) { // before its last byte can be sent
        close();
      }
      return null;
    } catch (IOException e) {
      return e;
    } catch (RuntimeException | Error e) {
      return new IOException(e.toString(), e);
    }
  }

  private void fail(IOException reason) {
    if (failure == null) {
      failure = reason;
    }
  }

  private void tell() {
    try {
      ready();
    } catch (RejectedExecutionException e) {
      return; // the event loop has ended, and its connections with it
    }
  }

  private void close() {
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
    }
    closeSource();
  }

  private void giveAll() {
    read.forEach(blocks::give);
    read.clear();
  }

  private void closeIfOver() {
    synchronized (this) {
      if (!isReleased || isReading) {
        return;
      }
    }
    close();
  }

  @Override
  protected void deallocate() {
    synchronized (this) {
      isReleased = true;
      if (isReading) {
        return; // the task that reads ends last
      }
      giveAll();
      if (isClosed) {
        return;
      }
    }
    if (executor == null) { // it was never written
      close();
      return;
    }
    try {
      executor.execute(this::close);
    } catch (RejectedExecutionException e) {
      close();
    }
  }
}
