package io.rtransport.core.connection;

import java.net.InetSocketAddress;

/**
 * A path that this side sends on: a pair with ids, and the address that the peer had before it
 * moved.
 */
class OpenPath {
  /** Id of a counterpart that is not known yet. */
  static final int UNKNOWN_ID = -1;

  /** Packets by a pair that a path had may come for so many timeouts. */
  static final int LATE_RTOS = 3;

  /** Where the peer was shortly before. Packets from there may still be on their way. */
  private record Former(Pair pair, long untilNs) {}

  private InetSocketAddress remote;
  private Former former;
  private final short id;
  private short counterpart;
  private byte ni;

  // UDP datagrams and their payload bytes, of this path, for people who watch.
  private long datagramsSent;
  private long bytesSent;
  private long datagramsReceived;
  private long bytesReceived;

  /**
   * @param id our id of the path, 0..255
   * @param counterpart the peer's id of its path over the same pair; {@link #UNKNOWN_ID}
   */
  OpenPath(int ni, InetSocketAddress remote, int id, int counterpart) {
    this.ni = (byte) ni;
    this.remote = remote;
    this.id = (short) id;
    this.counterpart = (short) counterpart;
  }

  /** Returns the index of our interface. */
  final int ni() {
    return ni;
  }

  final InetSocketAddress remote() {
    return remote;
  }

  /** Returns our id of the path. */
  final int id() {
    return id;
  }

  /** Returns the peer's id of its path over the same pair, or {@link #UNKNOWN_ID}. */
  final int counterpart() {
    return counterpart;
  }

  final void counterpart(int ofPeer) {
    counterpart = (short) ofPeer;
  }

  final boolean isAt(int by, InetSocketAddress from) {
    return ni == by && remote.equals(from);
  }

  final boolean wasAt(int by, InetSocketAddress from, long nowNs) {
    return former != null && nowNs < former.untilNs && former.pair.isAt(by, from);
  }

  /** Sets another pair. Packets of the old one are late until {@code lateUntilNs}. */
  final void move(Pair to, long lateUntilNs) {
    former(new Pair(ni, remote), lateUntilNs);
    pair(to);
  }

  /** Notes that no packet of the old pair is expected any more. */
  final void forgetFormer() {
    former = null;
  }

  /** Notes a pair at which packets may still come, until {@code untilNs}. */
  final void former(Pair pair, long untilNs) {
    former = new Former(pair, untilNs);
  }

  final void countSent(int datagrams, long bytes) {
    datagramsSent += datagrams;
    bytesSent += bytes;
  }

  final void countReceived(int bytes) {
    datagramsReceived++;
    bytesReceived += bytes;
  }

  final long datagramsSent() {
    return datagramsSent;
  }

  final long bytesSent() {
    return bytesSent;
  }

  final long datagramsReceived() {
    return datagramsReceived;
  }

  final long bytesReceived() {
    return bytesReceived;
  }

  /** Sets the pair of a path that has carried nothing yet, or nothing by its last pair. */
  final void pair(Pair to) {
    ni = (byte) to.ni();
    remote = to.remote();
  }
}
