package io.rtransport.core.rail;

/**
 * What selection asks about an interface, ours or a peer's.
 *
 * <p>One interface is one object, as long as it exists: selection tells interfaces apart by
 * identity.
 */
public interface NiView {
  /** Returns the name of its network, the same as long as it exists; empty for none. */
  String network();

  /** Returns its health, 0 to {@link RailHealthConfig#HEALTH_MAX}. */
  int health();

  /** Returns whether it has failed hard: it is never selected. */
  boolean isFailed();

  /**
   * Returns how far our interface is from the memory or core of the caller. Unused for a peer's.
   */
  default int distance() {
    return 0;
  }

  /** Returns the packets that it can still take now. */
  int availableCredits();
}
