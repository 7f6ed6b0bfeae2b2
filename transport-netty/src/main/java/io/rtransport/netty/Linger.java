package io.rtransport.netty;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Close that waits for the drain for a limited time (SO_LINGER above 0). Confined to the event
 * loop.
 */
final class Linger {
  private Runnable close;
  private Future<?> limit;

  boolean isWaiting() {
    return close != null;
  }

  /** Runs {@code newClose} at {@link #end}, or after {@code seconds}. */
  void begin(Runnable newClose, EventLoop loop, int seconds) {
    close = newClose;
    limit = loop.schedule(this::end, seconds, TimeUnit.SECONDS);
  }

  void end() {
    if (close != null) {
      Runnable closing = close;
      close = null;
      limit.cancel(false);
      closing.run();
    }
  }
}
