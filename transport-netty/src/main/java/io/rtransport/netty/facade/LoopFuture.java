package io.rtransport.netty.facade;

import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.RtException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Future that an event loop of {@code loops} completes. It therefore refuses a wait on such a loop,
 * and so do futures derived from it. Cancelling it gives up its transaction or its attempt.
 */
final class LoopFuture<T> extends CompletableFuture<T> {
  private final EventExecutorGroup loops;
  private volatile Runnable onCancel;

  LoopFuture(EventExecutorGroup loops) {
    this.loops = loops;
  }

  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new LoopFuture<>(loops);
  }

  /** Sets the additional action of {@link #cancel}. */
  void onCancel(Runnable action) {
    onCancel = action;
    if (isCancelled()) {
      action.run();
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    CancellationException cause = new CancellationException("given up");
    cause.initCause(givenUp());
    if (!completeExceptionally(cause)) {
      return isCancelled();
    }
    Runnable action = onCancel;
    if (action != null) {
      action.run();
    }
    return true;
  }

  /**
   * Returns the failure of a cancelled future. Its outcome is unknown: the peer may have got the
   * message before it learns of the cancellation, and nobody waits for its answer.
   */
  private static RtException givenUp() {
    CloseCode code = CloseCode.CANCELLED;
    return new RtException(Outcome.UNKNOWN, code.code(), code.sentence(), true);
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    refuseOnLoop();
    return super.get();
  }

  @Override
  public T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    refuseOnLoop();
    return super.get(timeout, unit);
  }

  @Override
  public T join() {
    refuseOnLoop();
    return super.join();
  }

  private void refuseOnLoop() {
    if (isDone()) {
      return;
    }
    for (EventExecutor loop : loops) {
      if (loop.inEventLoop()) {
        throw new BlockingOperationException(
            "an event loop can not wait for what it is to complete");
      }
    }
  }
}
