package io.rtransport.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.rtransport.core.connection.ApplicationVerbs;
import io.rtransport.core.stats.Counters;
import java.util.concurrent.Executor;

/**
 * What sinks and payloads may use of the channel that their message belongs to. Its {@code
 * toString} names the channel, for the log. On the channel's event loop only, but for what says
 * otherwise.
 */
interface TransferContext {
  /** Any thread. */
  EventLoop eventLoop();

  /** For copies of bytes. */
  ByteBufAllocator alloc();

  /** What reads and writes files. */
  Executor fileExecutor();

  /** What the connection can be asked for; null before there is one. */
  ApplicationVerbs verbs();

  /** What the connection counts; there is one. */
  Counters counters();

  /**
   * Runs {@code action} on the event loop: at once if this is it. Any thread.
   *
   * @return false if the loop has ended, and the connection with it
   */
  boolean onLoopIfAny(Runnable action);
}
