package io.rtransport.simulator;

/** Everything that is fixed before a world starts. */
public interface SimPlan {
  long seed();

  WorldPlan.Scenario scenario();

  /**
   * Options of {@code ./rt sim} that choose a part of the seed's world, each behind a blank; empty
   * for all of it.
   */
  default String selection() {
    return "";
  }

  /** Of how many parts it is made, for the minimiser's progress. */
  default int size() {
    return 0;
  }
}
