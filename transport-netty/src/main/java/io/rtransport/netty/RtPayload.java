package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;

/**
 * The bytes of an outbound message: a buffer, a stretch of a file, or whatever an application knows how to copy. They are copied straight
 * into packets, as the peer's windows and grants allow, so a file of any length passes through a small heap. Released once the last byte is
 * in a packet (or the transaction has ended before), not when the peer has it.
 *
 * <p>{@link #copy} runs on the channel's event loop and must not block for long; reading a local file is meant to be fine.
 */
public abstract class RtPayload extends AbstractReferenceCounted {
  private Runnable readiness;

  /** Bytes of the whole message, 0..2^32-1; the same whenever asked. */
  public abstract long lengthBytes();

  /**
   * Copies {@code length} bytes from {@code offset} of the message to {@code to[index ..)}, by absolute puts.
   *
   * @return bytes copied; fewer than {@code length} means not there yet: call {@link #ready()} once more are
   * @throws IOException if they never will be: the connection is aborted, as a message can not be taken back half way
   */
  protected abstract int copy(long offset, ByteBuffer to, int index, int length) throws IOException;

  /** Tells the channel that more bytes are there. Any thread. */
  protected final void ready() {
    Runnable told = readiness;
    if (told != null) {
      told.run();
    }
  }

  /** Whether its bytes count as written and waiting, as a buffer's do and a file's do not. */
  boolean isInMemory() {
    return false;
  }

  final void onReady(Runnable told) {
    readiness = told;
  }

  /** The readable bytes of {@code buffer}, which is taken over. */
  public static RtPayload of(ByteBuf buffer) {
    return new BufferPayload(buffer);
  }

  /** {@code region}, which is taken over. */
  public static RtPayload of(FileRegion region) {
    return new RegionPayload(region);
  }

  /**
   * {@code lengthBytes} bytes of {@code file} from {@code position}. The file is closed at release if {@code closes}; its bytes must not
   * change before.
   */
  public static RtPayload ofFile(
      FileChannel file, long position, long lengthBytes, boolean closes) {
    return new FilePayload(file, position, lengthBytes, closes);
  }

  @Override
  public RtPayload touch(Object hint) {
    return this;
  }

  /** A buffer. */
  private static final class BufferPayload extends RtPayload {
    private final ByteBuf buffer;
    private final int start;
    private final int lengthBytes;
    private ByteBuffer target;
    private ByteBuffer view;

    BufferPayload(ByteBuf buffer) {
      this.buffer = buffer;
      this.start = buffer.readerIndex();
      this.lengthBytes = buffer.readableBytes();
    }

    @Override
    public long lengthBytes() {
      return lengthBytes;
    }

    @Override
    protected int copy(long offset, ByteBuffer to, int index, int length) {
      if (to != target) {
        target = to;
        view = to.duplicate();
      }
      buffer.getBytes(start + (int) offset, view.limit(index + length).position(index));
      return length;
    }

    @Override
    boolean isInMemory() {
      return true;
    }

    @Override
    public RtPayload touch(Object hint) {
      buffer.touch(hint);
      return this;
    }

    @Override
    protected void deallocate() {
      buffer.release();
    }
  }

  /** A stretch of a file, read into the packet itself. */
  private static final class FilePayload extends RtPayload {
    private final FileChannel file;
    private final long position;
    private final long lengthBytes;
    private final boolean closes;
    private ByteBuffer target;
    private ByteBuffer view;

    FilePayload(FileChannel file, long position, long lengthBytes, boolean closes) {
      if (position < 0 || lengthBytes < 0) {
        throw new IllegalArgumentException(
            "position=" + position + ", lengthBytes=" + lengthBytes + ", valid: at least 0");
      }
      this.file = file;
      this.position = position;
      this.lengthBytes = lengthBytes;
      this.closes = closes;
    }

    @Override
    public long lengthBytes() {
      return lengthBytes;
    }

    @Override
    protected int copy(long offset, ByteBuffer to, int index, int length) throws IOException {
      if (to != target) {
        target = to;
        view = to.duplicate();
      }
      view.limit(index + length).position(index);
      while (view.hasRemaining()) {
        long at = position + offset + (view.position() - index);
        if (file.read(view, at) < 0) {
          throw new EOFException(
              "file ends at " + at + ", promised up to " + (position + lengthBytes));
        }
      }
      return length;
    }

    @Override
    protected void deallocate() {
      if (closes) {
        try {
          file.close();
        } catch (IOException e) {
          // Its bytes have been read: nothing depends on the close.
          return;
        }
      }
    }
  }

  /** Any {@link FileRegion}, through the only verb that it has. */
  private static final class RegionPayload extends RtPayload implements WritableByteChannel {
    private final FileRegion region;
    private ByteBuffer to;
    private int index;
    private int left;

    RegionPayload(FileRegion region) {
      this.region = region;
    }

    @Override
    public long lengthBytes() {
      return region.count();
    }

    @Override
    protected int copy(long offset, ByteBuffer to, int index, int length) throws IOException {
      this.to = to;
      this.index = index;
      left = length;
      while (left > 0) {
        if (region.transferTo(this, offset + length - left) <= 0) {
          throw new EOFException(
              "file region ends at " + (offset + length - left) + " of " + region.count());
        }
      }
      return length;
    }

    @Override
    public int write(ByteBuffer from) {
      int length = Math.min(left, from.remaining());
      to.put(index, from, from.position(), length);
      from.position(from.position() + length);
      index += length;
      left -= length;
      return length;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {
      // The region is released, not closed through this channel.
    }

    @Override
    protected void deallocate() {
      region.release();
    }
  }
}
