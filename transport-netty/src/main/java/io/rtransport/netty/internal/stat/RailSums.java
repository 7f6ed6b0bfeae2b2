package io.rtransport.netty.internal.stat;

import io.rtransport.core.stats.PathReport;

/** Sums over the open paths of a rail. Not thread-safe. */
public final class RailSums {
  private int paths;
  private int suspect;
  private long rttNs;
  private int packetsInFlight;
  private long datagramsSent;
  private long bytesSent;
  private long datagramsReceived;
  private long bytesReceived;
  private long resentOn;
  private long resentFrom;
  private long movedFrom;
  private int health = -1;

  void add(PathReport path) {
    paths++;
    suspect += path.isSuspect() ? 1 : 0;
    rttNs = Math.max(rttNs, path.rttNs());
    packetsInFlight += path.packetsInFlight();
    datagramsSent += path.datagramsSent();
    bytesSent += path.bytesSent();
    datagramsReceived += path.datagramsReceived();
    bytesReceived += path.bytesReceived();
    resentOn += path.resentOn();
    resentFrom += path.resentFrom();
    movedFrom += path.movedFrom();
    health = path.health();
  }

  void add(RailSums other) {
    paths += other.paths;
    suspect += other.suspect;
    rttNs = Math.max(rttNs, other.rttNs);
    packetsInFlight += other.packetsInFlight;
    datagramsSent += other.datagramsSent;
    bytesSent += other.bytesSent;
    datagramsReceived += other.datagramsReceived;
    bytesReceived += other.bytesReceived;
    resentOn += other.resentOn;
    resentFrom += other.resentFrom;
    movedFrom += other.movedFrom;
    health = other.health;
  }

  public int paths() {
    return paths;
  }

  public int suspect() {
    return suspect;
  }

  /** Returns the longest smoothed round trip, ns; 0 without a sample. */
  public long rttNs() {
    return rttNs;
  }

  public int packetsInFlight() {
    return packetsInFlight;
  }

  public long datagramsSent() {
    return datagramsSent;
  }

  public long bytesSent() {
    return bytesSent;
  }

  public long datagramsReceived() {
    return datagramsReceived;
  }

  public long bytesReceived() {
    return bytesReceived;
  }

  /** Returns the bytes both ways, by which rails are compared. */
  public long bytes() {
    return bytesSent + bytesReceived;
  }

  public long resentOn() {
    return resentOn;
  }

  public long resentFrom() {
    return resentFrom;
  }

  public long movedFrom() {
    return movedFrom;
  }

  /** Returns the lower health of its two interfaces; −1 for paths of connections over one rail. */
  public int health() {
    return health;
  }
}
