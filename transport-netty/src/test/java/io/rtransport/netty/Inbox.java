package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Keeps what a channel reads, and the order of its life-cycle events. */
final class Inbox extends ChannelInboundHandlerAdapter {
  private final BlockingQueue<Object> messages = new LinkedBlockingQueue<>();
  private final Queue<String> events = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  /** The next message; a buffer as its bytes. */
  Object next() throws InterruptedException {
    Object message = messages.poll(20, TimeUnit.SECONDS);
    assertThat(message).as("message within 20 s; failures: %s", failures).isNotNull();
    return message;
  }

  byte[] nextBytes() throws InterruptedException {
    return (byte[]) next();
  }

  int waiting() {
    return messages.size();
  }

  Queue<String> events() {
    return events;
  }

  Queue<Throwable> failures() {
    return failures;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    events.add("active");
    ctx.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    events.add("inactive");
    ctx.fireChannelInactive();
  }

  @Override
  public void channelUnregistered(ChannelHandlerContext ctx) {
    events.add("unregistered");
    ctx.fireChannelUnregistered();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof ByteBuf buffer) {
      messages.add(ByteBufUtil.getBytes(buffer));
      buffer.release();
    } else {
      messages.add(message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    events.add("complete");
    ctx.fireChannelReadComplete();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    events.add(ctx.channel().isWritable() ? "writable" : "unwritable");
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    failures.add(cause);
  }
}
