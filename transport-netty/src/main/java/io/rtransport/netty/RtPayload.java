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
 * The bytes of an outbound message: a buffer, a stretch of a file, or whatever an application knows
 * how to copy. They are copied straight into packets, as the peer's windows and grants allow, so a
 * file of any length passes through a small heap. Released once the last byte is in a packet (or
 * the transaction has ended before), not when the peer has it.
 *
 * <p>{@link #copy} runs on the channel's event loop and must not block: files are read by {@link
 * #ofFile} or an {@link RtFilePayload}. A copy of more than 20 ms is counted, and logged once a
 * class.
 */
public abstract class RtPayload extends AbstractReferenceCounted {
  private volatile Runnable readiness;

  /** Bytes of the whole message, 0..2^32-1; the same whenever asked. */
  public abstract long lengthBytes();

  /**
   * Copies {@code length} bytes from {@code offset} of the message to {@code to[index ..)}, by
   * absolute puts.
   *
   * @return bytes copied; fewer than {@code length} means not there yet: call {@link #ready()} once
   *     more are
   * @throws IOException if they never will be: the connection is aborted, as a message can not be
   *     taken back half way
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

  /** Whether its copies are known not to block: nobody needs to watch them. */
  boolean isPrompt() {
    return false;
  }

  /** It was written to the channel of {@code context}, or answers a pull of it. */
  void attach(TransferContext context) {}

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
   * {@code lengthBytes} bytes of {@code file} from {@code position}, read ahead by the {@link
   * RtChannelOption#FILE_EXECUTOR}. The file is closed once all is read, or at release, if {@code
   * closes}; its bytes must not change before.
   */
  public static RtPayload ofFile(
      FileChannel file, long position, long lengthBytes, boolean closes) {
    return new RtPayloadOfFile(FileBlocks.SHARED, file, position, lengthBytes, 0, closes);
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

  /** Any {@link FileRegion}, through the only verb that it has. */
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
