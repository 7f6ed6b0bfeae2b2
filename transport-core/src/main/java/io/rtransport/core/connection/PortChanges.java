package io.rtransport.core.connection;

import io.rtransport.core.stats.CounterId;
import java.util.concurrent.TimeUnit;

/**
 * Decides what follows when nothing seems to get through from the source port of an initiator's
 * only path: the path takes a new port, goes back to its former one, or stays where it is. {@link
 * SourcePorts} says how often, and how long the former port is kept.
 *
 * <p>Made when a connection first wants another port. Confined to the event loop.
 */
final class PortChanges {
  /** Longest time between two looks at a source port that is kept. */
  private static final long KEPT_NS_MAX = TimeUnit.SECONDS.toNanos(3);

  /** How long the second port of a handshake is kept, at the least, for late answers. */
  private static final long KEPT_AFTER_SET_UP_NS = TimeUnit.SECONDS.toNanos(1);

  private final ChallengingSide side;
  private final SourcePorts ports = new SourcePorts();

  PortChanges(ChallengingSide side) {
    this.side = side;
  }

  /** Notes that the handshake asks by a second port too. */
  void onAsked(long nowNs) {
    ports.onAsked(nowNs);
    side.counters().increment(CounterId.PORTS_CHANGED);
  }

  /** Notes that the peer has answered by the path's port, not by the one of {@code other}. */
  void onSetUp(Pair other, long nowNs) {
    side.firstPath().former(other, Long.MAX_VALUE);
    ports.onSetUp(other, KEPT_AFTER_SET_UP_NS, nowNs);
  }

  /**
   * Takes a new port for the only path, or goes back to the former one if the peer is heard there
   * and not by the new one. Returns false if the path keeps its port: the last change was too short
   * a time ago, or there is no further port.
   */
  boolean onDoubted(long nowNs) {
    OpenPath path = side.firstPath();
    if (!ports.isDue(nowNs)) {
      return false;
    }
    if (ports.isFormerBetter(path.datagramsReceived())) {
      goBack(path, nowNs);
    } else if (!takeNew(path, nowNs)) {
      return false;
    }
    side.counters().increment(CounterId.PORTS_CHANGED);
    return true;
  }

  private boolean takeNew(OpenPath path, long nowNs) {
    int ni = side.freeNi();
    if (ni < 0 || !side.mayTakePort(nowNs)) {
      return false;
    }
    Pair from = new Pair(path.ni(), path.remote());
    long lateNs = OpenPath.LATE_RTOS * side.retransmissionTimeoutNs();
    ports.onChanged(from, path.datagramsReceived(), Math.min(lateNs, KEPT_NS_MAX), nowNs);
    path.pair(new Pair(ni, path.remote()));
    path.former(ports.former(), Long.MAX_VALUE);
    return true;
  }

  private void goBack(OpenPath path, long nowNs) {
    path.pair(ports.former());
    path.forgetFormer();
    ports.onReturned(path.datagramsReceived(), nowNs);
  }

  /**
   * Goes back to the former port: the driver cannot open the socket of the present one. Returns
   * false if there is no former port.
   */
  boolean onRefused(long nowNs) {
    boolean hasFormer = ports.former() != null;
    if (hasFormer) {
      goBack(side.firstPath(), nowNs);
    }
    return hasFormer;
  }

  /** Notes that a packet came by the former port. */
  void onFormer() {
    ports.onFormer();
  }

  /** Looks whether the former port is still needed. */
  void onTimeout(long nowNs) {
    OpenPath path = side.firstPath();
    if (ports.looksDone(path.datagramsReceived(), nowNs)) {
      path.forgetFormer();
    }
  }

  /** Returns the interface of the former port, as one bit; 0: none is kept. */
  long nis() {
    return ports.former() == null ? 0 : 1L << ports.former().ni();
  }

  long deadlineNs() {
    return ports.deadlineNs();
  }
}
