package io.rtransport.netty.contract;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a handler sees of text that comes, of the ends of both halves, and of the end: text that
 * follows text is one entry, as TCP has no bounds.
 */
@Sharable
final class EndOfInputLog extends ChannelInboundHandlerAdapter {
  private final List<String> entries = new ArrayList<>();
  private boolean isText;

  synchronized List<String> entries() {
    return List.copyOf(entries);
  }

  private synchronized void add(String entry, boolean isMoreText) {
    if (isText && isMoreText) {
      entries.add(entries.remove(entries.size() - 1) + entry);
    } else {
      entries.add(entry);
    }
    isText = isMoreText;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof ByteBuf bytes) {
      add(bytes.toString(StandardCharsets.US_ASCII), true);
      bytes.release();
    } else {
      ctx.fireChannelRead(message);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    add(event.getClass().getSimpleName(), false);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    add("inactive", false);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    add(cause.toString(), false);
  }
}
