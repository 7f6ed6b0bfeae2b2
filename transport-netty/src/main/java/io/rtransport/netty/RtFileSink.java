package io.rtransport.netty;

import io.rtransport.core.connection.ApplicationVerbs;
import io.rtransport.netty.internal.file.FileBlocks;
import io.rtransport.netty.internal.file.FileThreads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Sink that writes a message into a file, as {@link RtSink#toFile} makes it, with methods that tell
 * an application about its progress. The event loop copies the bytes into blocks of memory. The
 * {@link RtChannelOption#FILE_EXECUTOR} writes the blocks to the file later, in order, one task at
 * a time. Bytes that are not written yet hold the sender back. Once all bytes are written, the
 * message is whole, and reaches the pipeline (or ends its pull). The file is not closed.
 *
 * <p>If the disk fails, the next {@link #write} or the end fails, as with any sink's exception.
 *
 * <p>The object is its own lock: the event loop takes bytes and ends the message while a task
 * writes. If a task finds that the message was given up, this task is the last user of the file and
 * the blocks.
 */
public class RtFileSink extends RtSink {
  /**
   * Limit of the bytes of one message that are granted and not yet written. They may touch one
   * block more at either end.
   */
  static final long UNWRITTEN_BYTES_MAX = 3 << 20;

  /** The same limit if the process has no block free. */
  static final long UNWRITTEN_BYTES_LEAST = 256 << 10;

  /** Time after which a block that is not full is written as far as it goes. */
  static final long PARTIAL_WRITE_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private final FileBlocks blocks;
  private final FileChannel file;
  private final long position;
  private final int trailerBytes;

  /**
   * Blocks with bytes that are not written. The first holds {@link #firstOffset}; each but the last
   * is a whole block of the message.
   */
  private final ArrayDeque<ByteBuffer> held = new ArrayDeque<>();

  private long firstOffset;

  /** Ranges that came behind a gap: start to end. */
  private final TreeMap<Long, Long> early = new TreeMap<>();

  private TransferContext context;
  private Executor executor;
  private long rsn;
  private boolean isAnswer;
  private long lengthBytes = -1;

  /** End of the bytes that have come without a gap. */
  private long comeOffset;

  private long writtenOffset;
  private boolean isWriting;
  private boolean isTimed;
  private boolean isEnded;
  private boolean isGivenUp;
  private IOException failure;
  private Runnable settled;

  /** Makes a sink that writes the message to {@code file} from {@code position}, at least 0. */
  public RtFileSink(FileChannel file, long position) {
    this(FileBlocks.SHARED, file, position, 0);
  }

  /**
   * Makes the same sink for a message with a trailer. The last {@code trailerBytes} of the message,
   * at least 0, go to {@link #onTrailer} and not to the file.
   */
  public RtFileSink(FileChannel file, long position, int trailerBytes) {
    this(FileBlocks.SHARED, file, position, trailerBytes);
  }

  RtFileSink(FileBlocks blocks, FileChannel file, long position, int trailerBytes) {
    if (position < 0 || trailerBytes < 0) {
      throw new IllegalArgumentException(
          "position=" + position + ", trailerBytes=" + trailerBytes + ", valid: at least 0");
    }
    this.trailerBytes = trailerBytes;
    this.blocks = blocks;
    this.file = file;
    this.position = position;
  }

  /**
   * Receives all bytes of the file, in order, once they are written, for a checksum in the same
   * pass. Called on the executor, one call at a time.
   */
  protected void onWritten(ByteBuffer bytes) throws IOException {}

  /**
   * Receives the trailer's bytes, in order, after the last byte of the file; perhaps in several
   * calls. Called on the executor.
   */
  protected void onTrailer(ByteBuffer bytes) throws IOException {}

  /**
   * Tells that the message will never be whole, and that nothing more is written. Once, on the
   * executor.
   */
  protected void onGivenUp() {}

  // ---- on the event loop

  @Override
  final synchronized void open(TransferContext on, long ofRsn, boolean answer, long length) {
    if (lengthBytes >= 0) {
      throw new IllegalStateException("a sink is for one message only");
    }
    context = on;
    executor = on.fileExecutor();
    rsn = ofRsn;
    isAnswer = answer;
    lengthBytes = length;
  }

  @Override
  final int takenOf(int length) {
    return 0;
  }

  @Override
  final boolean isPrompt() {
    return true;
  }

  @Override
  final long untakenBytesMax() {
    return blocks.hasFree() ? UNWRITTEN_BYTES_MAX : UNWRITTEN_BYTES_LEAST;
  }

  @Override
  protected final synchronized void write(long offset, ByteBuffer from, int index, int length)
      throws IOException {
    if (failure != null) {
      throw failure;
    }
    if (isEnded) {
      throw new IOException("the message is given up"); // blocks taken now would never go back
    }
    long end = offset + length;
    while (firstOffset + (long) held.size() * FileBlocks.BLOCK_BYTES < end) {
      hold();
    }
    long at = firstOffset;
    for (ByteBuffer block : held) {
      long start = Math.max(at, offset);
      int count = (int) (Math.min(at + block.capacity(), end) - start);
      if (count > 0) {
        block.put((int) (start - at), from, index + (int) (start - offset), count);
      }
      at += FileBlocks.BLOCK_BYTES;
    }
    if (offset != comeOffset) {
      early.put(offset, end);
      return;
    }
    comeOffset = end;
    while (!early.isEmpty() && early.firstKey() == comeOffset) {
      comeOffset = early.pollFirstEntry().getValue();
    }
    writeOn();
  }

  private void hold() {
    long start = firstOffset + (long) held.size() * FileBlocks.BLOCK_BYTES;
    int wanted = (int) Math.min(FileBlocks.BLOCK_BYTES, lengthBytes - start);
    ByteBuffer block = wanted < FileBlocks.BLOCK_BYTES ? null : blocks.take();
    held.add(block == null ? blocks.own(wanted) : block);
  }

  @Override
  final synchronized boolean isSettled() {
    return !isWriting && (failure != null || writtenOffset == lengthBytes);
  }

  @Override
  final void onSettled(Runnable told) {
    synchronized (this) {
      if (!isSettled()) {
        settled = told;
        return;
      }
    }
    told.run();
  }

  @Override
  protected final void end(boolean whole) throws IOException {
    synchronized (this) {
      if (isEnded) {
        return;
      }
      isEnded = true;
      isGivenUp = !whole || failure != null;
      if (!isWriting) {
        giveAll();
      }
      if (isGivenUp && !isWriting && !execute(this::onGivenUp)) {
        onGivenUp();
      }
      if (whole && failure != null) {
        throw failure;
      }
    }
  }

  // ---- on either thread

  private void writeOn() {
    long ready = comeOffset - writtenOffset;
    if (isWriting || isEnded || failure != null || ready == 0) {
      return;
    }
    if (ready >= FileBlocks.BLOCK_BYTES || comeOffset == lengthBytes) {
      writeNow();
    } else if (!isTimed) {
      // A grant may wait until these bytes are written, so even a partial block is written in time.
      isTimed = true;
      try {
        context.eventLoop().schedule(this::onTimer, PARTIAL_WRITE_NS, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        return; // the event loop has ended, and its connections with it
      }
    }
  }

  private synchronized void onTimer() {
    isTimed = false;
    if (!isWriting && !isEnded && failure == null && comeOffset > writtenOffset) {
      writeNow();
    }
  }

  private void writeNow() {
    List<ByteBuffer> parts = new ArrayList<>(held.size());
    long at = firstOffset;
    for (ByteBuffer block : held) {
      int start = (int) Math.max(0, writtenOffset - at);
      int end = (int) Math.min(block.capacity(), comeOffset - at);
      if (end > start) {
        parts.add(block.duplicate().limit(end).position(start));
      }
      at += FileBlocks.BLOCK_BYTES;
    }
    long from = writtenOffset;
    isWriting = true;
    if (!execute(() -> write(parts, from))) {
      isWriting = false;
      failure = new IOException("the executor of files takes no more");
      tellLater(comeOffset - writtenOffset);
    }
  }

  /** Writes {@code parts}, which lie one behind the other in the message. On the executor. */
  private void write(List<ByteBuffer> parts, long from) {
    long at = from;
    IOException reason = null;
    try {
      for (ByteBuffer part : parts) {
        ByteBuffer trailer = part.duplicate();
        long fileBytes = lengthBytes - trailerBytes - at;
        part.limit(part.position() + (int) Math.max(0, Math.min(part.remaining(), fileBytes)));
        trailer.position(part.limit());
        ByteBuffer written = part.duplicate();
        while (part.hasRemaining()) {
          at += file.write(part, position + at);
        }
        if (written.hasRemaining()) {
          onWritten(written);
        }
        if (trailer.hasRemaining()) {
          at += trailer.remaining();
          onTrailer(trailer);
        }
        if (isGivenUp()) {
          break;
        }
      }
    } catch (IOException e) {
      reason = e;
    } catch (RuntimeException | Error e) {
      reason = new IOException(e.toString(), e);
    }
    boolean isOver;
    synchronized (this) {
      isWriting = false;
      // After a failure all bytes count as taken, so that more come and their write reports the
      // failure.
      long taken = (reason == null ? at : comeOffset) - writtenOffset;
      writtenOffset = at;
      failure = reason;
      isOver = isEnded;
      if (isOver || reason != null) {
        giveAll();
      } else {
        giveWritten();
        writeOn();
      }
      if (!isOver) {
        tellLater(taken);
      }
    }
    if (isOver) {
      onGivenUp();
    }
  }

  private synchronized boolean isGivenUp() {
    return isGivenUp;
  }

  private void giveWritten() {
    while (!held.isEmpty()
        && (writtenOffset >= firstOffset + FileBlocks.BLOCK_BYTES
            || writtenOffset == lengthBytes)) {
      blocks.give(held.poll());
      firstOffset += FileBlocks.BLOCK_BYTES;
    }
  }

  private void giveAll() {
    held.forEach(blocks::give);
    held.clear();
    early.clear();
  }

  private boolean execute(Runnable task) {
    try {
      (executor == null ? FileThreads.shared() : executor).execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /** Tells on the event loop that {@code bytes} were written, and that all are if so. */
  private void tellLater(long bytes) {
    Runnable whenSettled = isSettled() ? settled : null;
    settled = whenSettled == null ? settled : null;
    if (!context.onLoopIfAny(() -> tell(bytes, whenSettled)) && whenSettled != null) {
      whenSettled.run(); // the event loop has ended
    }
  }

  private void tell(long bytes, Runnable whenSettled) {
    ApplicationVerbs verbs = context.verbs();
    if (verbs != null) {
      if (isAnswer) {
        verbs.limitUntakenOfPull(rsn, untakenBytesMax());
        verbs.takenOfPull(rsn, bytes);
      } else {
        verbs.limitUntaken(rsn, untakenBytesMax());
        verbs.taken(rsn, bytes);
      }
    }
    if (whenSettled != null) {
      whenSettled.run();
    }
  }
}
