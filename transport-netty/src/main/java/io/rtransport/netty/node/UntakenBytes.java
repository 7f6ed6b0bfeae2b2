package io.rtransport.netty.node;

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
 * <p>Those who wait ask again once a quarter is free, not at the end of each message: all of them
 * ask, since one that was given up meanwhile must not keep the others waiting.
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

  private static final class Host {
    long bytes;
    List<Runnable> waiting = new ArrayList<>();
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
   * @param again told once when it should ask again, for {@link Room#WAIT}
   */
  synchronized Room take(long host, long more, Runnable again) {
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
    of.waiting.add(again);
    waiting++;
    return Room.WAIT;
  }

  /** Gives room back. */
  void give(long host, long less) {
    if (less == 0) {
      return;
    }
    List<Runnable> told;
    synchronized (this) {
      Host of = hosts.get(host);
      of.bytes -= less;
      bytes -= less;
      told = waiting > 0 && bytes <= bytesMax - bytesMax / 4 ? woken() : List.of();
      if (of.bytes == 0 && of.waiting.isEmpty()) {
        hosts.remove(host);
      }
    }
    told.forEach(Runnable::run);
  }

  private List<Runnable> woken() {
    List<Runnable> told = new ArrayList<>();
    for (Host each : hosts.values()) {
      if (each.bytes <= ofHostMax - ofHostMax / 4) {
        told.addAll(each.waiting);
        each.waiting = new ArrayList<>();
      }
    }
    waiting -= told.size();
    hosts.values().removeIf(each -> each.bytes == 0 && each.waiting.isEmpty());
    return told;
  }

  /** Returns the bytes that have room. */
  synchronized long bytes() {
    return bytes;
  }
}
