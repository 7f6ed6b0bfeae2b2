package io.rtransport.core.proof;

import java.time.Duration;

/**
 * How much of a long proof this run wants: all of it, or the share that {@code
 * -Drt.proof.share=0.1} names. Its seed is another in each run, printed, and given by {@code
 * -Drt.proof.seed=N} to have it again.
 */
public final class ProofShare {
  private static final String SHARE = "rt.proof.share";
  private static final String SEED = "rt.proof.seed";

  private final double share;

  /** The share that the system property names, 1 without it. */
  public ProofShare() {
    this(Double.parseDouble(System.getProperty(SHARE, "1")));
  }

  ProofShare(double share) {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException(SHARE + "=" + share + " is not in 0 (excluded) to 1");
    }
    this.share = share;
  }

  /**
   * How often to do what the whole proof does {@code whole} times: never less than {@code least}.
   */
  public int times(int least, int whole) {
    return Math.max(Math.min(least, whole), (int) Math.ceil(whole * share));
  }

  /** How long to do what the whole proof does for {@code whole}: never less than {@code least}. */
  public Duration time(Duration least, Duration whole) {
    Duration wanted = Duration.ofMillis((long) (whole.toMillis() * share));
    return wanted.compareTo(least) < 0 ? least : wanted;
  }

  /** The seed of this run's draws, after printing it beside the proof's name. */
  public static long seed(String proof) {
    long seed = Long.getLong(SEED, System.nanoTime());
    System.out.println(proof + ": -D" + SEED + "=" + seed);
    return seed;
  }
}
