package io.rtransport.netty.queue;

import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.concurrent.Ticker;

/** An event loop of virtual time that tells when its next timer is due. */
final class TimedLoop extends ManualIoEventLoop {
  private final Ticker ticker;

  TimedLoop(Ticker ticker) {
    super(null, Thread.currentThread(), LocalIoHandler.newFactory(), ticker);
    this.ticker = ticker;
  }

  /**
   * Returns the time of its next timer, in its ticker's ns; {@link Long#MAX_VALUE}: it has none.
   */
  long nextTimerNs() {
    long leftNs = nextScheduledTaskNano();
    return leftNs < 0 ? Long.MAX_VALUE : ticker.nanoTime() + leftNs;
  }
}
