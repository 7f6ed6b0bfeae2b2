package io.rtransport.core.rail;

/**
 * What selection asks about an interface, ours or a peer's. Views of one interface are equal. Any
 * thread.
 *
 * @see RailHealth#ours
 * @see RailHealth#ofPeer
 */
public interface NiView {
  /**
   * Returns its health as it counts now, 0 to {@link RailHealthConfig#HEALTH_MAX}.
   *
   * @param nowNs the time, ns
   */
  int health(long nowNs);

  /** Returns whether it has failed hard: it is not selected while another one works. */
  boolean isFailed();
}
