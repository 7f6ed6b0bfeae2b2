package io.rtransport.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.rtransport.netty.internal.loop.LoopBuffers;
import java.net.InetSocketAddress;

/**
 * An RT channel as its queues of reads and writes see it. On the event loop only, except {@link
 * #onLoop} and the methods of {@link RtChannel}.
 *
 * <p>This is a class, as {@link Link} is, because the queues call both several times for each
 * message. The compiler calls the methods of a class with one subclass directly; each call of an
 * interface would check its receiver.
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

  /** Returns the link; null before there is a connection. */
  abstract Link link();

  /**
   * Returns the buffers that the event loop lends to all its channels. Not before there is a
   * connection.
   */
  abstract LoopBuffers buffers();

  /**
   * Runs {@code action} on the event loop, now if the caller is on it. Messages that the action
   * submits leave soon. If the core asks for payload just now, the action runs in a later task: an
   * application's payload may do anything when it is copied or released.
   */
  abstract void onLoop(Runnable action);

  /** Tells that the application has been told of the end of its input. */
  abstract void inputShutdown();
}
