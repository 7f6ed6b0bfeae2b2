package io.rtransport.netty.facade;

import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.RtException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Futures that an endpoint must end. Each normally ends with its own work. When the endpoint or its
 * event loops have ended, no event comes any more, so this class ends the rest. Any thread.
 */
final class PendingFutures {
  private final EventLoopGroup loops;
  private final Set<CompletableFuture<?>> pending = ConcurrentHashMap.newKeySet();
  private final GenericFutureListener<Future<Object>> onTermination = terminated -> end();
  private volatile boolean isEnded;

  @SuppressWarnings("unchecked")
  PendingFutures(EventLoopGroup loops) {
    this.loops = loops;
    ((Future<Object>) loops.terminationFuture()).addListener(onTermination);
  }

  /**
   * Returns a new future that must be ended. If this object has ended, the future has failed
   * already, and the caller must begin nothing.
   */
  <T> LoopFuture<T> begin() {
    LoopFuture<T> future = new LoopFuture<>(loops);
    pending.add(future);
    future.whenComplete((value, failure) -> pending.remove(future));
    if (isEnded) {
      fail(future, Outcome.NOT_EXECUTED);
    }
    return future;
  }

  /**
   * Ends everything: nothing is begun any more, and the remaining futures fail. The loops may live
   * on.
   */
  @SuppressWarnings("unchecked")
  void end() {
    isEnded = true;
    ((Future<Object>) loops.terminationFuture()).removeListener(onTermination);
    for (CompletableFuture<?> future : pending) {
      fail(future, Outcome.UNKNOWN);
    }
  }

  private static void fail(CompletableFuture<?> future, Outcome outcome) {
    future.completeExceptionally(
        new RtException(outcome, CloseCode.ABORTED.code(), "the endpoint is shut down", true));
  }

  /** Returns the number of futures not yet ended, for tests. */
  int count() {
    return pending.size();
  }
}
