package io.rtransport.simulator;

/** Everything that is fixed before a world starts. */
public interface SimPlan {
  long seed();

  WorldPlan.Scenario scenario();

  /**
   * Returns the options of {@code ./rt sim} that choose a part of the seed's world, each after a
   * blank; empty for all of it.
   */
  default String selection() {
    return "";
  }

  /** Returns the number of its parts, for the minimiser's progress. */
  default int size() {
    return 0;
  }
}
