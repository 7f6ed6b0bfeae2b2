package io.rtransport.netty.queue;

import io.netty.channel.EventLoop;
import io.rtransport.core.queue.CompletionQueue;
import io.rtransport.core.queue.EventQueue;
import java.util.concurrent.TimeUnit;

/** An event queue on its event loop: keeps its deadline. Confined to the event loop. */
final class LoopQueue {
  final EventLoop loop;
  final EventQueue events;
  private boolean isTimerSet;

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

  /** Has the loop come at the event queue's deadline, if it has one. One timer at most. */
  private void setTimer(long nowNs) {
    if (!isTimerSet && events.hasDeadline()) {
      isTimerSet = true;
      loop.schedule(this::onTimer, Math.max(0, events.deadlineNs() - nowNs), TimeUnit.NANOSECONDS);
    }
  }

  private void onTimer() {
    isTimerSet = false;
    long nowNs = loop.ticker().nanoTime();
    events.onTimeout(nowNs);
    setTimer(nowNs);
  }
}
