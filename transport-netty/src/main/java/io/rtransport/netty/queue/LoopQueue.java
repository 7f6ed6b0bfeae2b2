package io.rtransport.netty.queue;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.rtransport.core.queue.CompletionQueue;
import io.rtransport.core.queue.EventQueue;
import java.util.concurrent.TimeUnit;

/** An event queue on its event loop: keeps its deadline. Confined to the event loop. */
final class LoopQueue {
  final EventLoop loop;
  final EventQueue events;
  private Future<?> timer; // null while none is set
  private long timerNs;

  LoopQueue(EventLoop loop, EventQueue events) {
    this.loop = loop;
    this.events = events;
  }

  void announce(CompletionQueue queue, int entries, long nowNs) {
    events.announce(queue, entries, nowNs);
    setTimer(nowNs);
  }

  void delayNs(long delayNs) {
    events.delayNs(delayNs);
  }

  /**
   * Has the loop come at the event queue's deadline, if it has one. One timer at most; it is set
   * anew if the deadline is earlier: the delay has become shorter.
   */
  private void setTimer(long nowNs) {
    if (!events.hasDeadline() || timer != null && events.deadlineNs() - timerNs >= 0) {
      return;
    }
    if (timer != null) {
      timer.cancel(false);
    }
    timerNs = events.deadlineNs();
    timer = loop.schedule(this::onTimer, Math.max(0, timerNs - nowNs), TimeUnit.NANOSECONDS);
  }

  private void onTimer() {
    timer = null;
    long nowNs = loop.ticker().nanoTime();
    events.onTimeout(nowNs);
    setTimer(nowNs);
  }
}
