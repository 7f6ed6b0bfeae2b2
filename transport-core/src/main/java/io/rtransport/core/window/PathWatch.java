package io.rtransport.core.window;

import io.rtransport.core.wire.PingFlyweight;
import java.util.random.RandomGenerator;

/**
 * What watches the paths of a connection that has several: their {@link Suspicion}, the health of
 * their ends ({@link HealthyPaths}), and what the node is told and asks ({@link PathRecovery}). A
 * connection with one path has no such object.
 */
final class PathWatch {
  private static final int NONE = PathSet.NONE;

  private final Suspicion suspicion;
  private final HealthyPaths healthy;
  private final PathRecovery recovery;

  private int room = -1;

  /** Whether the PING that leaves next is one of the recovery, not of the suspicion. */
  private boolean isRecoveryPing;

  PathWatch(SentPackets sent, RandomGenerator random) {
    suspicion = new Suspicion(sent.paths(), sent, random);
    healthy = new HealthyPaths(sent.paths());
    recovery = new PathRecovery(sent.paths(), suspicion, healthy);
  }

  Suspicion suspicion() {
    return suspicion;
  }

  HealthyPaths healthy() {
    return healthy;
  }

  /** Handles a path that was just opened. */
  void onOpened(int index, long nowNs) {
    suspicion.onOpened(index, nowNs);
  }

  /** Handles a path that is being closed. */
  void onClosing(int index) {
    suspicion.onClosing(index);
    recovery.onClosing(index);
  }

  /** Handles a path whose ends are others now. */
  void onEndsChanged(int index) {
    healthy.onChanged(index);
  }

  /** Handles a numbered packet of the peer that came by a path. */
  void onReceived(int index, long nowNs) {
    suspicion.onReceived(index, nowNs);
  }

  /** Handles a report that a path does not work. */
  void onReported(int index, long nowNs) {
    suspicion.onReported(index, nowNs);
  }

  /** Handles a packet of a path that the system did not take. */
  void onRefused(int index, long nowNs) {
    recovery.onRefused(index, nowNs);
  }

  /** Notes which paths' ports have room, a bit for each path. */
  void room(int mask, long nowNs) {
    if (mask != room) {
      recovery.onRoom(mask, nowNs);
      room = mask;
    }
  }

  /** Judges all paths: after acknowledgements, and at a deadline. */
  void judge(long nowNs) {
    suspicion.judge(nowNs);
    recovery.judge(nowNs);
  }

  /** Handles the end of the connection: nothing was acknowledged on any path for the total. */
  void onGivenUp(long nowNs) {
    recovery.onGivenUp(nowNs);
  }

  /** Returns the index of a path on which a PING leaves now, or NONE. */
  int duePing(long nowNs) {
    int asked = suspicion.duePing(nowNs);
    isRecoveryPing = asked == NONE;
    return isRecoveryPing ? recovery.duePing(nowNs) : asked;
  }

  /** Returns the UDP payload of the PING that is due on a path. */
  int pingBytes(int index) {
    return isRecoveryPing ? PingFlyweight.PACKET_LENGTH : suspicion.pingBytes(index);
  }

  /** Handles the PING that was due and has left with this id. */
  void onPinged(int index, int id, long nowNs) {
    if (isRecoveryPing) {
      recovery.onPinged(index, id, nowNs);
    } else {
      suspicion.onPinged(index, id, nowNs);
    }
  }

  /** Handles a PONG that came by a path. Returns whether it answers a PING from here. */
  boolean onPong(int index, int id, long nowNs) {
    if (suspicion.onPong(index, id, nowNs)) {
      recovery.onAnswered(index, nowNs);
      return true;
    }
    return recovery.onPong(index, id, nowNs);
  }

  /** Returns when {@link #judge} or {@link #duePing} has work without input. */
  long deadlineNs() {
    return Math.min(suspicion.deadlineNs(), recovery.deadlineNs());
  }
}
