package io.rtransport.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.rtransport.netty.internal.loop.LoopBuffers;
import java.net.InetSocketAddress;

/**
 * An RT channel as its queues of reads and writes see it. On the event loop only, but for what
 * {@link RtChannel} has and {@link #onLoop}.
 *
 * <p>A class, as {@link Link} is, for the queues ask both several times a message: the compiler
 * calls a class that has one heir directly, where each call of an interface checks its receiver.
 */
abstract class LinkedChannel extends AbstractChannel implements RtChannel, TransferContext {
  LinkedChannel(Channel parent) {
    super(parent);
  }

  @Override
  public final RtServerChannel parent() {
    return (RtServerChannel) super.parent();
  }

  @Override
  public final InetSocketAddress localAddress() {
    return (InetSocketAddress) super.localAddress();
  }

  @Override
  public final InetSocketAddress remoteAddress() {
    return (InetSocketAddress) super.remoteAddress();
  }

  @Override
  public final ByteBufAllocator alloc() {
    return config().getAllocator();
  }

  /** Null before there is a connection. */
  abstract Link link();

  /** What the event loop lends to all of its channels; not before there is a connection. */
  abstract LoopBuffers buffers();

  /** Runs {@code action} on the event loop, now if this is it; what it submits leaves soon. */
  abstract void onLoop(Runnable action);

  /** The application has been told of the end of its input. */
  abstract void inputShutdown();
}
