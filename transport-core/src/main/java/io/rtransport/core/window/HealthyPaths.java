package io.rtransport.core.window;

import io.rtransport.core.rail.HealthParameter;
import io.rtransport.core.rail.PairHealth;
import io.rtransport.core.rail.RailHealthConfig;

/**
 * Decides which of several paths are the healthiest, and so carry the traffic. The others carry a
 * trickle, one burst in {@link HealthParameter#TRICKLE_BURSTS}, that shows whether they work again.
 * Those that lose too much carry PINGs only: a message would wait for each packet lost there.
 *
 * <p>Not among the healthiest are, unless no other is left: a path with an end that has failed
 * hard; a path that loses too much ({@link LossRate}); a path whose ends have less health than
 * those of another. The answer is kept until something of that changes.
 */
final class HealthyPaths {
  private final PathSet paths;

  /** One bit for each path that loses too much. */
  private int lossy;

  private int burstsSinceTrickle;

  // The last answer, and what it was given for.
  private int askedMask;
  private int askedLossy;
  private long askedVersion = -1;
  private int answer;

  HealthyPaths(PathSet paths) {
    this.paths = paths;
  }

  /** Notes whether a path loses so much that it carries nothing but PINGs. */
  void lossy(int index, boolean isLossy) {
    lossy = isLossy ? lossy | 1 << index : lossy & ~(1 << index);
  }

  /** Forgets what was known of a path: it leads elsewhere, or is closed. */
  void onChanged(int index) {
    lossy(index, false);
    askedMask = 0;
  }

  boolean isLossy(int index) {
    return (lossy >>> index & 1) != 0;
  }

  /** Returns the healthiest paths of {@code mask}, at least one of them; 0 for 0. */
  int of(int mask) {
    if ((mask & mask - 1) == 0) {
      return mask;
    }
    long version = version(mask);
    if (mask != askedMask || lossy != askedLossy || version != askedVersion) {
      askedMask = mask;
      askedLossy = lossy;
      askedVersion = version;
      answer = judge(mask);
    }
    return answer;
  }

  private long version(int mask) {
    PairHealth any = paths.at(Integer.numberOfTrailingZeros(mask)).health();
    return any == null ? 0 : any.rail().version();
  }

  private int judge(int mask) {
    int working = mask;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      PairHealth health = paths.at(i).health();
      if (health == null) {
        return mask; // not watched
      }
      working &= health.isFailed() ? ~(1 << i) : -1;
    }
    working = working == 0 ? mask : working;
    working = (working & ~lossy) == 0 ? working : working & ~lossy;
    return asGood(asGood(working, true), false);
  }

  /** Returns the paths of {@code mask} that are as good as the best of them in one respect. */
  private int asGood(int mask, boolean isFirst) {
    int highest = 0;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      highest = Math.max(highest, value(Integer.numberOfTrailingZeros(rest), isFirst));
    }
    RailHealthConfig config = config(mask);
    int good = 0;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      good |= config.isAsGood(value(i, isFirst), highest) ? 1 << i : 0;
    }
    return good;
  }

  private int value(int index, boolean isFirst) {
    PairHealth health = paths.at(index).health();
    return isFirst ? health.first() : health.second();
  }

  private RailHealthConfig config(int mask) {
    return paths.at(Integer.numberOfTrailingZeros(mask)).health().rail().config();
  }

  /** Returns the paths of {@code mask} of which one takes the burst that leaves now. */
  int trickle(int mask) {
    PairHealth any = paths.at(Integer.numberOfTrailingZeros(mask)).health();
    long every = any == null ? 0 : any.rail().config().get(HealthParameter.TRICKLE_BURSTS);
    if (every == 0 || burstsSinceTrickle < every - 1) {
      return 0;
    }
    int others = mask & ~of(mask) & ~lossy;
    for (int rest = others; rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      others &= paths.at(i).health().isFailed() ? ~(1 << i) : -1;
    }
    return others;
  }

  /** Notes that a path was asked for. Mostly a burst leaves then. */
  void onBurst(boolean isTrickle) {
    burstsSinceTrickle = isTrickle ? 0 : burstsSinceTrickle + 1;
  }
}
