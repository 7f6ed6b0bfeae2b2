package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Promise;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;
import io.rtransport.loadgen.workload.Session;

/**
 * One TCP connection of the client. Pushes are acknowledged by 8-byte cumulative counts, echoes and
 * answers by their messages. Confined to its event loop.
 */
final class TcpSession extends ChannelInboundHandlerAdapter implements Session {
  private final Op op;
  private final WorkCounter counter;
  private final Listener listener;
  private final Promise<Session> connected;
  private final TcpWriter writer;
  private final MessageStream stream;
  private final CumulativeAckReader acks;
  private ChannelHandlerContext ctx;
  private boolean refused;

  TcpSession(
      Op op,
      MessageContents contents,
      WorkCounter counter,
      Listener listener,
      Promise<Session> connected,
      boolean isPacked) {
    this.op = op;
    this.counter = counter;
    this.listener = listener;
    this.connected = connected;
    this.writer = new TcpWriter(contents, counter, isPacked);
    this.stream =
        new MessageStream(
            counter.verifier,
            Integer.MAX_VALUE,
            () -> listener.onCompleted(counter.verifier.sequence()));
    this.acks = new CumulativeAckReader(listener);
  }

  @Override
  public boolean offer(long sequence, int lengthBytes, boolean measured) {
    if (!ctx.channel().isWritable()) {
      refused = true;
      return false;
    }
    if (op == Op.PULL) {
      MessageHeader.write(
          writer.room(ctx, MessageHeader.LENGTH), sequence, lengthBytes, measured, 0);
    } else {
      writer.message(ctx, sequence, lengthBytes, measured);
    }
    return true;
  }

  @Override
  public void flush() {
    writer.flush(ctx);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    this.ctx = ctx;
    connected.trySuccess(this);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (op == Op.PUSH) {
        acks.feed(in);
      } else if (!stream.feed(in, in.readerIndex(), in.writerIndex())) {
        listener.onClosed("a message with a length that was never sent");
        ctx.close();
      }
    } finally {
      in.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    counter.verifier.onBatchEnd(System.nanoTime());
    listener.onBatchEnd();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (refused && ctx.channel().isWritable()) {
      refused = false;
      listener.onRoom();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    writer.release();
    listener.onClosed("the peer closed the connection");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    listener.onClosed(String.valueOf(cause.getMessage()));
    ctx.close();
  }
}
