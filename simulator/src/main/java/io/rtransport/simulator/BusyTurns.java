package io.rtransport.simulator;

import io.rtransport.core.wire.ClearHeaderFlyweight;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Event loop of a host whose work takes time. Each packet that it reads or sends, and each turn,
 * takes some. Datagrams that arrive meanwhile wait in its socket's buffer. A turn has Netty's
 * order: sockets, then the deadline that is due, then tasks. So overload exists in virtual time.
 * With it come late turns, unread answers, and packets sent in a late turn.
 */
final class BusyTurns {
  /** The calls of a turn. */
  interface Host {
    /** Takes one datagram off a socket. */
    void read(Datagram datagram);

    /** Ends the read batch: acknowledge and transmit. */
    void readComplete();

    /** Returns the soonest deadline of the core. */
    long nextDeadlineNs();

    /** Lets the core's timers act. */
    void onTimeout();
  }

  /** Datagrams of a socket in one turn, as in Netty's read loop. */
  private static final int READS_MAX = 32;

  /** Short datagrams in a socket buffer of 4 MiB; the kernel counts about 768 bytes for each. */
  private static final int UNREAD_MAX = 5_400;

  private static final long NONE = Long.MAX_VALUE;

  private final Host host;
  private final long packetNs;
  private final long turnNs;

  /** Whether each connection has a socket of its own, like a client's. */
  private final boolean hasManySockets;

  private final ArrayDeque<Datagram> unread = new ArrayDeque<>();
  private final Map<Integer, Integer> unreadByCid = new HashMap<>();
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private long freeNs = Long.MIN_VALUE;
  private long armedNs = NONE;
  private boolean isLooking;
  private long workNs;
  private long drops;

  BusyTurns(Host host, long packetNs, long turnNs, boolean hasManySockets) {
    this.host = host;
    this.packetNs = packetNs;
    this.turnNs = turnNs;
    this.hasManySockets = hasManySockets;
  }

  /** Puts a datagram into the socket's buffer. */
  void arrive(Datagram datagram) {
    if (unread.size() >= UNREAD_MAX) {
      drops++;
      return;
    }
    unread.add(datagram);
    unreadByCid.merge(cidOf(datagram), 1, Integer::sum);
  }

  private static int cidOf(Datagram datagram) {
    return ClearHeaderFlyweight.peekDestinationCid(datagram.bytes, 0, datagram.length);
  }

  /** Adds a task, which runs on the loop, in its turn. */
  void execute(Runnable task) {
    tasks.add(task);
  }

  /** Lets the scheduler give the processor to another process. */
  void pause(long nowNs, long durationNs) {
    freeNs = Math.max(freeNs, nowNs) + durationNs;
  }

  boolean mayHaveUnread(int cid) {
    return hasManySockets ? unreadByCid.getOrDefault(cid, 0) > 0 : !unread.isEmpty();
  }

  /** Counts a packet that leaves in this turn. Returns the time that the turn has taken by then. */
  long onSend() {
    workNs += packetNs;
    return workNs;
  }

  /** Returns when the next turn begins. */
  long nextNs() {
    boolean isReady = !unread.isEmpty() || !tasks.isEmpty() || isLooking;
    return isReady ? freeNs : Math.max(freeNs, armedNs);
  }

  /** Runs one turn of the loop. */
  void turn(long nowNs) {
    workNs = turnNs;
    int reads = hasManySockets ? unread.size() : Math.min(unread.size(), READS_MAX);
    for (int i = 0; i < reads; i++) {
      Datagram datagram = unread.poll();
      unreadByCid.merge(cidOf(datagram), -1, Integer::sum);
      workNs += packetNs;
      host.read(datagram);
    }
    if (reads > 0) {
      host.readComplete();
    }
    if (isLooking) {
      isLooking = false;
      host.onTimeout();
    } else if (armedNs <= nowNs) {
      isLooking = true;
    }
    for (int left = tasks.size(); left > 0; left--) {
      tasks.poll().run();
    }
    freeNs = nowNs + workNs;
    if (!isLooking) {
      long next = host.nextDeadlineNs();
      armedNs = next == NONE ? NONE : Math.max(next, freeNs);
    }
  }

  /** Arms the deadline of the core again, when it was set outside a turn. */
  void rearm(long nowNs) {
    long next = host.nextDeadlineNs();
    if (!isLooking && next < armedNs) {
      armedNs = Math.max(next, nowNs);
    }
  }

  /** Returns the datagrams that found the socket's buffer full. */
  long drops() {
    return drops;
  }
}
