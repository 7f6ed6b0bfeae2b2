package io.rtransport.netty;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server channel's connections between their set-up and the server channel's pipeline, and whether it wants more. From its own loop one
 * enters at once; from another it comes by a task, and waits if the application has asked for none meanwhile. Of those there are never more
 * than SO_BACKLOG, and a few for loops that looked at the same time; without {@code autoRead}, one a loop.
 */
final class ArrivingChildren {
  private final RtServerChannel server;
  private final AtomicInteger held = new AtomicInteger();
  private final Queue<RtChannel> waiting = new ArrayDeque<>();

  ArrivingChildren(RtServerChannel server) {
    this.server = server;
  }

  /** Whether another may come. Any of the server channel's loops. */
  boolean isWanting() {
    if (!server.ports().areSeveral()) {
      return server.isReadPending();
    }
    // With autoRead the next read follows at once: what comes on another loop between two is not to
    // be turned away.
    return server.config().isAutoRead()
        ? held.get() < Math.max(1, server.config().getBacklog())
        : server.isReadPending() && held.get() == 0;
  }

  /** One was set up. On its loop. */
  void add(RtChannel child) {
    boolean isSameLoop = server.eventLoop().inEventLoop();
    if (isSameLoop && (server.isReadPending() || !server.ports().areSeveral())) {
      offer(child);
      return;
    }
    child.link().arrival().park();
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

  private void enter(RtChannel child) {
    if (!server.isActive()) {
      held.decrementAndGet();
      refuse(child);
    } else if (server.isReadPending() && waiting.isEmpty()) {
      held.decrementAndGet();
      offer(child);
    } else {
      waiting.add(child);
    }
  }

  /** Gives {@code child} to the server's handlers, which are to register it: at once, or within the server's connect timeout. */
  private void offer(RtChannel child) {
    Throwable failure = server.fireAccepted(child);
    long limitNs = server.config().registrationLimitNs();
    if (child.driver().loop().inEventLoop()) {
      child.link().arrival().onOffered(failure, limitNs);
    } else { // behind the task that registers it
      child.onLoopIfAny(() -> child.link().arrival().onOffered(failure, limitNs));
    }
  }

  /** The application asks for one. On the server channel's loop. */
  void onRead() {
    if (!waiting.isEmpty()) {
      server.eventLoop().execute(this::enterNext); // not in the call that asks
    }
  }

  private void enterNext() {
    RtChannel child = server.isReadPending() ? waiting.poll() : null;
    if (child != null) {
      held.decrementAndGet();
      offer(child);
    }
  }

  /** The server channel has closed: nobody takes them. */
  void close() {
    for (RtChannel child = waiting.poll(); child != null; child = waiting.poll()) {
      held.decrementAndGet();
      refuse(child);
    }
  }

  private static void refuse(RtChannel child) {
    try {
      child.driver().loop().execute(() -> child.unsafe().close(child.unsafe().voidPromise()));
    } catch (RejectedExecutionException e) {
      // Its loop has ended, and the connection with it.
    }
  }
}
