package io.rtransport.netty.node;

import io.netty.channel.EventLoop;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.internal.loop.Doubtful;
import io.rtransport.netty.internal.loop.LoopCounters;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Looks at a router while messages are on their way by it, and others may lead there too. If these
 * rest, it looks when the first of them rests no more. Confined to {@code home}.
 */
final class RouterWatch {
  private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(25);

  /** Who has messages at the router. On {@code home}. */
  interface Owner {
    /** Returns the connection to the router; null: there is none. */
    RtConnection router();

    /**
     * Returns how long it is until another router can take its place, ns. {@link Long#MAX_VALUE}:
     * there is no other, or nothing is on its way by this one.
     */
    long otherWaitNs();

    /** Tells that it does not answer, and that another one can take its place. */
    void onDoubt(RtConnection router);
  }

  private final EventLoop home;
  private final Owner owner;
  private volatile boolean isWatching;

  RouterWatch(EventLoop home, Owner owner) {
    this.home = home;
    this.owner = owner;
  }

  /** Begins to look, if there is reason to. */
  void watch() {
    RtConnection router = owner.router();
    long waitNs = isWatching || router == null ? Long.MAX_VALUE : owner.otherWaitNs();
    if (waitNs != Long.MAX_VALUE) {
      isWatching = true;
      long afterNs = Math.max(INTERVAL_NS, waitNs);
      home.schedule(() -> look(router), afterNs, TimeUnit.NANOSECONDS);
    }
  }

  /** Does as {@link #watch} does, later. Any thread. */
  void watchLater() {
    if (!isWatching) {
      onHome(this::watch);
    }
  }

  private void onHome(Runnable task) {
    try {
      home.execute(task);
    } catch (RejectedExecutionException e) {
      // the node has ended, and nobody waits any more
    }
  }

  private void look(RtConnection router) {
    Doubtful seen = (Doubtful) router.channel();
    LoopCounters.onLoopOrAfter(
        router.channel().eventLoop(),
        () -> {
          boolean isInDoubt = seen.isInDoubt();
          onHome(() -> onSeen(router, isInDoubt));
        });
  }

  private void onSeen(RtConnection router, boolean isInDoubt) {
    isWatching = false;
    if (isInDoubt && owner.router() == router && owner.otherWaitNs() == 0) {
      owner.onDoubt(router);
    }
    watch();
  }
}
