package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;

/** Gathers messages for one send: small ones by copy into a common buffer, bodies from 8 KiB on by reference. */
final class TcpWriter {
  private static final int BY_REFERENCE_BYTES_MIN = 8 << 10;
  private static final int BATCH_BYTES = 64 << 10;
  private static final int SMALL_BATCH_BYTES = 4 << 10;

  private final MessageContents contents;
  private final WorkCounter counter;
  private ByteBuf batch;
  private boolean written;

  /** As large as the last flush called for: an echo of 64 bytes takes no buffer of 64 KiB. */
  private int batchBytes = SMALL_BATCH_BYTES;

  private int flushBytes;

  TcpWriter(MessageContents contents, WorkCounter counter) {
    this.contents = contents;
    this.counter = counter;
  }

  void message(ChannelHandlerContext ctx, long sequence, int lengthBytes, boolean measured) {
    if (lengthBytes < BY_REFERENCE_BYTES_MIN) {
      contents.writeMessage(room(ctx, lengthBytes), sequence, lengthBytes, measured);
      return;
    }
    contents.writeHeader(room(ctx, MessageHeader.LENGTH), sequence, lengthBytes, measured);
    writeBatch(ctx);
    write(ctx, contents.body(sequence, lengthBytes));
  }

  /** A buffer with room for {@code lengthBytes}, which the caller appends. */
  ByteBuf room(ChannelHandlerContext ctx, int lengthBytes) {
    if (batch != null && batch.writableBytes() < lengthBytes) {
      writeBatch(ctx);
    }
    if (batch == null) {
      int bytes = Math.max(flushBytes > 0 ? BATCH_BYTES : batchBytes, lengthBytes);
      batch = ctx.alloc().directBuffer(bytes, bytes);
    }
    return batch;
  }

  /** Sends bytes as they are; takes over the reference. */
  void write(ChannelHandlerContext ctx, ByteBuf bytes) {
    writeBatch(ctx);
    written = true;
    ctx.write(bytes, ctx.voidPromise());
  }

  void flush(ChannelHandlerContext ctx) {
    writeBatch(ctx);
    if (written) {
      written = false;
      batchBytes = flushBytes > SMALL_BATCH_BYTES ? BATCH_BYTES : SMALL_BATCH_BYTES;
      flushBytes = 0;
      ctx.flush();
      // One gathering call; what the socket did not take goes out in at least one more.
      counter.socketCalls += ctx.channel().unsafe().outboundBuffer() == null ? 1 : calls(ctx);
    }
  }

  private static int calls(ChannelHandlerContext ctx) {
    return ctx.channel().unsafe().outboundBuffer().isEmpty() ? 1 : 2;
  }

  private void writeBatch(ChannelHandlerContext ctx) {
    if (batch != null && batch.isReadable()) {
      ByteBuf full = batch;
      batch = null;
      written = true;
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
