package io.rtransport.core.window;

import io.rtransport.core.wire.WindowClass;

/**
 * Decides which path a burst takes, if a connection has several. All packets of a burst leave on
 * one path.
 *
 * <p>The <b>expected arrival</b> of a path is SRTT × (1 + bytes in flight / congestion window): a
 * packet waits for what is in flight to leave, and then travels.
 *
 * <ol>
 *   <li>The path with the earliest expected arrival takes the burst. Paths that differ from it by
 *       less than the variation of the round trips, or by less than a quarter, are as good. These
 *       take turns, so that all of them are known to work.
 *   <li>Without room in the earliest path's congestion window, a later path may take the burst. It
 *       may if the burst then arrives before the earliest path could bring it one round trip later.
 *       It also may if more has been waiting for room for as long as the later path takes: then
 *       there is enough to send for both.
 *   <li>A path that is much later leaves holes in the window while its packets travel. It takes no
 *       burst if the earlier paths could then be held up by the window.
 * </ol>
 *
 * <p>A path in doubt ({@link Suspicion}) takes no new packets while another path can. One that is
 * not among the healthiest ({@link HealthyPaths}) takes a burst now and then.
 */
final class PathSelection {
  private static final int NONE = PathSet.NONE;

  private final PathSet paths;
  private final SentPackets sent;
  private Suspicion suspicion;
  private HealthyPaths healthy;
  private int lastIndex = -1;

  /** Since when records have waited for the room of the earliest path. */
  private boolean isWaiting;

  private long waitingSinceNs;

  PathSelection(PathSet paths, SentPackets sent) {
    this.paths = paths;
    this.sent = sent;
  }

  /** Tells what watches the paths. */
  void watch(Suspicion watching, HealthyPaths healthiest) {
    suspicion = watching;
    healthy = healthiest;
  }

  /** Returns the healthiest paths of {@code mask}, at least one of them; 0 for 0. */
  int healthiest(int mask) {
    return healthy == null ? mask : healthy.of(mask);
  }

  /** Returns whether another path than this one is among the healthiest of the usable ones. */
  boolean hasOtherHealthiest(int index) {
    return (healthiest(paths.usableMask()) & ~(1 << index)) != 0;
  }

  /** Returns whether none of the usable paths is healthier than this one. */
  boolean isHealthiest(int index) {
    return paths.isSingle() || (healthiest(paths.usableMask()) >>> index & 1) != 0;
  }

  /** Notes that everything that waited has left, or waits for something else than congestion. */
  void onDrained() {
    isWaiting = false;
  }

  /**
   * Returns when a path with room that was not worth it becomes so by the waiting alone; {@link
   * Long#MAX_VALUE} for never.
   *
   * @param open the usable paths with room
   */
  long worthItNs(int open) {
    int later = earliest(open);
    return !isWaiting || later == NONE
        ? Long.MAX_VALUE
        : waitingSinceNs + paths.at(later).arrivalNs();
  }

  /** Notes that records wait and that no path has taken them. */
  void onWaiting(long nowNs) {
    if (!isWaiting) {
      isWaiting = true;
      waitingSinceNs = nowNs;
    }
  }

  /**
   * Returns the path that takes new packets now.
   *
   * @param room one bit for each path whose port has room
   * @return an index, or NONE if each path lacks room or is not worth it
   */
  int forNew(int room, long nowNs) {
    int usable = paths.usableMask();
    int prompt = withoutDoubtful(usable);
    int healthiest = healthiest(prompt);
    if (healthy != null) {
      int trickle = open(healthy.trickle(prompt) & room, nowNs);
      healthy.onBurst(trickle != 0);
      if (trickle != 0) {
        return inTurn(trickle);
      }
    }
    int earliest = earliest(healthiest);
    int open = open(healthiest & room, nowNs);
    if (open == 0) {
      return NONE;
    }
    if ((open >>> earliest & 1) != 0) {
      return inTurn(asGoodAs(earliest, open));
    }
    int candidate = earliest(open);
    return isWorthIt(candidate, earliest, nowNs) ? inTurn(1 << candidate) : NONE;
  }

  /** Returns the paths of {@code mask} whose congestion windows have room. */
  private int open(int mask, long nowNs) {
    int open = 0;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      if (paths.at(i).hasNewRoom(paths.at(i).mtu().packetLengthMax(), nowNs)) {
        open |= 1 << i;
      }
    }
    return open;
  }

  private int withoutDoubtful(int mask) {
    int prompt = mask;
    for (int rest = mask; rest != 0 && suspicion != null; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      if (suspicion.isInDoubt(i)) {
        prompt &= ~(1 << i);
      }
    }
    return prompt == 0 ? mask : prompt;
  }

  /** Returns the path of {@code mask} with the earliest expected arrival; NONE for 0. */
  int earliest(int mask) {
    int best = NONE;
    long bestNs = Long.MAX_VALUE;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      long arrivalNs = paths.at(i).arrivalNs();
      if (best == NONE || arrivalNs < bestNs) {
        best = i;
        bestNs = arrivalNs;
      }
    }
    return best;
  }

  private int asGoodAs(int earliest, int open) {
    Path best = paths.at(earliest);
    long bestNs = best.arrivalNs();
    int good = 1 << earliest;
    for (int rest = open & ~good; rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      Path path = paths.at(i);
      long rangeNs = Math.max(bestNs >> 2, best.rtt().variationNs() + path.rtt().variationNs());
      if (path.rtt().hasSample() && path.arrivalNs() - bestNs <= rangeNs) {
        good |= 1 << i;
      }
    }
    return good;
  }

  /** Returns the path of {@code mask} that follows the last one taken. */
  private int inTurn(int mask) {
    int above = mask & -1 << lastIndex + 1;
    lastIndex = Integer.numberOfTrailingZeros(above != 0 ? above : mask);
    return lastIndex;
  }

  private boolean isWorthIt(int later, int earliest, long nowNs) {
    Path candidate = paths.at(later);
    Path best = paths.at(earliest);
    long arrivalNs = candidate.arrivalNs();
    if (arrivalNs <= best.arrivalNs() + best.smoothedRttNs()) {
      return true;
    }
    return isWaiting && nowNs - waitingSinceNs >= arrivalNs && !isHoldingUp(later, arrivalNs);
  }

  /**
   * Returns whether the earlier paths could fill the window before a packet on path {@code later}
   * arrives.
   */
  private boolean isHoldingUp(int later, long arrivalNs) {
    double bytes = 0;
    for (int rest = paths.usableMask() & ~(1 << later); rest != 0; rest &= rest - 1) {
      Path path = paths.at(Integer.numberOfTrailingZeros(rest));
      if (path.arrivalNs() < arrivalNs) {
        bytes +=
            (double) path.congestion().windowBytes()
                * arrivalNs
                / Math.max(1, path.smoothedRttNs());
      }
    }
    int packetLength = paths.at(later).mtu().packetLengthMax();
    return bytes / packetLength > sent.freePackets(WindowClass.DATA);
  }
}
