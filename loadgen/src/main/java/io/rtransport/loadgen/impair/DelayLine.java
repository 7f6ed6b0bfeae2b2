package io.rtransport.loadgen.impair;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/**
 * Datagrams in flight, ordered by their arrival time; equal times in the order of their entry.
 * Confined to its event loop.
 */
final class DelayLine {
  /** Most datagrams held, about 750 MB. Further ones are dropped. */
  private static final int HELD_MAX = 1 << 19;

  private record Held(long dueNs, long order, ByteBuf datagram, ProxyOutput output)
      implements Comparable<Held> {
    @Override
    public int compareTo(Held other) {
      int byTime = Long.compare(dueNs, other.dueNs);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final EventLoop loop;
  private final PriorityQueue<Held> held = new PriorityQueue<>();
  private long orders;
  private long armedNs = Long.MAX_VALUE;

  DelayLine(EventLoop loop) {
    this.loop = loop;
  }

  /** Adds a datagram. Takes ownership of the reference. Returns whether there was room for it. */
  boolean add(long dueNs, ByteBuf datagram, ProxyOutput output, long nowNs) {
    if (held.size() >= HELD_MAX) {
      datagram.release();
      return false;
    }
    held.add(new Held(dueNs, orders++, datagram, output));
    arm(nowNs);
    return true;
  }

  /** Releases everything that is due. */
  void release(long nowNs) {
    ProxyOutput last = null;
    while (!held.isEmpty() && held.peek().dueNs <= nowNs) {
      Held due = held.remove();
      if (last != null && last != due.output) {
        last.flush();
      }
      last = due.output;
      last.write(due.datagram);
    }
    if (last != null) {
      last.flush();
    }
    arm(nowNs);
  }

  /** Drops everything that waits. */
  void clear() {
    held.forEach(waiting -> waiting.datagram.release());
    held.clear();
  }

  private void arm(long nowNs) {
    if (!held.isEmpty() && held.peek().dueNs < armedNs) {
      long dueNs = held.peek().dueNs;
      armedNs = dueNs;
      loop.schedule(() -> onTimer(dueNs), Math.max(0, dueNs - nowNs), TimeUnit.NANOSECONDS);
    }
  }

  private void onTimer(long dueNs) {
    if (armedNs == dueNs) {
      armedNs = Long.MAX_VALUE;
    }
    release(System.nanoTime());
  }
}
