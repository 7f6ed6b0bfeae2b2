package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;

/**
 * One TCP connection of the server. It verifies messages, and acknowledges, echoes or answers. An
 * echo goes back by reference as it arrives. The handler does not read from a client that does not
 * read its echoes. Confined to its event loop.
 */
final class TcpServerHandler extends ChannelInboundHandlerAdapter {
  private final Op op;
  private final WorkCounter counter;
  private final TcpWriter writer;
  private final MessageStream stream;
  private final PullRequestReader requests = new PullRequestReader();
  private long acknowledged;
  private boolean any;

  TcpServerHandler(Op op, MessageContents contents, WorkCounter counter, boolean isPacked) {
    this.op = op;
    this.counter = counter;
    this.writer = new TcpWriter(contents, counter, isPacked);
    this.stream = new MessageStream(counter.verifier, Integer.MAX_VALUE, () -> {});
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    any = true;
    try {
      if (op == Op.PULL) {
        requests.feed(
            in, (sequence, length, measured) -> writer.message(ctx, sequence, length, measured));
        return;
      }
      if (!stream.feed(in, in.readerIndex(), in.writerIndex())) {
        ctx.close();
      } else if (op == Op.ECHO) {
        writer.write(ctx, in.retain());
      }
    } finally {
      in.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (!any) {
      return;
    }
    any = false;
    counter.verifier.onBatchEnd(System.nanoTime());
    long messages = counter.verifier.messages();
    if (op == Op.PUSH && messages != acknowledged) {
      acknowledged = messages;
      writer.room(ctx, Long.BYTES).writeLong(messages);
    }
    writer.flush(ctx);
    ctx.channel().config().setAutoRead(ctx.channel().isWritable());
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    ctx.channel().config().setAutoRead(ctx.channel().isWritable());
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    writer.release();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }

  /** Reads 16-byte requests off the stream. */
  private static final class PullRequestReader {
    interface Consumer {
      void onRequest(long sequence, int lengthBytes, boolean measured);
    }

    private final ByteBuf partial = Unpooled.buffer(MessageHeader.LENGTH, MessageHeader.LENGTH);

    void feed(ByteBuf in, Consumer consumer) {
      while (in.isReadable()) {
        in.readBytes(partial, Math.min(partial.writableBytes(), in.readableBytes()));
        if (!partial.isWritable()) {
          consumer.onRequest(
              MessageHeader.sequence(partial, 0),
              MessageHeader.lengthBytes(partial, 0),
              MessageHeader.isMeasured(partial, 0));
          partial.clear();
        }
      }
    }
  }
}
