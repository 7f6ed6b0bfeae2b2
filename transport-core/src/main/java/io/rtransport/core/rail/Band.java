package io.rtransport.core.rail;

/** Band of a health. Selection compares bands, so that small differences change nothing. */
public enum Band {
  /** 0. */
  NONE,
  /** 1 to 499. */
  POOR,
  /** 500 to 999. */
  FAIR,
  /** 1000: nothing has failed, or all is forgotten. */
  FULL;

  /**
   * Returns the band of a health.
   *
   * @param health 0 to {@link RailHealthConfig#HEALTH_MAX}
   */
  public static Band of(int health) {
    if (health >= RailHealthConfig.HEALTH_MAX) {
      return FULL;
    }
    if (health >= RailHealthConfig.FAIR_MIN) {
      return FAIR;
    }
    return health >= RailHealthConfig.POOR_MIN ? POOR : NONE;
  }
}
