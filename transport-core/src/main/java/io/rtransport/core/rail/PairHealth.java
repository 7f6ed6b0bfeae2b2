package io.rtransport.core.rail;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Health of the two ends of one path: an interface of ours and one of the peer's. What a path
 * notices is reported here, and {@link RailHealth} decides who is charged. Any thread; the caller
 * closes it once.
 */
public final class PairHealth {
  private final RailHealth rail;
  private final PairEnds ends;
  final NiHealth local;
  final NiHealth peer;

  private PairHealth(RailHealth rail, PairEnds ends) {
    this.rail = rail;
    this.ends = ends;
    this.local = ends.local;
    this.peer = ends.peer;
  }

  /**
   * Returns the health of a pair, for one path.
   *
   * @param network the network of both ends; empty for none
   * @param local our address; null if it is not known
   * @param remote the peer's address
   * @param peer tells peers apart, whatever their addresses
   */
  public static PairHealth open(
      RailHealth rail, String network, InetAddress local, InetSocketAddress remote, long peer) {
    return new PairHealth(rail, rail.open(network, local, remote, peer));
  }

  /** Returns the lower health of both ends. */
  public int lower() {
    return Math.min(local.health(), peer.health());
  }

  /** Returns what selection compares first, 0 to {@link RailHealthConfig#HEALTH_MAX}. */
  public int first() {
    return rail.config().isLetter() ? local.health() : Math.min(local.health(), peer.health());
  }

  /** Returns what selection compares among pairs whose {@link #first} is as good. */
  public int second() {
    return rail.config().isLetter() ? peer.health() : Math.max(local.health(), peer.health());
  }

  /** Returns whether an end has failed hard, so that nothing is sent here while others work. */
  public boolean isFailed() {
    return local.isFailed() || peer.isFailed();
  }

  /** Returns whether our end has failed hard. */
  public boolean isOursFailed() {
    return local.isFailed();
  }

  /** Returns whether both ends have full health: nothing is to be asked. */
  public boolean isFull() {
    return local.isFull() && peer.isFull();
  }

  /** Returns whether both pairs lead to the same interface of the peer. */
  public boolean hasSamePeer(PairHealth other) {
    return peer == other.peer;
  }

  /** Returns whether both pairs leave by the same interface of ours. */
  public boolean hasSameLocal(PairHealth other) {
    return local == other.local;
  }

  /** Returns the name of our interface as {@link NiReport#name} has it. */
  public String localName() {
    return local.name();
  }

  /** Returns the name of the peer's interface, likewise. */
  public String peerName() {
    return peer.name();
  }

  /** Returns the health of which this is a part. */
  public RailHealth rail() {
    return rail;
  }

  /**
   * Notes that packets on this pair were not acknowledged for long.
   *
   * @param isPeerAlive whether this interface of the peer has acknowledged by another interface of
   *     ours meanwhile
   */
  public void onSilent(boolean isPeerAlive, long nowNs) {
    rail.onSilent(ends, isPeerAlive, nowNs);
  }

  /** Notes that packets waited at our interface for the path timeout. */
  public void onQueued(long nowNs) {
    rail.onTimeout(ends, Cause.LOCAL_TIMEOUT, false, nowNs);
  }

  /** Notes that the system refused packets for the path timeout. */
  public void onSendsFailing(long nowNs) {
    rail.onTimeout(ends, Cause.NETWORK_TIMEOUT, true, nowNs);
  }

  /**
   * Notes that too many packets of this pair were lost, and that no other interface of ours reaches
   * this one of the peer without such loss.
   */
  public void onLossy(long nowNs) {
    rail.onLossy(ends, nowNs);
  }

  /** Notes an error that is certain, with the effect that it has. */
  public void onError(NiError error, long nowNs) {
    rail.onError(ends, error, nowNs);
  }

  /**
   * Notes an error that the system reports of the peer's interface. The network may have told it,
   * where anybody can forge it, so it is counted, and costs nothing.
   */
  public void onReported(NiError error) {
    rail.onReported(ends, error);
  }

  // ---- recovery

  /** Returns when a PING is due here for an end's recovery; {@link Long#MAX_VALUE} for never. */
  public long pingDueNs() {
    return ends.pingDueNs();
  }

  /**
   * Takes the PING that is due for both ends. So of all pairs over an interface one asks at a time.
   *
   * @return false if another pair has taken it
   */
  public boolean takePing(long nowNs) {
    return rail.takePing(ends, nowNs);
  }

  /**
   * Notes that this pair answered a PING.
   *
   * @param isLossy whether the path loses too much for its interfaces to recover
   */
  public void onAnswered(boolean isLossy, long nowNs) {
    rail.onAnswered(ends, isLossy, nowNs);
  }

  /** Notes that a PING that was taken here is not answered. */
  public void onUnanswered(long nowNs) {
    rail.onUnanswered(ends, nowNs);
  }

  /** Gives the pair back: its path is closed. */
  public void close() {
    rail.close(ends);
  }
}
