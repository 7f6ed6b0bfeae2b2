package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;
import io.rtransport.netty.internal.file.FileBlocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;

/**
 * Bytes of an outbound message: a buffer, a range of a file, or any source that an application can
 * copy from. RT copies the bytes straight into packets, as the peer's windows and grants allow. So
 * a file of any length passes through a small heap. A payload is released once its last byte is in
 * a packet, or its transaction has ended earlier. The release does not mean that the peer has the
 * bytes.
 *
 * <p>{@link #copy} runs on the channel's event loop and must not block; {@link #ofFile} or an
 * {@link RtFilePayload} reads files. A copy of more than 20 ms is counted, and logged once for each
 * class.
 */
public abstract class RtPayload extends AbstractReferenceCounted {
  private volatile Runnable readiness;

  /**
   * Returns the length of the whole message, 0..2^32-1 bytes. Every call returns the same number.
   */
  public abstract long lengthBytes();

  /**
   * Copies {@code length} bytes from {@code offset} of the message to {@code to[index ..)}, by
   * absolute puts.
   *
   * @return the number of bytes copied; fewer than {@code length} means that the rest is not there
   *     yet: call {@link #ready()} when more are
   * @throws IOException if the bytes will never be there: the connection is aborted, because half a
   *     message cannot be taken back
   */
  protected abstract int copy(long offset, ByteBuffer to, int index, int length) throws IOException;

  /** Tells the channel that more bytes are there. Any thread. */
  protected final void ready() {
    Runnable told = readiness;
    if (told != null) {
      told.run();
    }
  }

  /** Returns whether the bytes count as written and waiting. A buffer's do; a file's do not. */
  boolean isInMemory() {
    return false;
  }

  /** Returns whether {@link #copy} certainly does not block, so that its time needs no check. */
  boolean isPrompt() {
    return false;
  }

  /**
   * Tells the payload that it was written to the channel of {@code context}, or answers a pull of
   * it.
   */
  void attach(TransferContext context) {}

  final void onReady(Runnable told) {
    readiness = told;
  }

  /**
   * Returns a payload of the readable bytes of {@code buffer}. The payload takes the buffer over.
   */
  public static RtPayload of(ByteBuf buffer) {
    return new BufferPayload(buffer);
  }

  /** Returns a payload of the bytes of {@code region}. The payload takes the region over. */
  public static RtPayload of(FileRegion region) {
    return new RegionPayload(region);
  }

  /**
   * Returns a payload of {@code lengthBytes} bytes of {@code file} from {@code position}. The
   * {@link RtChannelOption#FILE_EXECUTOR} reads them ahead. If {@code closes}, the file is closed
   * once all is read, or at the release. Its bytes must not change before.
   */
  public static RtPayload ofFile(
      FileChannel file, long position, long lengthBytes, boolean closes) {
    return new RtPayloadOfFile(FileBlocks.SHARED, file, position, lengthBytes, 0, closes);
  }

  @Override
  public RtPayload touch(Object hint) {
    return this;
  }

  /** Payload of a buffer. */
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
    boolean isPrompt() {
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

  /**
   * Payload of any {@link FileRegion}, read by the only method that it has for that, {@code
   * transferTo}.
   */
  private static final class RegionPayload extends ReadAheadPayload implements WritableByteChannel {
    private final FileRegion region;
    private ByteBuffer to;

    RegionPayload(FileRegion region) {
      super(FileBlocks.SHARED, region.count());
      this.region = region;
    }

    @Override
    int readAt(long offset, ByteBuffer block) throws IOException {
      to = block;
      return (int) region.transferTo(this, offset);
    }

    @Override
    public int write(ByteBuffer from) {
      int length = Math.min(to.remaining(), from.remaining());
      to.put(to.position(), from, from.position(), length);
      to.position(to.position() + length);
      from.position(from.position() + length);
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
    void closeSource() {
      region.release();
    }
  }
}
