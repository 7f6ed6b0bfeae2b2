package io.rtransport.loadgen.impair;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/**
 * Datagrams on their way, by the time at which they arrive; equal times in the order in which they
 * came. Confined to its event loop.
 */
final class DelayLine {
  /** Beyond this many, datagrams are dropped: some 750 MB of them. */
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
  private long overflowed;

  DelayLine(EventLoop loop) {
    this.loop = loop;
  }

  /** Takes over the reference. */
  void add(long dueNs, ByteBuf datagram, ProxyOutput output, long nowNs) {
    if (held.size() >= HELD_MAX) {
      overflowed++;
      datagram.release();
      return;
    }
    held.add(new Held(dueNs, orders++, datagram, output));
    arm(nowNs);
  }

  /** Hands over everything that is due. */
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

  long overflowed() {
    return overflowed;
  }
}
