package io.rtransport.core.rail;

/** Band of a health. Selection compares bands, so that small differences change nothing. */
public enum Band {
  /** 0. */
  NONE(0),
  /** 1 to 499. */
  POOR(1),
  /** 500 to 999. */
  FAIR(500),
  /** 1000: nothing has failed, or all is made good. */
  FULL(1_000);

  private static final Band[] ALL = values();

  private final int least;

  Band(int least) {
    this.least = least;
  }

  /** Returns the least health of the band. */
  public int least() {
    return least;
  }

  /**
   * Returns the band of a health.
   *
   * @param health 0 to {@link RailHealthConfig#HEALTH_MAX}
   */
  public static Band of(int health) {
    int band = ALL.length - 1;
    while (band > 0 && health < ALL[band].least) {
      band--;
    }
    return ALL[band];
  }
}
