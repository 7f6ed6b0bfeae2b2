package io.rtransport.simulator;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;

/**
 * Network of a world, in virtual time. The way of a datagram: {@link #send} copies it, its {@link
 * SimLink} decides whether it is lost, late, damaged or repeated, {@link #arrive} puts it into the
 * {@link SimSocket} at its destination, and {@link SimSocket#read} gives it to the host. The seed
 * alone decides all of that. Events at the same instant have a fixed order: by serial number.
 */
final class SimNetwork {
  private static final int UNDER_WAY_MAX = 30_000;

  /** Most datagrams that are sent again later: as many as a world can afford. */
  private static final int REPLAYS_MAX = 300;

  /**
   * Datagrams of finished worlds, kept by a thread for its next world. Their memory is direct, and
   * expensive to allocate.
   */
  private static final ThreadLocal<ArrayDeque<Datagram>> FREE =
      ThreadLocal.withInitial(ArrayDeque::new);

  /** Says who is where. */
  interface Addresses {
    /** Returns the number of the socket where a datagram is going; −1: nobody is there now. */
    int socketAt(Datagram datagram);
  }

  final SimTotals totals;
  private final Addresses addresses;
  private final ArrayDeque<Datagram> free = FREE.get();
  private final List<SimSocket> sockets = new ArrayList<>();
  private final PriorityQueue<Datagram> underWay =
      new PriorityQueue<>(
          (a, b) ->
              a.arrivalNs != b.arrivalNs
                  ? Long.compare(a.arrivalNs, b.arrivalNs)
                  : Long.compare(a.serial, b.serial));
  private long serial;
  private int replays;

  SimNetwork(Addresses addresses, SimTotals totals) {
    this.addresses = addresses;
    this.totals = totals;
  }

  /**
   * Adds a socket, which has the next number.
   *
   * @param wakeNs longest time from the first unread arrival to the read
   * @param burstMax most datagrams that are read at once
   */
  SimSocket socket(RandomGenerator random, long wakeNs, int burstMax) {
    SimSocket socket = new SimSocket(this, random, wakeNs, burstMax);
    sockets.add(socket);
    return socket;
  }

  /**
   * Adds the direction of a link on which host {@code from} of two sends, and the socket at which
   * that host reads.
   *
   * @param faults of the directions: 0 from host 0 to host 1, 1 back
   */
  SimLink connect(int link, int from, FaultPlan[] faults, long seed) {
    FaultPlan back = faults[1 - from];
    socket(SimRandom.fork(seed, "read " + from), back.wakeNs(), back.burstMax())
        .pausing(back.pause(), back.pauseNs());
    return new SimLink(link, from, faults[from], SimRandom.fork(seed, "network " + from));
  }

  SimSocket socket(int number) {
    return sockets.get(number);
  }

  // ---- the way of a datagram

  /**
   * Sends the bytes, which are copied, over a link.
   *
   * @param sender the end of a swarm's connection that sends them; null for any other
   */
  void send(
      SimLink link,
      Datagram.Sender sender,
      InetSocketAddress from,
      InetSocketAddress to,
      ByteBuffer buffer,
      int offset,
      int length,
      long nowNs) {
    totals.packets++;
    link.carry(take(link, sender, from, to, buffer, offset, length), this, nowNs);
  }

  /** Puts a datagram under way. */
  void depart(Datagram datagram, long arrivalNs) {
    datagram.arrivalNs = arrivalNs;
    datagram.serial = serial++;
    underWay.add(datagram);
  }

  /** Returns whether one more datagram may be replayed. */
  boolean mayReplay() {
    return replays++ < REPLAYS_MAX;
  }

  /** Moves the datagrams that have arrived by {@code nowNs} to the sockets. */
  void arrive(long nowNs) {
    while (nextArrivalNs() <= nowNs) {
      Datagram datagram = underWay.poll();
      if (!datagram.isQueued) {
        datagram.link.onArrived(datagram, totals);
      }
      int number = addresses.socketAt(datagram);
      if (number < 0) {
        totals.misdirected++;
        free(datagram);
      } else {
        sockets.get(number).arrive(datagram);
      }
    }
  }

  // ---- memory

  /**
   * Returns a datagram from the pool. A world with more datagrams under way than its whole workload
   * makes is one that spins.
   */
  Datagram take(
      SimLink link,
      Datagram.Sender sender,
      InetSocketAddress from,
      InetSocketAddress to,
      ByteBuffer buffer,
      int offset,
      int length) {
    if (underWay.size() >= UNDER_WAY_MAX) {
      throw InvariantViolation.of(
          Invariant.PROGRESS, "%,d datagrams are under way", underWay.size());
    }
    Datagram datagram = free.isEmpty() ? new Datagram() : free.pop();
    datagram.fill(buffer, offset, length);
    datagram.link = link;
    datagram.sender = sender;
    datagram.source = from;
    datagram.destination = to;
    return datagram;
  }

  Datagram copy(Datagram of) {
    Datagram copy = take(of.link, of.sender, of.source, of.destination, of.bytes, 0, of.length);
    copy.index = of.index;
    copy.isCopy = true;
    return copy;
  }

  /** Returns a datagram to the pool: it was read, or lost. */
  void free(Datagram datagram) {
    datagram.link = null;
    datagram.sender = null;
    free.push(datagram);
  }

  /** Returns everything to the pool: the world is over. */
  void close() {
    underWay.forEach(this::free);
    underWay.clear();
    sockets.forEach(SimSocket::clear);
  }

  // ---- time

  /**
   * Returns when the next datagram arrives, which may wake a host; {@link Long#MAX_VALUE} when none
   * is under way.
   */
  long nextArrivalNs() {
    return underWay.isEmpty() ? Long.MAX_VALUE : underWay.peek().arrivalNs;
  }

  int underWayCount() {
    return underWay.size();
  }
}
