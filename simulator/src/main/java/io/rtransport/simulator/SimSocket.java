package io.rtransport.simulator;

import io.rtransport.core.burst.PacketBurst;
import java.util.ArrayDeque;
import java.util.random.RandomGenerator;

/**
 * Where the datagrams of a host wait until it reads them. It does not read at once: it wakes a
 * drawn time after the first unread arrival, and then takes a drawn number of them. So bursts of
 * every size occur. While a host is paused it neither reads nor does anything else.
 */
final class SimSocket {
  private final SimNetwork network;
  private final RandomGenerator random;
  private final long wakeNs;
  private final int burstMax;
  private final ArrayDeque<Datagram> unread = new ArrayDeque<>();
  private double pause;
  private long pauseNs;
  private long wakesAtNs = Long.MAX_VALUE;
  private long pausedUntilNs = Long.MIN_VALUE;
  private boolean isDown;
  private long bytesPerSecond;
  private int queueMax = Integer.MAX_VALUE;
  private final ArrayDeque<Long> departuresNs = new ArrayDeque<>();
  private long lineFreeNs;
  private long queueDrops;

  SimSocket(SimNetwork network, RandomGenerator random, long wakeNs, int burstMax) {
    this.network = network;
    this.random = random;
    this.wakeNs = wakeNs;
    this.burstMax = Math.min(burstMax, PacketBurst.CAPACITY);
  }

  /** Lets a pause of up to {@code ns} follow a read, with the given probability. */
  SimSocket pausing(double probability, long ns) {
    pause = probability;
    pauseNs = ns;
    return this;
  }

  /**
   * Puts a line of limited rate with a drop-tail queue in front of the socket.
   *
   * @param newQueueMax most datagrams that wait for the line
   */
  void limit(long newBytesPerSecond, int newQueueMax) {
    bytesPerSecond = newBytesPerSecond;
    queueMax = newQueueMax;
  }

  /** Takes the line away. */
  void unlimited() {
    bytesPerSecond = 0;
  }

  /** Returns the datagrams that wait for the line now. */
  int queued(long nowNs) {
    while (!departuresNs.isEmpty() && departuresNs.peek() <= nowNs) {
      departuresNs.poll();
    }
    return departuresNs.size();
  }

  /** Returns the datagrams that found the line's queue full. */
  long queueDrops() {
    return queueDrops;
  }

  /** Takes a datagram that has arrived: at once, or after it has waited for the line. */
  void arrive(Datagram datagram) {
    if (bytesPerSecond == 0 || datagram.isQueued) {
      take(datagram);
    } else if (queued(datagram.arrivalNs) >= queueMax) {
      queueDrops++;
      network.free(datagram);
    } else {
      long beginNs = Math.max(lineFreeNs, datagram.arrivalNs);
      lineFreeNs = beginNs + datagram.length * 1_000_000_000L / bytesPerSecond;
      departuresNs.add(lineFreeNs);
      datagram.isQueued = true;
      network.depart(datagram, lineFreeNs);
    }
  }

  private void take(Datagram datagram) {
    if (isDown) {
      network.totals.dropped++;
      network.totals.count(SwarmEvent.UNHEARD);
      network.free(datagram);
      return;
    }
    unread.add(datagram);
    if (wakesAtNs == Long.MAX_VALUE) {
      wakesAtNs = datagram.arrivalNs + (long) (random.nextDouble() * wakeNs);
    }
  }

  /**
   * Gives the host arrived datagrams, as many as it reads at once. The caller must {@link
   * SimNetwork#free} them.
   */
  int read(Datagram[] into, long nowNs) {
    int most = 1 + random.nextInt(burstMax);
    int count = 0;
    while (count < most && !unread.isEmpty()) {
      into[count++] = unread.poll();
    }
    network.totals.bursts++;
    network.totals.burstPackets += count;
    wakesAtNs = unread.isEmpty() ? Long.MAX_VALUE : nowNs;
    if (SimRandom.chance(random, pause)) {
      pause(nowNs + (long) (random.nextDouble() * pauseNs));
      network.totals.pauses++;
    }
    return count;
  }

  void pause(long untilNs) {
    pausedUntilNs = Math.max(pausedUntilNs, untilNs);
  }

  /** Makes the host forget its unread datagrams, and receive none until it is up again. */
  void down(boolean isDownNow) {
    isDown = isDownNow;
    clear();
    wakesAtNs = Long.MAX_VALUE;
    pausedUntilNs = Long.MIN_VALUE;
  }

  void clear() {
    unread.forEach(network::free);
    unread.clear();
  }

  /** Returns when the host next reads; {@link Long#MAX_VALUE} when nothing is unread. */
  long nextReadNs() {
    return runsAtNs(wakesAtNs);
  }

  /** Returns when the host does what is due at {@code dueNs}. It may be paused then. */
  long runsAtNs(long dueNs) {
    return dueNs == Long.MAX_VALUE ? dueNs : Math.max(dueNs, pausedUntilNs);
  }
}
