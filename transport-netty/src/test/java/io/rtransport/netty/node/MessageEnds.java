package io.rtransport.netty.node;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Waits for ends of messages. */
final class MessageEnds {
  private MessageEnds() {}

  /** Returns the value of a message that has completed within 20 s. */
  static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  /** Returns why a message has failed within 20 s. */
  static NodeException failureOf(CompletableFuture<?> future) throws Exception {
    try {
      get(future);
      throw new AssertionError("completed");
    } catch (ExecutionException e) {
      return (NodeException) e.getCause();
    }
  }
}
