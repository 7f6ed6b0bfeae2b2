package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts messages, each of which must begin with the next number, from 0. Any thread may ask. */
@Sharable
public final class InOrder extends SimpleChannelInboundHandler<ByteBuf> {
  private final AtomicInteger next = new AtomicInteger();
  private volatile String failure = "";

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
    int number = message.readInt();
    if (number != next.getAndIncrement()) {
      failure = "got " + number + " for " + (next.get() - 1);
    }
  }

  /** Returns how many have come. */
  public int count() {
    return next.get();
  }

  /** Waits for number 0 again. */
  public void restart() {
    next.set(0);
  }

  /** Returns what came out of order; empty: nothing. */
  public String failure() {
    return failure;
  }
}
