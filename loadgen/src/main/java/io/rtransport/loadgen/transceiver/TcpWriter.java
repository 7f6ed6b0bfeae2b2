package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;

/**
 * Writes messages. Each small one is its own write, as a Netty handler writes and as rt is written
 * to. Or it is packed: copied into a common buffer before the write. No handler could separate
 * packed messages or complete them one by one. Bodies from 8 KiB go by reference.
 */
final class TcpWriter {
  private static final int BY_REFERENCE_BYTES_MIN = 8 << 10;
  private static final int BUFFERS_PER_CALL_MAX = 1_024;
  private static final int BATCH_BYTES = 64 << 10;
  private static final int SMALL_BATCH_BYTES = 4 << 10;

  private final MessageContents contents;
  private final WorkCounter counter;
  private final boolean isPacked;
  private ByteBuf batch;
  private int written;

  /** As large as the last flush needed: an echo of 64 bytes takes no buffer of 64 KiB. */
  private int batchBytes = SMALL_BATCH_BYTES;

  private int flushBytes;

  TcpWriter(MessageContents contents, WorkCounter counter, boolean isPacked) {
    this.contents = contents;
    this.counter = counter;
    this.isPacked = isPacked;
  }

  void message(ChannelHandlerContext ctx, long sequence, int lengthBytes, boolean measured) {
    if (lengthBytes < BY_REFERENCE_BYTES_MIN) {
      contents.writeMessage(room(ctx, lengthBytes), sequence, lengthBytes, measured);
      if (!isPacked) {
        writeBatch(ctx);
      }
      return;
    }
    contents.writeHeader(room(ctx, MessageHeader.LENGTH), sequence, lengthBytes, measured);
    writeBatch(ctx);
    write(ctx, contents.body(sequence, lengthBytes));
  }

  /** Returns a buffer with room for {@code lengthBytes}, which the caller appends. */
  ByteBuf room(ChannelHandlerContext ctx, int lengthBytes) {
    if (batch != null && batch.writableBytes() < lengthBytes) {
      writeBatch(ctx);
    }
    if (batch == null) {
      int packedBytes = flushBytes > 0 ? BATCH_BYTES : batchBytes;
      int bytes = isPacked ? Math.max(packedBytes, lengthBytes) : lengthBytes;
      batch = ctx.alloc().directBuffer(bytes, bytes);
    }
    return batch;
  }

  /** Sends bytes unchanged. Takes ownership of the reference. */
  void write(ChannelHandlerContext ctx, ByteBuf bytes) {
    writeBatch(ctx);
    written++;
    ctx.write(bytes, ctx.voidPromise());
  }

  void flush(ChannelHandlerContext ctx) {
    writeBatch(ctx);
    if (written > 0) {
      batchBytes = flushBytes > SMALL_BATCH_BYTES ? BATCH_BYTES : SMALL_BATCH_BYTES;
      flushBytes = 0;
      ctx.flush();
      counter.socketCalls += calls(ctx);
      written = 0;
    }
  }

  /**
   * Returns the gathering calls, each with as many buffers as the kernel takes. What the socket did
   * not take needs at least one more.
   */
  private int calls(ChannelHandlerContext ctx) {
    int calls = (written + BUFFERS_PER_CALL_MAX - 1) / BUFFERS_PER_CALL_MAX;
    ChannelOutboundBuffer left = ctx.channel().unsafe().outboundBuffer();
    return left == null || left.isEmpty() ? calls : calls + 1;
  }

  private void writeBatch(ChannelHandlerContext ctx) {
    if (batch != null && batch.isReadable()) {
      ByteBuf full = batch;
      batch = null;
      written++;
      flushBytes += full.readableBytes();
      ctx.write(full, ctx.voidPromise());
    }
  }

  void release() {
    if (batch != null) {
      batch.release();
      batch = null;
    }
  }
}
