package io.rtransport.netty;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file in memory on a disk that answers when the test lets it, and fails or ends where the test
 * says.
 */
final class GatedFile extends FileChannel {
  final Semaphore calls = new Semaphore(0);
  final AtomicInteger waiting = new AtomicInteger();
  final AtomicInteger closes = new AtomicInteger();
  final AtomicInteger callCount = new AtomicInteger();

  /** How long a call takes at the most that the test does not let go on before; 0 for ever. */
  volatile long delayMillis;

  volatile boolean wasClosedInACall;
  volatile long failsAt = Long.MAX_VALUE;
  private final byte[] bytes;
  private final AtomicInteger inCall = new AtomicInteger();

  GatedFile(byte[] bytes) {
    this.bytes = bytes;
  }

  void open() {
    calls.release(1_000_000);
  }

  private void await(long position) throws IOException {
    waiting.incrementAndGet();
    inCall.incrementAndGet();
    callCount.incrementAndGet();
    long millis = delayMillis;
    if (millis == 0) {
      calls.acquireUninterruptibly();
    } else {
      try {
        calls.tryAcquire(millis, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        throw new IOException("interrupted", e);
      }
    }
    waiting.decrementAndGet();
    if (position >= failsAt) {
      inCall.decrementAndGet();
      throw new IOException("the disk is gone");
    }
  }

  @Override
  public int read(ByteBuffer to, long position) throws IOException {
    await(position);
    int count = (int) Math.min(to.remaining(), bytes.length - position);
    if (count > 0) {
      to.put(bytes, (int) position, count);
    }
    inCall.decrementAndGet();
    return count == 0 ? -1 : count;
  }

  @Override
  public int write(ByteBuffer from, long position) throws IOException {
    await(position);
    int count = from.remaining();
    from.get(bytes, (int) position, count);
    inCall.decrementAndGet();
    return count;
  }

  @Override
  public long size() {
    return bytes.length;
  }

  @Override
  protected void implCloseChannel() {
    closes.incrementAndGet();
    wasClosedInACall |= inCall.get() > 0;
  }

  @Override
  public int read(ByteBuffer to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long read(ByteBuffer[] to, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int write(ByteBuffer from) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long position() {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileChannel position(long newPosition) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileChannel truncate(long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void force(boolean metaData) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferFrom(ReadableByteChannel from, long position, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }
}
