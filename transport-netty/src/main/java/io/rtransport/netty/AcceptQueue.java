package io.rtransport.netty;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Queue of a server channel's connections between their set-up and the server channel's pipeline.
 * It also decides whether there is room for another. A connection enters the pipeline at once if it
 * is set up on the server channel's own loop while the application waits for it. Every other one
 * waits here. At most SO_BACKLOG wait, and one more for each other loop that checked at the same
 * time. A connection that ends meanwhile gives its place up. Confined to the server channel's loop,
 * except where a method says otherwise.
 */
final class AcceptQueue {
  private final DefaultRtServerChannel server;

  /**
   * Number of connections that are set up and not yet read. It includes those on their way to the
   * server channel's loop.
   */
  private final AtomicInteger held = new AtomicInteger();

  private final Set<DefaultRtChannel> waiting = new LinkedHashSet<>();
  private final ChannelFutureListener leaving =
      closed -> onClosed((DefaultRtChannel) closed.channel());

  AcceptQueue(DefaultRtServerChannel server) {
    this.server = server;
  }

  /** Returns whether another connection may come. Any of the server channel's loops. */
  boolean hasRoom() {
    return held.get() < Math.max(1, server.config().getBacklog());
  }

  /** Takes a connection that was set up. On the connection's loop. */
  void add(DefaultRtChannel child) {
    boolean isSameLoop = server.eventLoop().inEventLoop();
    if (isSameLoop && canEnter()) {
      offer(child);
      return;
    }
    held.incrementAndGet();
    if (isSameLoop) {
      enter(child);
      return;
    }
    try {
      server.eventLoop().execute(() -> enter(child));
    } catch (RejectedExecutionException e) {
      held.decrementAndGet();
      refuse(child);
    }
  }

  private void enter(DefaultRtChannel child) {
    waiting.add(child);
    child.closeFuture().addListener(leaving);
    if (!server.isActive()) {
      close();
    } else if (waiting.size() == 1) {
      enterNext();
    }
  }

  private boolean canEnter() {
    return server.isReadPending() && waiting.isEmpty();
  }

  /**
   * Gives {@code child} to the server's handlers. They must register it at once, or within the
   * server's connect timeout.
   */
  private void offer(DefaultRtChannel child) {
    Throwable failure = server.fireAccepted(child);
    long limitNs = server.config().registrationLimitNs();
    if (child.driver().loop().inEventLoop()) {
      child.link().arrival().onOffered(failure, limitNs);
    } else { // runs after the task that registers the child
      child.onLoopIfAny(() -> child.link().arrival().onOffered(failure, limitNs));
    }
  }

  /** Tells that the application asks for one connection. */
  void onRead() {
    if (!waiting.isEmpty()) {
      server.eventLoop().execute(this::enterNext); // not within the call that asks
    }
  }

  private void enterNext() {
    DefaultRtChannel child = server.isReadPending() ? poll() : null;
    if (child != null) {
      offer(child);
    }
  }

  /** Takes the first connection that is still open; null if there is none. */
  private DefaultRtChannel poll() {
    for (Iterator<DefaultRtChannel> i = waiting.iterator(); i.hasNext(); ) {
      DefaultRtChannel child = i.next();
      i.remove();
      held.decrementAndGet();
      child.closeFuture().removeListener(leaving);
      if (child.isOpen()) {
        return child;
      }
    }
    return null;
  }

  /** Frees the place of a connection that ended before it was read. On the connection's loop. */
  private void onClosed(DefaultRtChannel child) {
    EventLoop loop = server.eventLoop();
    if (loop.inEventLoop()) {
      leave(child);
      return;
    }
    try {
      loop.execute(() -> leave(child));
    } catch (RejectedExecutionException e) {
      // The server channel has ended with its loop.
    }
  }

  private void leave(DefaultRtChannel child) {
    if (waiting.remove(child)) {
      held.decrementAndGet();
    }
  }

  /** Refuses all waiting connections: the server channel has closed. */
  void close() {
    for (DefaultRtChannel child = poll(); child != null; child = poll()) {
      refuse(child);
    }
  }

  private static void refuse(DefaultRtChannel child) {
    try {
      child.driver().loop().execute(child.link().arrival()::onServerClosed);
    } catch (RejectedExecutionException e) {
      // Its loop has ended, and the connection with it.
    }
  }
}
