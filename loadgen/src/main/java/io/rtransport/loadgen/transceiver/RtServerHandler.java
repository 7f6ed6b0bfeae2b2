package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;
import io.rtransport.netty.RtPullRequest;

/**
 * One RT connection of the server. It verifies a message, and the return of {@code channelRead}
 * acknowledges it. Or it sends a verified message back, or answers. It does not read from a client
 * that does not take its echoes. Confined to its event loop.
 */
final class RtServerHandler extends ChannelInboundHandlerAdapter {
  private final Op op;
  private final WorkCounter counter;
  private final RtMessageWriter writer;

  RtServerHandler(Op op, MessageContents contents, WorkCounter counter) {
    this.op = op;
    this.counter = counter;
    this.writer = new RtMessageWriter(contents);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof RtPullRequest request) {
      ByteBuf header = Unpooled.wrappedBuffer(request.header());
      request.respond(
          writer.message(
              ctx.alloc(),
              MessageHeader.sequence(header, 0),
              MessageHeader.lengthBytes(header, 0),
              MessageHeader.isMeasured(header, 0)));
      return;
    }
    ByteBuf in = (ByteBuf) message;
    boolean isIntact = counter.verifier.onMessage(in, in.readerIndex(), in.readableBytes());
    if (op == Op.ECHO && isIntact) {
      ctx.write(in, ctx.voidPromise());
    } else {
      in.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    counter.verifier.onBatchEnd(System.nanoTime());
    if (op == Op.ECHO) {
      ctx.flush();
      ctx.channel().config().setAutoRead(ctx.channel().isWritable());
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (op == Op.ECHO) {
      ctx.channel().config().setAutoRead(ctx.channel().isWritable());
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
