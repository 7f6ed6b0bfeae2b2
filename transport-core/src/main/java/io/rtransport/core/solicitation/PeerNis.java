package io.rtransport.core.solicitation;

/** Taker of the changes of the peer's network interfaces. */
@FunctionalInterface
public interface PeerNis {
  /**
   * Handles ADD_NI or REMOVE_NI.
   *
   * @param version number of the change
   * @param nid text of the NID, which may be none
   */
  void onChange(boolean isAdded, int version, String nid, long nowNs);
}
