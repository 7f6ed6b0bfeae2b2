package io.rtransport.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.rtransport.core.connection.ApplicationVerbs;
import io.rtransport.core.stats.Counters;
import java.util.concurrent.Executor;

/**
 * A channel as the sinks and payloads of its messages see it. Its {@code toString} names the
 * channel, for the log. On the channel's event loop only, except where a method says otherwise.
 */
interface TransferContext {
  /** Any thread. */
  EventLoop eventLoop();

  /** Returns the allocator for copies of bytes. */
  ByteBufAllocator alloc();

  /** Returns the executor that reads and writes files. */
  Executor fileExecutor();

  /** Returns the verbs of the connection; null before there is one. */
  ApplicationVerbs verbs();

  /** Returns the counters of the connection; null before there is one. */
  Counters counters();

  /**
   * Runs {@code action} on the event loop, at once if the caller is on it. Any thread.
   *
   * @return false if the loop has ended, and the connection with it
   */
  boolean onLoopIfAny(Runnable action);
}
