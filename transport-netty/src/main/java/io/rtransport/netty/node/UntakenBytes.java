package io.rtransport.netty.node;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Bound of the bytes of PUTs that come in, or that the application has not answered. A message
 * takes room for all of its bytes before they come. While there is none it waits: it gets no grant,
 * or keeps its credit. One host has at most half of the room, but always room for one message, so
 * that it does not take all from others by announcing what it does not send. Any thread.
 *
 * <p>With each end those ask again that fit then, the first of each host first. One of them may
 * have been given up meanwhile, and takes no room. The next end then lets others ask. Of a host
 * that holds nothing, and has no end to wait for, all ask that fit alone. A short message may pass
 * a long one.
 */
final class UntakenBytes {
  /** Messages of one host that wait. */
  static final int WAITING_MAX = 4_096;

  /** What {@link #take} answers. */
  enum Room {
    /** It has room, until {@link #give}. */
    FREE,
    /** Ask again when told. */
    WAIT,
    /** Too many of its host wait. */
    NONE
  }

  private record Waiter(long bytes, Object owner, Runnable again) {}

  private static final class Host {
    final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
    long bytes;

    boolean isEmpty() {
      return bytes == 0 && waiting.isEmpty();
    }
  }

  private final long bytesMax;
  private final long ofHostMax;
  private final Map<Long, Host> hosts = new HashMap<>();
  private long bytes;
  private int waiting;

  UntakenBytes(long bytesMax) {
    this.bytesMax = bytesMax;
    this.ofHostMax = bytesMax / 2;
  }

  /**
   * Takes room for a message.
   *
   * @param more its bytes, at most {@code bytesMax}
   * @param owner the connection that it comes by, for {@link #forget}
   * @param again told once when it should ask again, for {@link Room#WAIT}
   */
  synchronized Room take(long host, long more, Object owner, Runnable again) {
    if (more == 0) {
      return Room.FREE;
    }
    Host of = hosts.computeIfAbsent(host, absent -> new Host());
    boolean isFree = more <= bytesMax - bytes && (of.bytes == 0 || more <= ofHostMax - of.bytes);
    if (isFree) {
      of.bytes += more;
      bytes += more;
      return Room.FREE;
    }
    if (of.waiting.size() >= WAITING_MAX) {
      return Room.NONE;
    }
    of.waiting.add(new Waiter(more, owner, again));
    waiting++;
    return Room.WAIT;
  }

  /** Gives room back. */
  void give(long host, long less) {
    if (less == 0) {
      return;
    }
    List<Runnable> told = new ArrayList<>();
    synchronized (this) {
      Host of = hosts.get(host);
      of.bytes -= less;
      bytes -= less;
      if (waiting > 0) {
        hosts.values().forEach(each -> wake(each, told));
        waiting -= told.size();
        hosts.values().removeIf(Host::isEmpty);
      } else if (of.isEmpty()) {
        hosts.remove(host);
      }
    }
    told.forEach(Runnable::run);
  }

  private void wake(Host of, List<Runnable> told) {
    long free = bytesMax - bytes;
    if (of.bytes == 0) {
      of.waiting.removeIf(waiter -> waiter.bytes <= free && told.add(waiter.again));
      return;
    }
    long left = Math.min(free, ofHostMax - of.bytes);
    while (!of.waiting.isEmpty() && of.waiting.peek().bytes <= left) {
      Waiter first = of.waiting.poll();
      left -= first.bytes;
      told.add(first.again);
    }
  }

  /** Forgets the messages of a connection that wait: it has ended. */
  synchronized void forget(Object owner) {
    if (waiting == 0) {
      return;
    }
    for (Host each : hosts.values()) { // its address may have changed meanwhile
      int before = each.waiting.size();
      each.waiting.removeIf(waiter -> waiter.owner == owner);
      waiting -= before - each.waiting.size();
    }
    hosts.values().removeIf(Host::isEmpty);
  }

  /** Returns the bytes that have room. */
  synchronized long bytes() {
    return bytes;
  }

  /** Returns how many messages wait. */
  synchronized int waiting() {
    return waiting;
  }
}
