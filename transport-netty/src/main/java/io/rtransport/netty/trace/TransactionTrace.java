package io.rtransport.netty.trace;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.netty.Pull;
import io.rtransport.netty.Push;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtException;
import io.rtransport.netty.RtPayload;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.RtPush;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes trace lines for the application's writes and reads, the end of each write, and the
 * channel's own events. It stands behind {@code rt-transaction}.
 */
final class TransactionTrace extends ChannelDuplexHandler {
  private final TraceLines lines;
  private long writes;

  TransactionTrace(TraceLines lines) {
    this.lines = lines;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    long number = ++writes;
    Map<String, Object> line = lines.begin("write");
    line.put("transaction", number);
    putMessage(line, message);
    lines.end(line);
    if (!promise.isVoid()) {
      long beginNs = lines.nowNs();
      promise.addListener(done -> tellEnd(number, beginNs, done.cause()));
    }
    ctx.write(message, promise);
  }

  private void tellEnd(long number, long beginNs, Throwable cause) {
    Map<String, Object> line = lines.begin("end");
    line.put("transaction", number);
    line.put("durationNs", lines.nowNs() - beginNs);
    if (cause == null) {
      line.put("outcome", "COMPLETED");
    } else if (cause instanceof RtException failure) {
      line.put("outcome", failure.outcome().name());
      line.put("code", Integer.toUnsignedLong(failure.code()));
      line.put("fromTransport", failure.isFromTransport());
      line.put("text", failure.getMessage());
    } else {
      line.put("outcome", null); // never begun, or a sink of this side failed
      line.put("text", cause.toString());
    }
    lines.end(line);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    Map<String, Object> line = lines.begin("read");
    putMessage(line, message);
    lines.end(line);
    ctx.fireChannelRead(message);
  }

  private static void putMessage(Map<String, Object> line, Object message) {
    if (message instanceof ByteBuf buffer) {
      put(line, "message", buffer.readableBytes(), 0);
    } else if (message instanceof Push push) {
      put(line, "push", push.payload().lengthBytes(), push.header().length);
    } else if (message instanceof RtPush push) {
      put(line, "push", push.lengthBytes(), push.header().length);
    } else if (message instanceof Pull pull) {
      put(line, "pull", pull.lengthBytesMax(), pull.header().length);
    } else if (message instanceof RtPullRequest request) {
      put(line, "pull", request.lengthBytesMax(), request.header().length);
    } else if (message instanceof RtPayload payload) {
      put(line, "message", payload.lengthBytes(), 0);
    } else if (message instanceof FileRegion region) {
      put(line, "message", region.count(), 0);
    } else {
      line.put("kind", message.getClass().getSimpleName());
    }
  }

  private static void put(
      Map<String, Object> line, String kind, long lengthBytes, int headerBytes) {
    line.put("kind", kind);
    line.put("bytes", lengthBytes);
    line.put("headerBytes", headerBytes);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    Map<String, Object> line = lines.begin("active");
    line.put("local", String.valueOf(ctx.channel().localAddress()));
    line.put("remote", String.valueOf(ctx.channel().remoteAddress()));
    lines.end(line);
    ctx.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    Map<String, Object> line = lines.begin("inactive");
    CloseReason reason = ((RtChannel) ctx.channel()).closeReason();
    line.put("reason", reason == null ? null : json(reason));
    lines.end(line);
    ctx.fireChannelInactive();
  }

  private static Map<String, Object> json(CloseReason reason) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("code", Integer.toUnsignedLong(reason.code()));
    map.put("name", CloseCode.nameOf(reason.code()));
    map.put("text", reason.text());
    map.put("byPeer", reason.isByPeer());
    return map;
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    Map<String, Object> line = lines.begin("writability");
    line.put("writable", ctx.channel().isWritable());
    lines.end(line);
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    Map<String, Object> line = lines.begin("exception");
    line.put("text", cause.toString());
    lines.end(line);
    ctx.fireExceptionCaught(cause);
  }
}
