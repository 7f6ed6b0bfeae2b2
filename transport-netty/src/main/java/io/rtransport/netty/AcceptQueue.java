package io.rtransport.netty;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server channel's connections between their set-up and the server channel's pipeline, and
 * whether there is room for another. One that is set up on the server channel's own loop, while the
 * application waits for it, enters at once. Every other one waits its turn here: at most SO_BACKLOG
 * of them, and one more for each other loop that looked at the same time. A connection that ends
 * meanwhile gives its place up. Confined to the server channel's loop but for what says otherwise.
 */
final class AcceptQueue {
  private final DefaultRtServerChannel server;

  /** Set up and not yet read, those included that are on their way to the server channel's loop. */
  private final AtomicInteger held = new AtomicInteger();

  private final Set<DefaultRtChannel> waiting = new LinkedHashSet<>();
  private final ChannelFutureListener leaving =
      closed -> onClosed((DefaultRtChannel) closed.channel());

  AcceptQueue(DefaultRtServerChannel server) {
    this.server = server;
  }

  /** Whether another may come. Any of the server channel's loops. */
  boolean hasRoom() {
    return held.get() < Math.max(1, server.config().getBacklog());
  }

  /** One was set up. On its loop. */
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
   * Gives {@code child} to the server's handlers, which are to register it: at once, or within the
   * server's connect timeout.
   */
  private void offer(DefaultRtChannel child) {
    Throwable failure = server.fireAccepted(child);
    long limitNs = server.config().registrationLimitNs();
    if (child.driver().loop().inEventLoop()) {
      child.link().arrival().onOffered(failure, limitNs);
    } else { // behind the task that registers it
      child.onLoopIfAny(() -> child.link().arrival().onOffered(failure, limitNs));
    }
  }

  /** The application asks for one. */
  void onRead() {
    if (!waiting.isEmpty()) {
      server.eventLoop().execute(this::enterNext); // not in the call that asks
    }
  }

  private void enterNext() {
    DefaultRtChannel child = server.isReadPending() ? poll() : null;
    if (child != null) {
      offer(child);
    }
  }

  /** Takes the first that lives out; null if there is none. */
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

  /** It ended before anybody read it. On its loop. */
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

  /** The server channel has closed: nobody takes them. */
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
