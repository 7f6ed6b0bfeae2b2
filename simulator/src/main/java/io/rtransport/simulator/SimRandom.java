package io.rtransport.simulator;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Random generators forked from a seed by name, one for each component. So components do not
 * disturb each other's draws.
 */
public final class SimRandom {
  private SimRandom() {}

  /**
   * Returns the generator of component {@code name} in the world of {@code seed}. It is always the
   * same sequence.
   */
  public static RandomGenerator fork(long seed, String name) {
    long hash = seed * 0x9E37_79B9_7F4A_7C15L + 0x632B_E59B_D9B4_E019L;
    for (int i = 0; i < name.length(); i++) {
      hash = mix(hash ^ name.charAt(i));
    }
    return new SplittableRandom(hash);
  }

  /** Draws a whole number in [min, max] with an evenly spread logarithm; min ≥ 0. */
  public static long logUniform(RandomGenerator random, long min, long max) {
    double low = Math.log(min + 1.0);
    double high = Math.log(max + 1.0);
    long drawn = (long) Math.floor(Math.exp(low + random.nextDouble() * (high - low)) - 0.5);
    return Math.max(min, Math.min(max, drawn));
  }

  /** Returns true with the given probability, 0..1. */
  public static boolean chance(RandomGenerator random, double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return z ^ (z >>> 31);
  }
}
