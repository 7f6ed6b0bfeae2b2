package io.rtransport.core.window;

import io.rtransport.core.congestion.PathRoom;

/** Measures of all paths of a connection that take packets, taken together. */
public final class PathTotals {
  private final PathSet paths;

  PathTotals(PathSet paths) {
    this.paths = paths;
  }

  /**
   * Returns the longest smoothed round trip of the usable paths, in nanoseconds; 0 without a
   * sample.
   */
  public long smoothedRttNs() {
    long longest = 0;
    for (int rest = paths.usableMask(); rest != 0; rest &= rest - 1) {
      longest = Math.max(longest, paths.at(Integer.numberOfTrailingZeros(rest)).smoothedRttNs());
    }
    return longest;
  }

  /** Returns the longest of the least round trips of the usable paths, likewise. */
  public long minRttNs() {
    long longest = 0;
    for (int rest = paths.usableMask(); rest != 0; rest &= rest - 1) {
      longest = Math.max(longest, paths.at(Integer.numberOfTrailingZeros(rest)).minRttNs());
    }
    return longest;
  }

  /** Returns the bytes for which the congestion windows of all usable paths have room. */
  public long roomBytes() {
    long bytes = 0;
    for (int rest = paths.usableMask(); rest != 0; rest &= rest - 1) {
      bytes += paths.at(Integer.numberOfTrailingZeros(rest)).room().bytes();
    }
    return bytes;
  }

  /** Returns whether a usable path has room for several more packets, or nothing in flight. */
  public boolean hasRoomToSpare() {
    for (int rest = paths.usableMask(); rest != 0; rest &= rest - 1) {
      Path path = paths.at(Integer.numberOfTrailingZeros(rest));
      if (path.room().isSpare(path.mtu().packetLengthMax())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns how long a packet sent now would wait for its acknowledgement on the slowest path, in
   * nanoseconds.
   */
  public long timeoutNs() {
    long longest = 0;
    for (int rest = paths.usableMask(); rest != 0; rest &= rest - 1) {
      longest = Math.max(longest, paths.at(Integer.numberOfTrailingZeros(rest)).timeoutNs());
    }
    return longest;
  }

  /**
   * Returns the bytes in flight that only the length of the path requires. As many more bytes may
   * wait to follow them. On a path of up to {@link PathRoom#FAST_PATH_NS} that is 0; on a path of
   * 20 ms it is nearly all.
   */
  public long longPathBytes() {
    long bytes = 0;
    for (int rest = paths.usableMask(); rest != 0; rest &= rest - 1) {
      Path path = paths.at(Integer.numberOfTrailingZeros(rest));
      long leastNs = path.minRttNs();
      if (leastNs > PathRoom.FAST_PATH_NS) {
        bytes += (long) (path.inFlightBytes() * (1 - (double) PathRoom.FAST_PATH_NS / leastNs));
      }
    }
    return bytes;
  }
}
