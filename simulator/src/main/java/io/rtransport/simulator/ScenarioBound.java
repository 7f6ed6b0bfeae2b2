package io.rtransport.simulator;

/** Check of the bound of a {@link NamedScenario}. */
final class ScenarioBound {
  private ScenarioBound() {}

  /** Throws unless a bound of a scenario holds. */
  static void bound(boolean holds, String format, Object... arguments) {
    if (!holds) {
      throw new AssertionError(String.format(format, arguments));
    }
  }
}
