package io.rtransport.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Writes down each event that a channel's pipeline brings, in order, and the bytes that it reads.
 * Read on any thread.
 */
final class Journal extends ChannelInboundHandlerAdapter {
  static final String ADDED = "handlerAdded";
  static final String REGISTERED = "registered";
  static final String ACTIVE = "active";
  static final String READ = "read";
  static final String COMPLETE = "readComplete";
  static final String INACTIVE = "inactive";
  static final String UNREGISTERED = "unregistered";
  static final String REMOVED = "handlerRemoved";
  static final String WRITABLE = "writable";
  static final String UNWRITABLE = "unwritable";
  static final String EXCEPTION = "exception";

  private static final int LIMIT_SECONDS = 20;

  private final List<String> events = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();
  private final List<Integer> readLengths = new ArrayList<>();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private int eventsElsewhere;

  /** A line of a test's own. Any thread. */
  synchronized void note(String event) {
    events.add(event);
  }

  private synchronized void add(ChannelHandlerContext ctx, String event) {
    events.add(event);
    if (!ctx.executor().inEventLoop()) {
      eventsElsewhere++;
    }
  }

  synchronized List<String> all() {
    return new ArrayList<>(events);
  }

  /**
   * What is left of {@link #all} without reads and their batches: how many of those there are is
   * the network's affair.
   */
  List<String> life() {
    return all().stream().filter(e -> !e.equals(READ) && !e.equals(COMPLETE)).toList();
  }

  synchronized int count(String event) {
    return (int) events.stream().filter(event::equals).count();
  }

  synchronized List<Throwable> failures() {
    return new ArrayList<>(failures);
  }

  /** Bytes that each read brought. */
  synchronized List<Integer> readLengths() {
    return new ArrayList<>(readLengths);
  }

  synchronized byte[] bytes() {
    return bytes.toByteArray();
  }

  synchronized int size() {
    return bytes.size();
  }

  String text() {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  /** Events that came on another thread than their handler's. */
  synchronized int eventsElsewhere() {
    return eventsElsewhere;
  }

  void awaitText(String expected) {
    await()
        .atMost(LIMIT_SECONDS, TimeUnit.SECONDS)
        .untilAsserted(() -> assertThat(text()).isEqualTo(expected));
  }

  void awaitSize(int expected) {
    await()
        .atMost(LIMIT_SECONDS, TimeUnit.SECONDS)
        .untilAsserted(() -> assertThat(size()).isEqualTo(expected));
  }

  void awaitEvent(String event) {
    await()
        .atMost(LIMIT_SECONDS, TimeUnit.SECONDS)
        .untilAsserted(() -> assertThat(all()).contains(event));
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    add(ctx, ADDED);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    add(ctx, REMOVED);
  }

  @Override
  public void channelRegistered(ChannelHandlerContext ctx) {
    add(ctx, REGISTERED);
    ctx.fireChannelRegistered();
  }

  @Override
  public void channelUnregistered(ChannelHandlerContext ctx) {
    add(ctx, UNREGISTERED);
    ctx.fireChannelUnregistered();
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    add(ctx, ACTIVE);
    ctx.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    add(ctx, INACTIVE);
    ctx.fireChannelInactive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof ByteBuf buffer) {
      synchronized (this) {
        readLengths.add(buffer.readableBytes());
        bytes.writeBytes(ByteBufUtil.getBytes(buffer));
        add(ctx, READ);
      }
      ReferenceCountUtil.release(message);
    } else {
      add(ctx, READ);
      ctx.fireChannelRead(message); // a server channel's, which its acceptor takes
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    add(ctx, COMPLETE);
    ctx.fireChannelReadComplete();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    add(ctx, ctx.channel().isWritable() ? WRITABLE : UNWRITABLE);
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    add(ctx, "user event " + event);
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    synchronized (this) {
      failures.add(cause);
      add(ctx, EXCEPTION);
    }
  }
}
